#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/pipelines/HostPipeline.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace zyxc {

/// Functions whose f32 polynomial is right for every special value and within 5 ulp. Not here:
/// erf (loses the sign of -0), sin and cos (no ulp bound), cbrt (wrong at infinity), atan (40 ulp).
static bool hasAccuratePolynomial(StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Case(math::ExpOp::getOperationName(), true)
      .Case(math::ExpM1Op::getOperationName(), true)
      .Case(math::LogOp::getOperationName(), true)
      .Case(math::Log2Op::getOperationName(), true)
      .Case(math::Log1pOp::getOperationName(), true)
      .Case(math::TanhOp::getOperationName(), true)
      .Case(math::ErfOp::getOperationName(), true)
      .Default(false);
}

namespace {

/// erf(x) as copysign(erf(x), x): the polynomial gives +0 for -0, so the sign is put back.
struct SignedErf : OpRewritePattern<math::ErfOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ErfOp op, PatternRewriter &rewriter) const override {
    constexpr StringLiteral done = "zyxc.signed";
    if (op->hasAttr(done) || !getElementTypeOrSelf(op.getType()).isF32()) {
      return failure();
    }
    auto erf = math::ErfOp::create(rewriter, op.getLoc(), op.getOperand());
    erf->setAttr(done, rewriter.getUnitAttr());
    rewriter.replaceOpWithNewOp<math::CopySignOp>(op, erf, op.getOperand());
    return success();
  }
};

struct HostExpandPass : PassWrapper<HostExpandPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(HostExpandPass)

  StringRef getArgument() const override { return "zyxk-host-expand"; }
  StringRef getDescription() const override {
    return "Expand math functions and vector operations for host code";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, math::MathDialect, vector::VectorDialect>();
  }
  LogicalResult initialize(MLIRContext *context) override;
  void runOnOperation() override;

  FrozenRewritePatternSet patterns;
};

} // namespace

LogicalResult HostExpandPass::initialize(MLIRContext *context) {
  RewritePatternSet set(context);
  populateMathF32ExpansionPatterns(set, hasAccuratePolynomial);
  populateMathPolynomialApproximationPatterns(set, hasAccuratePolynomial);
  set.add<SignedErf>(context, /*benefit=*/2);
  arith::populateExpandBFloat16Patterns(set);
  vector::populateVectorMaskMaterializationPatterns(set, /*force32BitVectorIndices=*/true);
  vector::populateVectorMultiReductionLoweringPatterns(
      set, vector::VectorMultiReductionLowering::InnerReduction);
  vector::populateVectorTransposeLoweringPatterns(set, vector::VectorTransposeLowering::Shuffle1D);
  vector::populateVectorBroadcastLoweringPatterns(set);
  vector::populateVectorStepLoweringPatterns(set);
  patterns = FrozenRewritePatternSet(std::move(set));
  return success();
}

void HostExpandPass::runOnOperation() {
  GreedyRewriteConfig config;
  config.enableFolding(false).setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  if (failed(applyPatternsGreedily(getOperation(), patterns, config))) {
    signalPassFailure();
  }
}

std::unique_ptr<Pass> createHostExpandPass() { return std::make_unique<HostExpandPass>(); }

} // namespace zyxc

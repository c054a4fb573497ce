#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/pipelines/HostPipeline.h"
#include "passes/pipelines/math/MathExpand.h"

using namespace mlir;

namespace zyxc {

namespace {

struct HostExpandPass : PassWrapper<HostExpandPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(HostExpandPass)

  StringRef getArgument() const override { return "zyxk-host-expand"; }
  StringRef getDescription() const override {
    return "Expand math functions and vector operations for host code";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry
        .insert<arith::ArithDialect, LLVM::LLVMDialect, math::MathDialect, vector::VectorDialect>();
  }
  LogicalResult initialize(MLIRContext *context) override;
  void runOnOperation() override;

  bool avx512 = false;
  FrozenRewritePatternSet patterns;
};

} // namespace

LogicalResult HostExpandPass::initialize(MLIRContext *context) {
  RewritePatternSet set(context);
  populateMathExpandPatterns(set, avx512);
  populateExp2Pattern(set, avx512);
  arith::populateExpandBFloat16Patterns(set);
  arith::populateCeilFloorDivExpandOpsPatterns(set);
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

std::unique_ptr<Pass> createHostExpandPass(bool avx512) {
  auto pass = std::make_unique<HostExpandPass>();
  pass->avx512 = avx512;
  return pass;
}

} // namespace zyxc

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/pipelines/HostPipeline.h"
#include "passes/pipelines/math/FormFma.h"
#include "passes/pipelines/math/FunctionForms.h"
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

  HostExpandOptions options;
  FrozenRewritePatternSet forms, patterns;
};

} // namespace

LogicalResult HostExpandPass::initialize(MLIRContext *context) {
  RewritePatternSet formSet(context);
  RewritePatternSet set(context);
  if (!options.exact) {
    populateFunctionFormPatterns(formSet);
    populateFormFmaPatterns(set);
  }
  forms = FrozenRewritePatternSet(std::move(formSet));
  populateMathExpandPatterns(set, options.vectorBits);
  populateExp2Patterns(set, options.vectorBits);
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
  if (failed(applyPatternsGreedily(getOperation(), forms, config)) ||
      failed(applyPatternsGreedily(getOperation(), patterns, config))) {
    signalPassFailure();
  }
}

std::unique_ptr<Pass> createHostExpandPass(const HostExpandOptions &options) {
  auto pass = std::make_unique<HostExpandPass>();
  pass->options = options;
  return pass;
}

} // namespace zyxc

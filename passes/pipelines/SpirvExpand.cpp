#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/pipelines/GpuToSpirv.h"
#include "passes/pipelines/MathExpand.h"

using namespace mlir;

namespace zyxc {

namespace {

struct SpirvExpandPass : PassWrapper<SpirvExpandPass, OperationPass<gpu::GPUModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SpirvExpandPass)

  StringRef getArgument() const override { return "zyxk-spirv-expand"; }
  StringRef getDescription() const override {
    return "Expand math functions and vector operations for SPIR-V";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, math::MathDialect, vector::VectorDialect>();
  }
  LogicalResult initialize(MLIRContext *context) override;
  void runOnOperation() override;

  FrozenRewritePatternSet patterns;
};

} // namespace

LogicalResult SpirvExpandPass::initialize(MLIRContext *context) {
  RewritePatternSet set(context);
  populateMathExpandPatterns(set);
  vector::populateVectorMaskMaterializationPatterns(set, /*force32BitVectorIndices=*/true);
  vector::populateVectorMultiReductionLoweringPatterns(
      set, vector::VectorMultiReductionLowering::InnerReduction);
  patterns = FrozenRewritePatternSet(std::move(set));
  return success();
}

/// Operations of f64 that SPIR-V has; GLSL.std.450 knows the functions in 16 and 32 bits only.
static bool hasDoubleForm(Operation *op) {
  return isa<math::AbsFOp, math::CeilOp, math::FloorOp, math::TruncOp, math::RoundEvenOp,
             math::FmaOp, math::SqrtOp, math::CopySignOp>(op);
}

void SpirvExpandPass::runOnOperation() {
  GreedyRewriteConfig config;
  config.enableFolding(false).setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  if (failed(applyPatternsGreedily(getOperation(), patterns, config))) {
    return signalPassFailure();
  }
  WalkResult result = getOperation().walk([](Operation *op) {
    if (!isa<math::MathDialect>(op->getDialect()) || op->getNumResults() != 1 ||
        !getElementTypeOrSelf(op->getResult(0).getType()).isF64() || hasDoubleForm(op)) {
      return WalkResult::advance();
    }
    op->emitError("Vulkan has no such function in f64: compute it in f32");
    return WalkResult::interrupt();
  });
  if (result.wasInterrupted()) {
    signalPassFailure();
  }
}

std::unique_ptr<Pass> createSpirvExpandPass() {
  return std::make_unique<SpirvExpandPass>();
}

} // namespace zyxc

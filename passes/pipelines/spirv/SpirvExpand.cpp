#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/lower/tile/GpuFunction.h"
#include "passes/pipelines/math/MathExpand.h"
#include "passes/pipelines/spirv/GpuToSpirv.h"
#include "passes/pipelines/spirv/SpirvMath.h"

using namespace mlir;

namespace zyxc {

namespace {

struct SpirvExpandPass : PassWrapper<SpirvExpandPass, OperationPass<gpu::GPUModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SpirvExpandPass)

  SpirvExpandPass(const SpirvTarget &target) : target(target) {}
  StringRef getArgument() const override { return "zyxk-spirv-expand"; }
  StringRef getDescription() const override {
    return "Expand math functions and vector operations for SPIR-V";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, math::MathDialect, vector::VectorDialect>();
  }
  LogicalResult initialize(MLIRContext *context) override;
  void runOnOperation() override;

  SpirvTarget target;
  FrozenRewritePatternSet patterns;
};

} // namespace

LogicalResult SpirvExpandPass::initialize(MLIRContext *context) {
  RewritePatternSet set(context);
  populateMathExpandPatterns(set);
  populateSpirvMathPatterns(set, target.float64);
  vector::populateVectorMaskMaterializationPatterns(set, /*force32BitVectorIndices=*/true);
  vector::populateVectorMultiReductionLoweringPatterns(
      set, vector::VectorMultiReductionLowering::InnerReduction);
  patterns = FrozenRewritePatternSet(std::move(set));
  return success();
}

/// A function that has no form here. GLSL.std.450 knows functions in 16 and 32 bits only, and most
/// of them with bounds so loose that using them would be a silent fault.
static LogicalResult checkFunction(Operation *op) {
  if (!isa<math::MathDialect>(op->getDialect()) || op->getNumResults() != 1 ||
      hasExactSpirvForm(op)) {
    return success();
  }
  Type type = getElementTypeOrSelf(op->getResult(0).getType());
  if (type.isF64()) {
    return op->emitError("Vulkan has no such function in f64: compute it in f32");
  }
  if (isa<math::PowFOp>(op)) {
    return op->emitError("needs a Vulkan device with 64-bit floats");
  }
  return isa<FloatType>(type) ? op->emitError("Vulkan has no accurate form of this function")
                              : LogicalResult(success());
}

/// True if some port has 2^31 bytes or more, or the kernel asked for it.
static bool needsWideIndex(gpu::GPUModuleOp module) {
  bool isWide = module->hasAttr(wideIndexAttrName);
  module.walk([&](gpu::GPUFuncOp function) {
    for (Type type : function.getArgumentTypes()) {
      auto memref = dyn_cast<MemRefType>(type);
      if (memref && memref.hasStaticShape()) {
        uint64_t bits =
            memref.getElementType().isIntOrFloat() ? memref.getElementTypeBitWidth() : 64;
        isWide |= memref.getNumElements() * ((bits + 7) / 8) >= uint64_t(1) << 31;
      }
    }
  });
  return isWide;
}

void SpirvExpandPass::runOnOperation() {
  if (needsWideIndex(getOperation())) {
    getOperation()->setAttr(wideIndexAttrName, UnitAttr::get(&getContext()));
  }
  GreedyRewriteConfig config;
  config.enableFolding(false).setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  if (failed(applyPatternsGreedily(getOperation(), patterns, config))) {
    return signalPassFailure();
  }
  WalkResult result = getOperation().walk([](Operation *op) {
    return failed(checkFunction(op)) ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (result.wasInterrupted()) {
    signalPassFailure();
  }
}

std::unique_ptr<Pass> createSpirvExpandPass(const SpirvTarget &target) {
  return std::make_unique<SpirvExpandPass>(target);
}

} // namespace zyxc

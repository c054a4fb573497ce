#include "passes/pipelines/spirv/GpuToSpirv.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace zyxc {

namespace {

/// The pipeline's options on a command line.
struct SpirvPipelineOptions : PassPipelineOptions<SpirvPipelineOptions> {
  Option<unsigned> subgroupSize{*this, "subgroup-size",
                                llvm::cl::desc("threads of the device's subgroups"),
                                llvm::cl::init(8)};
};

} // namespace

void buildSpirvFunctionPipeline(OpPassManager &passes, const SpirvTarget &target) {
  passes.nest<gpu::GPUModuleOp>().addPass(createSpirvExpandPass(target));
}

void buildSpirvConversionPipeline(OpPassManager &passes, const SpirvTarget &target) {
  OpPassManager &kernels = passes.nest<gpu::GPUModuleOp>();
  kernels.addPass(createCSEPass());
  kernels.addPass(createSpirvLanesPass(target));
  kernels.addPass(createCSEPass());
  passes.addPass(createSpirvConvertPass(target));
  OpPassManager &modules = passes.nest<spirv::ModuleOp>();
  modules.addPass(spirv::createSPIRVLowerABIAttributesPass());
  modules.addPass(createCSEPass());
  modules.addPass(spirv::createSPIRVUpdateVCEPass());
}

void buildGpuToSpirvPipeline(OpPassManager &passes, const SpirvTarget &target) {
  buildSpirvFunctionPipeline(passes, target);
  buildSpirvConversionPipeline(passes, target);
}

void registerGpuToSpirv() {
  registerPass([] { return createSpirvExpandPass(); });
  registerPass([] { return createSpirvLanesPass(); });
  registerPass([] { return createSpirvConvertPass(); });
  PassPipelineRegistration<SpirvPipelineOptions>(
      "zyxk-gpu-to-spirv", "Kernels lowered for a GPU (gpu, scf, vector, memref) to SPIR-V",
      [](OpPassManager &passes, const SpirvPipelineOptions &options) {
        SpirvTarget target;
        target.subgroupSize = options.subgroupSize;
        buildGpuToSpirvPipeline(passes, target);
      });
}

} // namespace zyxc

// From a kernel lowered for a GPU (passes/lower/tile/GpuFunction.h) to the SPIR-V dialect for
// Vulkan: SPIR-V 1.3 with buffer device addresses, valid from Vulkan 1.1 on with the features that
// SpirvTarget names.
#pragma once
#include "mlir/Pass/Pass.h"
#include "passes/pipelines/spirv/SpirvTarget.h"
#include <memory>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace zyxc {

/// Rewrites math functions that Vulkan computes with loose bounds to polynomials, those of host
/// code where it has them, and refuses what has no accurate form (functions of f64). On gpu.module,
/// `zyxk-spirv-expand`.
std::unique_ptr<mlir::Pass> createSpirvExpandPass(const SpirvTarget &target = {});
/// Rewrites every gpu.func to scalars, addresses and variables. On gpu.module, `zyxk-spirv-lanes`.
std::unique_ptr<mlir::Pass> createSpirvLanesPass(const SpirvTarget &target = {});
/// Converts each gpu.module, rewritten to lanes, to a spirv.module. On the module,
/// `zyxk-spirv-convert`.
std::unique_ptr<mlir::Pass> createSpirvConvertPass(const SpirvTarget &target = {});

/// The first part: the functions. What it refuses, no device of the target can compute.
void buildSpirvFunctionPipeline(mlir::OpPassManager &passes, const SpirvTarget &target);
/// The rest: to a spirv.module that can be serialized.
void buildSpirvConversionPipeline(mlir::OpPassManager &passes, const SpirvTarget &target);
/// All of it: a module with a gpu.module becomes one with a spirv.module that can be serialized.
void buildGpuToSpirvPipeline(mlir::OpPassManager &passes, const SpirvTarget &target);

/// Registers the passes and the pipeline `zyxk-gpu-to-spirv{subgroup-size=N}`.
void registerGpuToSpirv();

} // namespace zyxc

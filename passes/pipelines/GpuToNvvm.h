// The way of a kernel lowered for a GPU (passes/lower/tile/GpuFunction.h) to the LLVM and NVVM
// dialects. Conventions for drivers beyond that header:
// - gpu.dynamic_shared_memory is the start of the zyxk.shared_bytes of dynamic workgroup memory,
//   aligned to 1024 bytes; memref.view cuts it up.
// - memref.extract_aligned_pointer_as_index, followed by arith.index_castui to i64 (global memory)
//   or i32 or i64 (workgroup memory), is an address for inline assembly.
// - Index arithmetic does not overflow.
// - llvm.inline_asm and other LLVM and NVVM operations pass through as they are.
#pragma once
#include "mlir/Pass/Pass.h"
#include "passes/lower/tile/GpuFunction.h"
#include <memory>

namespace zyxc {

/// Workgroup memory that a kernel may have without asking for it at the launch.
inline constexpr int64_t staticSharedLimit = 48 * 1024;

/// Rewrites math functions to instructions of the target and to polynomials, vector operations
/// without a direct LLVM form to simpler ones, and identifiers of threads to what is known of them.
/// Pass `zyxk-nvvm-expand` on gpu.module.
std::unique_ptr<mlir::Pass> createNvvmExpandPass();

/// Converts a gpu.module to the LLVM and NVVM dialects. Functions without an instruction become
/// calls of libdevice if `hasLibdevice`, and errors if not. Indices have 32 bits where every port
/// is below 2 GiB. Pass `zyxk-gpu-to-nvvm` on gpu.module.
std::unique_ptr<mlir::Pass> createGpuToNvvmPass(bool hasLibdevice = true);

/// Both, and what belongs between them, for every gpu.module of a module.
void buildNvvmPipeline(mlir::OpPassManager &passes, bool hasLibdevice = true);

/// Registers the passes and the pipeline `zyxk-nvvm-pipeline` for command line tools.
void registerNvvmPipeline();

} // namespace zyxc

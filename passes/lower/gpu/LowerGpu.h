// Kernels to GPU functions: picks the family of each kernel by its schedule, or by its body.
#pragma once
#include "dialects/zyxk/IR/ZyxkOps.h"
#include "dialects/zyxk/target/Target.h"
#include "mlir/Pass/Pass.h"

namespace zyxc {

/// Replaces a kernel by its gpu.module (passes/lower/tile/GpuFunction.h). Fails with a diagnostic
/// if no GPU family covers the kernel, whose body may then have been rewritten to an equal one.
llvm::LogicalResult lowerKernelForGpu(zyxk::KernelOp kernel, const Target &target);

/// Module pass `zyxk-lower-gpu{target=NAME}`: all kernels of a module.
std::unique_ptr<mlir::Pass> createLowerGpuPass(llvm::StringRef target = "sm_90a");
void registerLowerGpuPass();

} // namespace zyxc

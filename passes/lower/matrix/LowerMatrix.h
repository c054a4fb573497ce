// Contractions on matrix units: kernels of f16 and bf16 factors to launches (GpuFunction.h) for
// wgmma (sm_90a) and mma.sync (sm_80 and later).
#pragma once
#include "dialects/zyxk/IR/ZyxkOps.h"
#include "dialects/zyxk/target/Target.h"
#include "mlir/Pass/Pass.h"

namespace zyxc {

/// True if lowerMatrix takes the kernel: static sizes, one contraction of f16 or bf16 factors with
/// sums in f32 or narrower, an elementwise epilogue, and a target with a matrix unit for it.
bool isLowerableMatrix(zyxk::KernelOp kernel, const Target &target);

/// Replaces a kernel by its gpu.module. Fails with a diagnostic if the schedule asks for what there
/// is not; the kernel is then unchanged.
llvm::LogicalResult lowerMatrix(zyxk::KernelOp kernel, const Target &target);

/// Module pass `zyxk-lower-matrix{target=NAME}`: all kernels that lowerMatrix takes.
std::unique_ptr<mlir::Pass> createLowerMatrixPass(llvm::StringRef target = "sm_90a");
void registerLowerMatrixPass();

} // namespace zyxc

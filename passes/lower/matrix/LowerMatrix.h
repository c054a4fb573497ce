// Contractions on GPUs: f16 and bf16 factors on matrix units, by wgmma (sm_90a) and mma.sync (sm_80
// and later), everything else, and every other target, by multiply-adds.
#pragma once
#include "dialects/zyxk/IR/ZyxkOps.h"
#include "dialects/zyxk/target/Target.h"
#include "mlir/Pass/Pass.h"

namespace zyxc {

/// True if lowerMatrix takes the kernel: static sizes, one contraction whose result is not reduced
/// again, plain stores over the same axes, and no schedule of another family.
bool isLowerableMatrix(zyxk::KernelOp kernel, const Target &target);

/// Replaces a kernel by its gpu.module. Fails with a diagnostic if the schedule asks for what there
/// is not; the kernel is then unchanged.
llvm::LogicalResult lowerMatrix(zyxk::KernelOp kernel, const Target &target);

/// Module pass `zyxk-lower-matrix{target=NAME}`: all kernels that lowerMatrix takes.
std::unique_ptr<mlir::Pass> createLowerMatrixPass(llvm::StringRef target = "sm_90a");
void registerLowerMatrixPass();

} // namespace zyxc

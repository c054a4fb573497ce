// Kernels to host functions: picks the family of each kernel by its schedule, or by its body.
#pragma once
#include "dialects/zyxk/IR/ZyxkOps.h"
#include "mlir/Pass/Pass.h"

namespace zyxc {

/// Replaces a kernel by its host function (passes/lower/HostFunction.h). Fails with a
/// diagnostic if no host family covers the kernel, which is then left with its calls expanded.
llvm::LogicalResult lowerKernelForHost(zyxk::KernelOp kernel, unsigned vectorBits);

/// Level exact: sums and products of floats, in reductions and scans, in the order of the index.
/// Such a kernel is lowered by rows of scalars; contractions have an order of their own.
void keepSumOrder(zyxk::KernelOp kernel);

/// Module pass `zyxk-lower-host{vector-bits=N}`: all kernels of a module.
std::unique_ptr<mlir::Pass> createLowerHostPass(unsigned vectorBits = 512);
void registerLowerHostPass();

} // namespace zyxc

// Edits of programs that fusions share.
#pragma once
#include "dialects/zyxk/IR/ZyxkOps.h"

namespace zyxc {

/// Writes a program port?
bool writes(zyxk::LaunchOp launch, mlir::Value port);
/// Reads a program port?
bool reads(zyxk::LaunchOp launch, mlir::Value port);

/// A launch's kernel with the program's dims instead of its own, as a new kernel of this name.
/// The launch itself does not change.
zyxk::KernelOp kernelOverProgramDims(zyxk::LaunchOp launch, llvm::StringRef name);

/// Replaces `launches` (the last one gives the place) by one launch of `kernel`, whose dims are
/// those of the program and whose port i is ports[i].
zyxk::LaunchOp replaceLaunches(llvm::ArrayRef<zyxk::LaunchOp> launches, zyxk::KernelOp kernel,
                               mlir::ValueRange ports);

/// Is a kernel launched by some program of its module?
bool isLaunched(zyxk::KernelOp kernel);

/// A program that has the name, dims and ports of a kernel, then `scratch`, and launches the
/// kernel, whose name becomes `kernelName` (made unique). It stands after the kernel.
zyxk::ProgramOp wrapKernel(zyxk::KernelOp kernel, llvm::StringRef kernelName,
                           llvm::ArrayRef<zyxk::PortType> scratch = {});

/// Erases scratch ports that no launch takes, and `kernels` that no launch runs.
void dropUnused(zyxk::ProgramOp program, llvm::ArrayRef<zyxk::KernelOp> kernels);

} // namespace zyxc

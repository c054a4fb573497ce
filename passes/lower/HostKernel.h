// The function that a kernel becomes on the host; its form is that of passes/lower/HostFunction.h.
#pragma once
#include "dialects/zyxk/IR/ZyxkOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace zyxc {

/// A lowered host function without its body.
struct HostKernel {
  mlir::func::FuncOp function;
  llvm::SmallVector<mlir::Value> ports; ///< memref<N x element> per port of the kernel
  mlir::Value scratch;                  ///< memref<B x i8>, of this thread
  llvm::SmallVector<mlir::Value> dims;  ///< index, per dim of the kernel
  mlir::Value firstTask;                ///< index
  mlir::Value endTask;                  ///< index

  /// Creates the function beside the kernel, under the same name, with an empty entry block.
  /// `numTasks`: a size over the kernel's dims.
  static HostKernel create(mlir::OpBuilder &builder, zyxk::KernelOp kernel, int64_t numTasks,
                           int64_t scratchBytes);
};

} // namespace zyxc

// Small edits of kernels that transformations share: ports, axes, constants, order of ops.
#pragma once
#include "dialects/zyxk/IR/AxisSets.h"
#include "dialects/zyxk/IR/ZyxkOps.h"

namespace zyxc {

/// Erases ops whose results nobody uses.
void dropUnusedOps(zyxk::KernelOp kernel);
/// Erases ports that no op uses; returns the old numbers of those that stay.
llvm::SmallVector<unsigned> dropUnusedPorts(zyxk::KernelOp kernel);
/// Erases axes that no op uses.
void dropUnusedAxes(zyxk::KernelOp kernel);
/// Orders the body so that each op follows its operands.
void sortBody(zyxk::KernelOp kernel);

/// Appends a dense port whose shape is the extents of `axes`, which must not depend on other axes.
mlir::BlockArgument addPort(zyxk::KernelOp kernel, mlir::Type element, zyxk::PortMode mode,
                            llvm::ArrayRef<unsigned> axes);
/// Appends an axis; `bound` is over (axes)[dims]. Its name is made unique.
unsigned addAxis(zyxk::KernelOp kernel, llvm::StringRef name, mlir::AffineExpr bound);
/// The map of a port that addPort made.
mlir::AffineMap axesMap(zyxk::KernelOp kernel, llvm::ArrayRef<unsigned> axes);
/// Stores a value to a new out port over its own axes, in order; the number of the port.
unsigned addStore(zyxk::KernelOp kernel, mlir::Value value);

/// A constant of a float or integer type.
mlir::Value makeConstant(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type,
                         double value);
/// The number, if the value is a float constant.
std::optional<double> floatConstant(mlir::Value value);
/// The value that changes nothing in a monoid (no arg kind).
mlir::Value makeIdentity(mlir::OpBuilder &builder, mlir::Location loc, zyxk::ReduceKind kind,
                         mlir::Type type);
/// True if `value` is computed from `from`.
bool dependsOn(mlir::Value value, mlir::Value from);
/// The members of a set, rising.
llvm::SmallVector<unsigned> axesOf(zyxk::AxisSet set);
/// The name, or the name with a number that no symbol has.
std::string uniqueSymbol(mlir::Operation *symbolTable, llvm::StringRef name);
/// A copy of a kernel after it, under a new name that no other symbol has.
zyxk::KernelOp copyKernel(zyxk::KernelOp kernel, llvm::StringRef name);

} // namespace zyxc

// Transformations of kernels as functions. None needs a schedule, and none changes what a kernel
// computes beyond the order of a free reduction and the rounding between its steps.
#pragma once
#include "dialects/zyxk/IR/ZyxkOps.h"
#include "llvm/ADT/StringMap.h"

namespace zyxc {

/// Replaces scalar calls by arith and math ops with zyx semantics.
void inlineScalars(zyxk::KernelOp kernel);

/// Replaces loads `oob else(%c)`: guarded by a `where` for coordinates of axes, clamped and
/// selected for coordinates that are values. The size along the latter must be a constant: loads
/// where it is not stay as they are.
void expandOob(zyxk::KernelOp kernel);

/// Replaces sums of a constant over axes of known size: `reduce add %one over [n]` is a count.
void foldCounts(zyxk::KernelOp kernel);

/// What every lowering does first: inlineScalars, expandOob and foldCounts.
void expandForLowering(zyxk::KernelOp kernel);

/// Sizes by the name of a dim.
using DimSizes = llvm::StringMap<int64_t>;

/// Binds the dims that `sizes` names; other names are ignored. Fails with a diagnostic if a size is
/// negative or violates an assumption of the kernel; the kernel is then unchanged.
llvm::LogicalResult specialize(zyxk::KernelOp kernel, const DimSizes &sizes);
/// The same for a program. Its launches run kernels of their own once all of their dims are known.
llvm::LogicalResult specialize(zyxk::ProgramOp program, const DimSizes &sizes);

} // namespace zyxc

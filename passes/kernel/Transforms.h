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

/// Simplifies coordinates and guards, drops axes of extent 1, shares equal ops, drops unused ones.
/// With `portsToo` it also drops axes of extent 1 of ports and merges axes that every access uses
/// as one; ports keep their order and their elements, but launches of the kernel would not fit.
void normalize(zyxk::KernelOp kernel, bool portsToo = true);

/// A maximum and the sums of exponentials less it become one expsum, quotients by its plain sum
/// included. A row of -inf only then gives 0 instead of NaN for its sums. True if something
/// changed.
bool toExpsum(zyxk::KernelOp kernel);
/// The same, but such sums stay NaN, except where the maximum's -inf is taken as 0 in the body, as
/// the legalized form of an expsum does.
bool toExpsumExactly(zyxk::KernelOp kernel);
/// A mean and the sum of squared deviations from it become one welford. True if something changed.
bool toWelford(zyxk::KernelOp kernel);
/// Sums of products become contractions. True if something changed.
bool convToContract(zyxk::KernelOp kernel);
/// Swaps the operands of every contraction: the roles m and n change places.
void swapOperands(zyxk::KernelOp kernel);
/// Masks by the value that a reduction ignores become restrictions of the domain. True if something
/// changed.
bool maskToBounds(zyxk::KernelOp kernel);

/// The values of a body that could have an out port of their own, in order.
llvm::SmallVector<mlir::Value> storableValues(zyxk::KernelOp kernel);

/// Cuts the longest reduction into parts that are computed side by side: replaces the kernel by a
/// program of the same name that runs one kernel for the parts and one that joins them. Fails,
/// without a change, if no reduction can be cut: sizes are not static, the domain is restricted, or
/// only arg kinds, serial orders and scans stand there.
mlir::FailureOr<zyxk::ProgramOp> splitReduction(zyxk::KernelOp kernel, int64_t parts);

/// Computes a value where it is needed: the first scratch port that one launch fills and one other
/// launch reads goes, both become one kernel. False if there is no such pair.
bool fuseProducer(zyxk::ProgramOp program);
/// The first two launches side by side that share an input and do not depend on each other become
/// one. False if there is no such pair.
bool fuseSibling(zyxk::ProgramOp program);

/// Stores an in port in panels of `block` elements along `axis`: replaces the kernel by a program
/// that packs the port to scratch and runs the kernel on it. Fails, without a change, if the port
/// is not an in port of static shape without a layout.
mlir::FailureOr<zyxk::ProgramOp> packPort(zyxk::KernelOp kernel, unsigned port, unsigned axis,
                                          int64_t block);

/// Replaces a 3x3 convolution of stride 1 in f32 with static sizes by a program of Winograd's
/// F(2x2, 3x3): filters and input tiles are transformed, multiplied point by point, transformed
/// back. Errors grow by a small factor. Fails, without a change, if the kernel is something else.
mlir::FailureOr<zyxk::ProgramOp> winograd(zyxk::KernelOp kernel);

/// Sizes by the name of a dim.
using DimSizes = llvm::StringMap<int64_t>;

/// Binds the dims that `sizes` names; other names are ignored. Fails with a diagnostic if a size is
/// negative or violates an assumption of the kernel; the kernel is then unchanged.
llvm::LogicalResult specialize(zyxk::KernelOp kernel, const DimSizes &sizes);
/// The same for a program. Its launches run kernels of their own once all of their dims are known.
llvm::LogicalResult specialize(zyxk::ProgramOp program, const DimSizes &sizes);

} // namespace zyxc

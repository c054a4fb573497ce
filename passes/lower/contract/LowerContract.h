// The contract family on the host: one contraction (matrix product, einsum, convolution) with
// everything before and after it fused. Operands are packed into panels, a register tile runs over
// the summed axes, and the epilogue (bias, scale, activation, residual, several stores) is applied
// to each finished tile while it is in the L1 cache. The structure is that of BLIS (Van Zee and van
// de Geijn, 2015).
#pragma once
#include "dialects/zyxk/IR/ZyxkOps.h"

namespace zyxc {

/// True if lowerContract() handles this kernel: static sizes, exactly one contract op whose result
/// is not reduced again, no restricted domain, plain stores.
bool isLowerableContract(zyxk::KernelOp kernel);

/// True if the rows of such a kernel begin with the first axis, of which it has `extent` points.
bool hasRowsAlongFirstAxis(zyxk::KernelOp kernel, int64_t extent);

/// Replaces a kernel for which isLowerableContract() holds by lowered host functions (see
/// passes/lower/HostFunction.h) in the same place: the kernel, and a packing function for each
/// operand that its schedule calls prepared. `vectorBits` is the width of the target's vectors.
/// With a `rowBlock` hasRowsAlongFirstAxis() holds for it, and the function takes the number of
/// points of that axis which it is to compute, 1 to `rowBlock`, as its last argument.
llvm::LogicalResult lowerContract(zyxk::KernelOp kernel, unsigned vectorBits, int64_t rowBlock = 0);

} // namespace zyxc

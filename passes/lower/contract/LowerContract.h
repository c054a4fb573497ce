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

/// Replaces a kernel for which isLowerableContract() holds by lowered host functions (see
/// passes/lower/HostFunction.h) in the same place: the kernel, and a packing function for each
/// operand that its schedule calls prepared. `vectorBits` is the width of the target's vectors.
llvm::LogicalResult lowerContract(zyxk::KernelOp kernel, unsigned vectorBits);

} // namespace zyxc

// Simplification of affine expressions that knows the ranges of axes: (i * 8 + j) mod 8 is j for
// j < 8.
#pragma once
#include "dialects/zyxk/IR/ZyxkOps.h"

namespace zyxc {

/// `expr` over dims of which dim i runs over [0, extents[i]); dims beyond may be anything.
mlir::AffineExpr simplifyInRange(mlir::AffineExpr expr, llvm::ArrayRef<int64_t> extents,
                                 unsigned numDims, unsigned numSymbols);

/// Simplifies the coordinates, guards and domain of a kernel; guards that always or never hold go.
void simplifyAccesses(zyxk::KernelOp kernel);

} // namespace zyxc

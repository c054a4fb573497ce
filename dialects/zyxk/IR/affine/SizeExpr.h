// Expressions over the dims of a kernel (its symbols) as sizes of runtime/core/Dim.h, in which dim
// i is the variable "d<i>": a canonical form, so that equality and order can be decided for all
// values of the dims.
#pragma once
#include "mlir/IR/AffineExpr.h"
#include "runtime/core/Dim.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>

namespace zyxc::zyxk {

/// The size of a dim of the kernel.
int64_t sizeOfDim(unsigned dim);

/// The size that an expression without axes is; dim::invalid if it has some, or is too large.
int64_t sizeOf(mlir::AffineExpr expr);

/// The expression over symbols that a size over "d<i>" is; null if it has min, max or other
/// variables.
mlir::AffineExpr exprOf(int64_t size, mlir::MLIRContext *context);

/// Smallest and largest value, both included: sizes.
struct SizeRange {
  int64_t least = 0;
  int64_t most = 0;
};

/// A range that holds all values of `expr` when dim i runs over [0, extents[i]), which are sizes.
/// Nothing for other dims, and where none was found.
std::optional<SizeRange> sizeRangeOf(mlir::AffineExpr expr, llvm::ArrayRef<int64_t> extents);

/// 0 <= expr < size is proved for all points of the extents and all values of the dims.
bool isProvedInside(mlir::AffineExpr expr, int64_t size, llvm::ArrayRef<int64_t> extents);
/// expr >= 0, or expr == 0 for `equality`, is.
bool isProved(mlir::AffineExpr expr, bool equality, llvm::ArrayRef<int64_t> extents);

} // namespace zyxc::zyxk

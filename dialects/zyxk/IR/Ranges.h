// Interval arithmetic on affine expressions: what proves that an access stays inside its port.
#pragma once
#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>
#include <utility>

namespace zyxc::zyxk {

/// Smallest and largest value, both included.
using IndexRange = std::pair<int64_t, int64_t>;

/// A range that holds all values of `expr` when dim i runs over [0, extents[i]). Nothing for
/// expressions with symbols or other dims, on overflow, and if an extent is 0.
std::optional<IndexRange> rangeOf(mlir::AffineExpr expr, llvm::ArrayRef<int64_t> extents);

/// True if rangeOf is the exact range of `expr`: linear, and each dim occurs once.
bool hasExactRange(mlir::AffineExpr expr);

} // namespace zyxc::zyxk

// Whether an affine expression has another value at each point of a box: what a layout must be for
// a port that is written.
#pragma once
#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>

namespace zyxc::zyxk {

/// True if `expr` over dims, where dim i runs over [0, extents[i]), has no value twice; false if it
/// has. Quotients and remainders of single dims (blocked layouts) are split into digits, whose
/// strides are searched for a difference of zero; up to 2^20 points are tried one by one. Nothing
/// if neither decides.
std::optional<bool> isInjective(mlir::AffineExpr expr, llvm::ArrayRef<int64_t> extents);

} // namespace zyxc::zyxk

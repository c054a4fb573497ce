// Affine expressions whose size and numbers stay small: MLIR's simplification writes `e mod c` as
// `e - c * (e floordiv c)`, which doubles e each time, and multiplies coefficients unchecked.
#pragma once
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include <cstdint>

namespace zyxc::zyxk {

/// Largest sum of coefficients and constants, times the factors around them, that an expression may
/// have: sums and differences of two such numbers fit into 64 bits.
inline constexpr int64_t mostMagnitude = int64_t(1) << 61;

/// A bound of the coefficients and constants in `expr`, and of what simplification makes of them;
/// more than mostMagnitude if it may leave 64 bits.
int64_t magnitudeOf(mlir::AffineExpr expr);

/// Parentheses nested in the text of `expr`.
unsigned nestingOf(mlir::AffineExpr expr);

/// mlir::simplifyAffineExpr where the result is known to be small and exact, else `expr`. Divisors
/// that are 0, as dims of a kernel without points are, give 0.
mlir::AffineExpr simplifyExpr(mlir::AffineExpr expr, unsigned numDims, unsigned numSymbols);
/// All results of `map`.
mlir::AffineMap simplifyExprs(mlir::AffineMap map);

} // namespace zyxc::zyxk

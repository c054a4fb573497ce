// Cheaper exponentials and quotients on an NVIDIA GPU, where what becomes of them is rounded to 16
// bits anyway.
#pragma once
#include "mlir/IR/PatternMatch.h"

namespace zyxc {

/// Intrinsics of f32 that the approximations look for, too: x / y within 2 ulp over the full range
/// (PTX ISA, div), and 2^x.
inline constexpr llvm::StringLiteral fullRangeDiv = "llvm.nvvm.div.full";
inline constexpr llvm::StringLiteral powerOf2 = "llvm.nvvm.ex2.approx.ftz.f32";

/// True if every element is at least 1 (or NaN): a constant of at least 1 plus what is never
/// negative, as in the divisors of sigmoids.
bool isAtLeastOne(mlir::Value value);

/// Adds patterns for f32 values (scalars and vectors) of which nothing but results of 16 bits
/// remains:
/// - exp(x) is 2^(x * log2 e) as one instruction (`fastmath<afn>` marks it), and the factor goes
///   into a constant of x, if x is a product with one;
/// - x / y for a y that is never below 1 is x * (1 / y). Quotients below |x| * 2^-126 become 0.
/// Relative errors: x * 2^-24 and 2^-22.
void populateApproximationPatterns(mlir::RewritePatternSet &patterns);

} // namespace zyxc

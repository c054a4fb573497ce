// The patterns of MathExpand.h, family by family. Coefficients come from tools/dev/fit-polynomials,
// which prints them by the names that stand beside them; accuracies are in docs/semantics.md.
#pragma once
#include "mlir/IR/PatternMatch.h"

namespace zyxc {

/// ln 2 in two parts: products of the first one with an integer below 2^15 are exact.
inline constexpr float ln2High = 0.693359375F, ln2Low = -2.12194440e-4F;
inline constexpr float log2e = 0x1.715476p+0F;

/// exp, expm1 and tanh (Exponential.cpp).
void populateExponentialPatterns(mlir::RewritePatternSet &set, unsigned vectorBits);
/// log, log2 and log1p (Logarithm.cpp).
void populateLogarithmPatterns(mlir::RewritePatternSet &set);
/// erf (ErrorFunction.cpp).
void populateErrorFunctionPatterns(mlir::RewritePatternSet &set);
/// expm1 in f64 (Expm1Double.cpp).
void populateExpm1DoublePatterns(mlir::RewritePatternSet &set);

} // namespace zyxc

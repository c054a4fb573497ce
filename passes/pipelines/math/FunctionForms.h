// Forms of functions of f32 that cost less, or lose fewer digits, before they become arithmetic.
#pragma once
#include "mlir/IR/PatternMatch.h"

namespace zyxc {

/// Patterns for f32 scalars and vectors, with other roundings but the same special values:
/// - 1 + tanh(z) is 2 / (1 + e^(-2 z)): no cancellation near -1, and no tanh;
/// - e^(c x), where it is added to a constant of at least 1, is 2^(c log2(e) x);
/// - x + k x^3 is x (1 + k x^2), for k > 0;
/// - products with constants go into a constant that a factor has already, and into the dividend of
///   a constant quotient: (c1 x) * (c2 / y) is (c1 c2 x) / y.
/// So both ways to write GELU with tanh become x / (1 + 2^(x (a + b x^2))).
void populateFunctionFormPatterns(mlir::RewritePatternSet &set);

} // namespace zyxc

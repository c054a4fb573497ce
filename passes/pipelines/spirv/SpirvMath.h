// Math functions of f32 for SPIR-V. GLSL.std.450 promises little of them (sin and cos: 2^-11, atan
// and asin: 4096 ulp, pow: none for negative bases), so they are computed here.
#pragma once
#include "mlir/IR/PatternMatch.h"

namespace zyxc {

/// Patterns for exp2, sin, cos, tan, asin, acos, atan, sinh, cosh, asinh, acosh, atanh and, if
/// `hasDouble`, pow, on f32 scalars and vectors. They make exp, expm1, log and log1p, which
/// populateMathExpandPatterns takes on. With f64, sin, cos and tan reduce their argument in it and
/// are right up to 10^9; without, up to 10^4.
void populateSpirvMathPatterns(mlir::RewritePatternSet &set, bool hasDouble);

/// True if SPIR-V computes a function of f32 exactly or within 4 ulp.
bool hasExactSpirvForm(mlir::Operation *op);

} // namespace zyxc

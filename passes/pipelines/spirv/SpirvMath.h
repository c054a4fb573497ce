// Math functions of f32 for SPIR-V. GLSL.std.450 promises little of them (sin and cos: 2^-11, atan
// and asin: 4096 ulp, pow: none for negative bases), so they are computed here.
#pragma once
#include "mlir/IR/PatternMatch.h"

namespace zyxc {

/// Marks an exp2 or a quotient that is left to the device, which has an instruction.
inline constexpr llvm::StringLiteral nativeAttrName = "zyxc.native";

/// Patterns for exp2, sin, cos, tan, asin, acos, atan, sinh, cosh, asinh, acosh, atanh and, if
/// `hasDouble`, pow, on f32 scalars and vectors. They make exp, expm1, log and log1p, which
/// populateMathExpandPatterns takes on. With f64, sin, cos and tan reduce their argument in it and
/// are right up to 10^9; without, up to 10^4.
void populateSpirvMathPatterns(mlir::RewritePatternSet &set, bool hasDouble);

/// True if SPIR-V computes a function of f32 exactly or within 4 ulp.
bool hasExactSpirvForm(mlir::Operation *op);

/// Adds patterns for arithmetic that has no SPIR-V form, or one that drivers get wrong: signed
/// quotients and remainders, f32 division, trunc, i1 as a number.
void populateSpirvArithmeticPatterns(mlir::RewritePatternSet &set);

} // namespace zyxc

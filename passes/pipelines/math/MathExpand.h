// Math functions as arithmetic, the same on every target, so that targets agree on their values.
#pragma once
#include "mlir/IR/PatternMatch.h"

namespace zyxc {

/// Patterns that rewrite exp, expm1, log, log2, log1p, tanh and erf on f32 scalars and vectors to
/// arithmetic within 2 ulp, right for every special value, and expm1 on f64 to exp and log.
/// `vectorBits`: of an x86 processor, 256 with AVX2 and 512 with AVX-512, whose instructions some
/// vectors of that width use; their results may differ in the last place.
void populateMathExpandPatterns(mlir::RewritePatternSet &set, unsigned vectorBits = 0);

/// 2^x in f32, for targets without an instruction for it; `vectorBits` as above.
void populateExp2Patterns(mlir::RewritePatternSet &set, unsigned vectorBits);

} // namespace zyxc

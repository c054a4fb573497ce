// Math functions as arithmetic, the same on every target, so that targets agree on their values.
#pragma once
#include "mlir/IR/PatternMatch.h"

namespace zyxc {

/// Patterns that rewrite exp, expm1, log, log2, log1p, tanh and erf on f32 scalars and vectors to
/// arithmetic within 2 ulp, right for every special value, and expm1 on f64 to exp and log.
/// `avx512`: vectors of 16 f32 use its instructions, and may differ in the last place.
void populateMathExpandPatterns(mlir::RewritePatternSet &set, bool avx512 = false);

/// 2^x in f32, for targets without an instruction for it; `avx512` as above.
void populateExp2Pattern(mlir::RewritePatternSet &set, bool avx512);

} // namespace zyxc

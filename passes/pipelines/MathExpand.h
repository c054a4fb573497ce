// Math functions as arithmetic, the same on every target, so that targets agree on their values.
#pragma once
#include "mlir/IR/PatternMatch.h"

namespace zyxc {

/// Patterns that rewrite exp, expm1, log, log2, log1p, tanh and erf on f32 scalars and vectors to
/// polynomials within 5 ulp, right for every special value, and expm1 on f64 to exp and log.
/// `scalef`: vectors of 16 f32 are scaled by AVX-512's instruction, with the same results.
void populateMathExpandPatterns(mlir::RewritePatternSet &set, bool scalef = false);

/// 2^x in f32, for targets without an instruction for it; `scalef` as above.
void populateExp2Pattern(mlir::RewritePatternSet &set, bool scalef);

} // namespace zyxc

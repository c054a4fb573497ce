// The one place where products and sums become fused multiply-adds: back ends form none, so that
// all targets that have the instruction round alike.
#pragma once
#include "mlir/IR/PatternMatch.h"

namespace zyxc {

/// Patterns that rewrite x * y + z, x * y - z and z - x * y to math.fma, on f32 and f64 scalars and
/// vectors, where nothing else uses the product.
void populateFormFmaPatterns(mlir::RewritePatternSet &set);

} // namespace zyxc

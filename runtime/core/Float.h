// Conversion between the narrow float formats and f32/f64, by bits, rounding to nearest even.
#pragma once
#include "runtime/core/DType.h"
#include <cstdint>

namespace zyxc {

/// The value of `bits`, an element of a float dtype (its low byteSize(dtype) bytes), as f64. Exact.
double floatFromBits(DType dtype, uint64_t bits);

/// `value` rounded to nearest, ties to even, in a float dtype; the element's bits.
/// Overflow gives infinity, except f8E4M3FN, which has none: it gives NaN. NaN stays NaN with its
/// sign; denormals are kept. f4E2M1FN has neither: overflow gives 6 with its sign, and NaN -0.0, as
/// in ml_dtypes.
uint64_t floatToBits(DType dtype, double value);

} // namespace zyxc

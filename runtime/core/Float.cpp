#include "runtime/core/Float.h"
#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>

namespace zyxc {

namespace {
/// A binary interchange format with `exponent` exponent bits and `mantissa` stored bits.
/// finiteOnly: no infinity, one NaN (all ones), as f8E4M3FN.
struct FloatFormat {
  int exponent;
  int mantissa;
  bool finiteOnly;
};
} // namespace

static FloatFormat formatOf(DType dtype) {
  switch (dtype) {
  case DType::F16: return {5, 10, false};
  case DType::BF16: return {8, 7, false};
  case DType::F8E4M3FN: return {4, 3, true};
  case DType::F8E5M2: return {5, 2, false};
  default: assert(false && "not a narrow float dtype"); return {8, 23, false};
  }
}

double floatFromBits(DType dtype, uint64_t bits) {
  if (dtype == DType::F32) {
    return std::bit_cast<float>(static_cast<uint32_t>(bits));
  }
  if (dtype == DType::F64) {
    return std::bit_cast<double>(bits);
  }
  FloatFormat format = formatOf(dtype);
  int bias = (1 << (format.exponent - 1)) - 1;
  uint64_t mantissa = bits & ((1ull << format.mantissa) - 1);
  int exponent = static_cast<int>((bits >> format.mantissa) & ((1ull << format.exponent) - 1));
  bool negative = (bits >> (format.mantissa + format.exponent)) & 1;
  int top = (1 << format.exponent) - 1;
  double magnitude;
  if (format.finiteOnly && exponent == top && mantissa == (1ull << format.mantissa) - 1) {
    magnitude = NAN;
  } else if (!format.finiteOnly && exponent == top) {
    magnitude = mantissa ? NAN : INFINITY;
  } else if (exponent == 0) {
    magnitude = std::ldexp(static_cast<double>(mantissa), 1 - bias - format.mantissa);
  } else {
    magnitude = std::ldexp(static_cast<double>(mantissa + (1ull << format.mantissa)),
                           exponent - bias - format.mantissa);
  }
  return std::copysign(magnitude, negative ? -1.0 : 1.0);
}

uint64_t floatToBits(DType dtype, double value) {
  if (dtype == DType::F64) {
    return std::bit_cast<uint64_t>(value);
  }
  if (dtype == DType::F32) {
    return std::bit_cast<uint32_t>(static_cast<float>(value));
  }
  FloatFormat format = formatOf(dtype);
  int bias = (1 << (format.exponent - 1)) - 1;
  uint64_t top = (1ull << format.exponent) - 1;
  uint64_t allOnes = (1ull << format.mantissa) - 1;
  uint64_t sign = std::signbit(value) ? 1ull << (format.exponent + format.mantissa) : 0;
  uint64_t infinity = format.finiteOnly ? (top << format.mantissa | allOnes) : top << format.mantissa;
  uint64_t quietNan = format.finiteOnly ? infinity : infinity | 1ull << (format.mantissa - 1);
  if (std::isnan(value)) {
    return sign | quietNan;
  }
  double magnitude = std::fabs(value);
  if (magnitude == 0) {
    return sign;
  }
  if (std::isinf(magnitude)) {
    return sign | infinity;
  }
  int exponent = std::ilogb(magnitude);
  int unit = std::max(exponent, 1 - bias) - format.mantissa; // weight of the last stored bit
  double scaled = std::ldexp(magnitude, -unit);              // exact: only the exponent changes
  double rounded = std::nearbyint(scaled);                   // ties to even in the default mode
  auto digits = static_cast<uint64_t>(rounded);
  // digits counts units of 2^unit; adding it to the biased exponent carries by itself.
  uint64_t encoded = exponent < 1 - bias
                         ? digits
                         : (static_cast<uint64_t>(unit + format.mantissa + bias - 1)
                            << format.mantissa) + digits;
  return sign | (encoded >= infinity ? infinity : encoded);
}

} // namespace zyxc

#include "runtime/core/Float.h"
#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>

namespace zyxc {

namespace {
/// A binary interchange format with `exponent` exponent bits and `mantissa` stored bits.
/// finiteOnly: no infinity, one NaN (all ones), as f8E4M3FN. noNaN: none either, as f4E2M1FN.
struct FloatFormat {
  int exponent;
  int mantissa;
  bool finiteOnly;
  bool noNaN = false;
};
} // namespace

static constexpr int doubleMantissa = 52;
static constexpr int doubleBias = 1023;

static FloatFormat formatOf(DType dtype) {
  switch (dtype) {
  case DType::F16: return {5, 10, false};
  case DType::BF16: return {8, 7, false};
  case DType::F8E4M3FN: return {4, 3, true};
  case DType::F8E5M2: return {5, 2, false};
  case DType::F4E2M1FN: return {2, 1, true, true};
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
  uint64_t allOnes = (1ull << format.mantissa) - 1;
  uint64_t top = (1ull << format.exponent) - 1;
  uint64_t mantissa = bits & allOnes;
  uint64_t exponent = (bits >> format.mantissa) & top;
  bool negative = ((bits >> (format.mantissa + format.exponent)) & 1) != 0;
  double magnitude;
  if (exponent == top && format.finiteOnly && !format.noNaN && mantissa == allOnes) {
    magnitude = NAN;
  } else if (exponent == top && !format.finiteOnly) {
    magnitude = mantissa != 0 ? NAN : INFINITY;
  } else if (exponent == 0) {
    magnitude = std::ldexp(static_cast<double>(mantissa), 1 - bias - format.mantissa);
  } else {
    magnitude = std::bit_cast<double>((exponent + doubleBias - bias) << doubleMantissa |
                                      mantissa << (doubleMantissa - format.mantissa));
  }
  return negative ? -magnitude : magnitude;
}

uint64_t floatToBits(DType dtype, double value) {
  auto bits = std::bit_cast<uint64_t>(value);
  if (dtype == DType::F64) {
    return bits;
  }
  if (dtype == DType::F32) {
    return std::bit_cast<uint32_t>(static_cast<float>(value));
  }
  FloatFormat format = formatOf(dtype);
  int bias = (1 << (format.exponent - 1)) - 1;
  uint64_t top = (1ull << format.exponent) - 1;
  uint64_t allOnes = (1ull << format.mantissa) - 1;
  uint64_t sign = bits >> 63 << (format.exponent + format.mantissa);
  uint64_t infinity = top << format.mantissa | (format.finiteOnly ? allOnes : 0);
  if (std::isnan(value) && format.noNaN) {
    return 1ull << (format.exponent + format.mantissa);
  }
  if (std::isnan(value)) {
    return sign | (format.finiteOnly ? infinity : infinity | 1ull << (format.mantissa - 1));
  }
  if (std::isinf(value)) {
    return sign | infinity;
  }
  int exponent = static_cast<int>(bits >> doubleMantissa & 0x7ff) - doubleBias;
  uint64_t significand = (bits & ((1ull << doubleMantissa) - 1)) | 1ull << doubleMantissa;
  // Below the smallest normal number the weight of the last stored bit stays where it is.
  int denormal = std::max(1 - bias - exponent, 0);
  int dropped = doubleMantissa - format.mantissa + denormal;
  if (dropped > doubleMantissa + 1) {
    return sign; // below half of the smallest denormal; f64 denormals and zero too
  }
  uint64_t digits = significand >> dropped;
  uint64_t rest = significand & ((1ull << dropped) - 1);
  uint64_t half = 1ull << (dropped - 1);
  digits += static_cast<uint64_t>(rest > half || (rest == half && (digits & 1) != 0));
  // The leading one of a normal number, and a carry out of the digits, add to the exponent.
  uint64_t encoded = denormal > 0
                         ? digits
                         : (static_cast<uint64_t>(exponent + bias - 1) << format.mantissa) + digits;
  return sign | (encoded >= infinity ? infinity : encoded);
}

} // namespace zyxc

// Distances between floats in units of the last place.
#pragma once
#include <algorithm>
#include <cmath>

namespace zyxc::test {

/// The distance in units of the last place of `expected` in f32, below the normal numbers of the
/// smallest one above zero; 0 for the nearest float. Infinity counts as 2^128, and is far from NaN.
inline double ulps(float got, double expected) {
  if (std::isnan(expected) || std::isnan(got)) {
    return std::isnan(expected) && std::isnan(got) ? 0 : INFINITY;
  }
  if (got == static_cast<float>(expected)) {
    return 0;
  }
  constexpr double beyond = 0x1p128;
  double limited = std::clamp(expected, -beyond, beyond);
  double reached = std::clamp<double>(got, -beyond, beyond);
  int exponent = 0;
  std::frexp(limited, &exponent);
  return std::abs(reached - limited) / std::ldexp(1.0, std::clamp(exponent, -125, 128) - 24);
}

} // namespace zyxc::test

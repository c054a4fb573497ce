#include "tools/zyxc/compare/Compare.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace zyxc::tool {

/// The median magnitude of the finite elements that are not 0; 0 if there are none.
static double medianMagnitude(const Tensor &tensor) {
  std::vector<double> sizes;
  for (int64_t i = 0; i < tensor.numElements(); ++i) {
    double size = std::fabs(tensor.asDouble(i));
    if (std::isfinite(size) && size > 0) {
      sizes.push_back(size);
    }
  }
  if (sizes.empty()) {
    return 0;
  }
  auto middle = sizes.begin() + static_cast<ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  return *middle;
}

/// The tolerance of `tight` for a tensor of floats.
static Tolerance tightFor(const Tensor &expected) {
  double twoUlps = std::ldexp(2.0, -info(expected.dtype()).mantissaBits);
  return {std::max(1e-5, twoUlps), std::max(1e-6, twoUlps) * medianMagnitude(expected)};
}

ElementDifference compareTensors(const Tensor &actual, const Tensor &expected,
                                 const Tolerance &tolerance) {
  if (actual.type() != expected.type()) {
    ElementDifference result;
    result.mismatches = -1;
    result.text =
        fmt::format("has type {}, expected {}", toString(actual.type()), toString(expected.type()));
    return result;
  }
  if (tolerance.tight && isFloat(expected.dtype())) {
    return compareTensors(actual, expected, tightFor(expected));
  }
  double absolute = tolerance.absolute >= 0   ? tolerance.absolute
                    : isFloat(actual.dtype()) ? tolerance.relative * rootMeanSquare(expected)
                                              : 0;
  return compareElements(actual, expected, [&](int64_t, double b) {
    return absolute + tolerance.relative * std::fabs(b);
  });
}

} // namespace zyxc::tool

#include "tools/zyxc/compare/Compare.h"
#include <cmath>
#include <fmt/format.h>

namespace zyxc::tool {

ElementDifference compareTensors(const Tensor &actual, const Tensor &expected,
                                 const Tolerance &tolerance) {
  if (actual.type() != expected.type()) {
    ElementDifference result;
    result.mismatches = -1;
    result.text =
        fmt::format("has type {}, expected {}", toString(actual.type()), toString(expected.type()));
    return result;
  }
  double absolute = tolerance.absolute >= 0   ? tolerance.absolute
                    : isFloat(actual.dtype()) ? tolerance.relative * rootMeanSquare(expected)
                                              : 0;
  return compareElements(actual, expected, [&](int64_t, double b) {
    return absolute + tolerance.relative * std::fabs(b);
  });
}

} // namespace zyxc::tool

#include "tools/zyxc/Compare.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace zyxc::tool {

static double rootMeanSquare(const Tensor &tensor) {
  double sum = 0;
  int64_t finite = 0;
  for (int64_t i = 0; i < tensor.numElements(); ++i) {
    double value = tensor.asDouble(i);
    if (std::isfinite(value)) {
      sum += value * value;
      ++finite;
    }
  }
  return finite ? std::sqrt(sum / static_cast<double>(finite)) : 0;
}

static std::string coordinates(const Shape &shape, int64_t index) {
  std::vector<int64_t> at(shape.size());
  for (size_t i = shape.size(); i-- > 0;) {
    at[i] = index % shape[i];
    index /= shape[i];
  }
  return fmt::format("[{}]", fmt::join(at, ","));
}

Comparison compareTensors(const Tensor &actual, const Tensor &expected,
                          const Tolerance &tolerance) {
  Comparison result;
  if (actual.type() != expected.type()) {
    result.mismatches = -1;
    result.text =
        fmt::format("has type {}, expected {}", toString(actual.type()), toString(expected.type()));
    return result;
  }
  bool exact = !isFloat(actual.dtype());
  double absolute = tolerance.absolute >= 0 || exact
                        ? std::max(tolerance.absolute, 0.0)
                        : tolerance.relative * rootMeanSquare(expected);
  for (int64_t i = 0; i < actual.numElements(); ++i) {
    bool same;
    double error = 0;
    if (exact) {
      same = actual.asInt(i) == expected.asInt(i);
      error = std::fabs(actual.asDouble(i) - expected.asDouble(i));
    } else {
      double a = actual.asDouble(i);
      double b = expected.asDouble(i);
      same = a == b || (std::isnan(a) && std::isnan(b));
      if (!same) {
        error = std::fabs(a - b);
        same = std::isfinite(b) && error <= absolute + tolerance.relative * std::fabs(b);
      }
    }
    result.maxError = std::max(result.maxError, error);
    if (!same) {
      result.first = result.first < 0 ? i : result.first;
      ++result.mismatches;
    }
  }
  if (result.mismatches) {
    result.text = fmt::format("differs in {} of {} elements; first at {}: {:.9g}, expected {:.9g}",
                              result.mismatches, actual.numElements(),
                              coordinates(actual.shape(), result.first),
                              actual.asDouble(result.first), expected.asDouble(result.first));
  }
  return result;
}

} // namespace zyxc::tool

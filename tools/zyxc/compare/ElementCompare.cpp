#include "tools/zyxc/compare/ElementCompare.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace zyxc::tool {

double rootMeanSquare(const Tensor &tensor) {
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

/// "[1, 0, 3]".
static std::string coordinates(const Shape &shape, int64_t index) {
  std::vector<int64_t> at(shape.size());
  for (size_t i = shape.size(); i-- > 0;) {
    at[i] = index % shape[i];
    index /= shape[i];
  }
  return fmt::format("[{}]", fmt::join(at, ", "));
}

static std::string element(const Tensor &tensor, int64_t index) {
  return isFloat(tensor.dtype()) ? fmt::format("{:.9g}", tensor.asDouble(index))
                                 : std::to_string(tensor.asInt(index));
}

ElementDifference compareElements(const Tensor &actual, const Tensor &expected,
                                  const std::function<double(int64_t, double)> &allowed) {
  ElementDifference result;
  bool exact = !isFloat(expected.dtype());
  for (int64_t i = 0; i < expected.numElements(); ++i) {
    double a = actual.asDouble(i);
    double b = expected.asDouble(i);
    bool same =
        exact ? actual.asInt(i) == expected.asInt(i) : a == b || (std::isnan(a) && std::isnan(b));
    if (same) {
      continue;
    }
    double error = std::abs(a - b);
    if (!exact) {
      double limit = allowed(i, b);
      double share = error / limit;
      same = std::isfinite(b) && error <= limit;
      result.ofAllowed = std::max(result.ofAllowed, std::isnan(share) ? HUGE_VAL : share);
    }
    result.largest = std::max(result.largest, error);
    if (!same) {
      result.first = result.first < 0 ? i : result.first;
      ++result.mismatches;
    }
  }
  if (result.mismatches) {
    result.text =
        fmt::format("differs in {} of {} elements; first at {}: {}, expected {}", result.mismatches,
                    expected.numElements(), coordinates(expected.shape(), result.first),
                    element(actual, result.first), element(expected, result.first));
  }
  return result;
}

} // namespace zyxc::tool

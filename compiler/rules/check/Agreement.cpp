#include "compiler/rules/check/Agreement.h"
#include "runtime/core/Float.h"
#include <algorithm>
#include <cmath>

namespace zyxc::rules {

double largestFinite(const Tensor &tensor) {
  double largest = 0;
  for (int64_t i = 0; isFloat(tensor.dtype()) && i < tensor.numElements(); ++i) {
    double size = std::abs(tensor.asDouble(i));
    largest = std::isfinite(size) ? std::max(largest, size) : largest;
  }
  return largest;
}

namespace {

bool sameElement(const Tensor &a, const Tensor &b, int64_t i) {
  size_t bytes = byteSize(a.dtype());
  return std::equal(a.data() + i * bytes, a.data() + (i + 1) * bytes, b.data() + i * bytes);
}

/// Where the numbers of a float dtype end.
struct FloatRange {
  double smallest; ///< above zero
  double largest;  ///< finite

  explicit FloatRange(DType dtype)
      : smallest(floatFromBits(dtype, 1)),
        largest(dtype == DType::F8E4M3FN ? 448
                                         : floatFromBits(dtype, floatToBits(dtype, INFINITY) - 1)) {
  }
};

/// Compares elements of two results as a level wants it.
class Comparison {
public:
  Comparison(const Tensor &a, const Tensor &b, const Agreement &allowed)
      : a(a), b(b), level(allowed.level), isFloating(isFloat(a.dtype())) {
    if (isFloating) {
      range = FloatRange(a.dtype());
      unit = std::ldexp(1.0, -info(a.dtype()).mantissaBits);
      scale = std::max({4.0, allowed.scale, largestFinite(a), largestFinite(b)});
    }
  }

  bool agree(int64_t i) const {
    if (sameElement(a, b, i)) {
      return true;
    }
    double x = a.asDouble(i);
    double y = b.asDouble(i);
    if (isFloating && std::isnan(x) && std::isnan(y)) {
      return true;
    }
    return isFloating && level != Numerics::Exact && isClose(x, y);
  }

private:
  bool isClose(double x, double y) const {
    if (level != Numerics::Approx && !(std::isfinite(x) && std::isfinite(y))) {
      return true;
    }
    if (std::isfinite(x) != std::isfinite(y)) {
      // One side was rounded to the largest number, the other one beyond it.
      double finite = std::isfinite(x) ? x : y;
      double other = std::isfinite(x) ? y : x;
      bool overflows = std::isinf(other) ? std::signbit(other) == std::signbit(finite)
                                         : a.dtype() == DType::F8E4M3FN;
      return overflows && std::abs(finite) >= range.largest * (1 - 4 * unit);
    }
    if (!std::isfinite(x)) {
      return false; // equal ones were met before
    }
    double tolerance = level == Numerics::Approx ? 4 * unit * std::max(std::abs(x), std::abs(y))
                                                 : 64 * unit * scale;
    // Denormals have no more digits than this.
    return std::abs(x - y) <= tolerance + 4 * range.smallest;
  }

  const Tensor &a;
  const Tensor &b;
  Numerics level;
  bool isFloating;
  FloatRange range{DType::F64};
  double unit = 0;
  double scale = 0;
};

} // namespace

int64_t firstDifference(const Tensor &a, const Tensor &b, const Agreement &allowed) {
  Comparison comparison(a, b, allowed);
  for (int64_t i = 0; i < a.numElements(); ++i) {
    if (!comparison.agree(i)) {
      return i;
    }
  }
  return -1;
}

bool areComparable(const Tensor &a, const Tensor &b, Numerics level) {
  bool takesAll = !isFloat(a.dtype()) || level == Numerics::Exact || level == Numerics::Approx;
  for (int64_t i = 0; !takesAll && i < a.numElements(); ++i) {
    takesAll = std::isfinite(a.asDouble(i)) && std::isfinite(b.asDouble(i));
  }
  return takesAll;
}

} // namespace zyxc::rules

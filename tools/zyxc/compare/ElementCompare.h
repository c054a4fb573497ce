// Comparing a tensor with an expected one, element by element: what `run --expect`, `verify` and
// `kernel check` share. Each says by itself what an element may differ by.
#pragma once
#include "runtime/core/Tensor.h"
#include <functional>
#include <string>

namespace zyxc::tool {

/// Root mean square of the finite elements; 0 if there are none.
double rootMeanSquare(const Tensor &tensor);

struct ElementDifference {
  int64_t mismatches = 0;
  int64_t first = -1;   ///< row-major index of the first element that differs
  double largest = 0;   ///< difference of two elements
  double ofAllowed = 0; ///< largest difference as a share of what is allowed there
  /// "" when all agree, else one line with the count and the first pair of values.
  std::string text;
};

/// Elements agree when they are equal, both NaN, or both the same infinity; floats also when the
/// expected one is finite and they are `allowed(index, expected)` apart or less. Both tensors have
/// the same type.
ElementDifference compareElements(const Tensor &actual, const Tensor &expected,
                                  const std::function<double(int64_t, double)> &allowed);

} // namespace zyxc::tool

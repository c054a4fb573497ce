// Comparing a computed tensor with an expected one.
#pragma once
#include "runtime/core/Tensor.h"

namespace zyxc::tool {

/// How far elements may be apart.
struct Tolerance {
  double relative = 1e-3;
  double absolute = -1; ///< negative: relative times the root mean square of the expected tensor
};

/// Difference of two tensors. Elements agree when |a - b| <= absolute + relative * |b|, when both
/// are NaN, or both the same infinity; integers and bools must be equal.
struct Comparison {
  int64_t mismatches = 0;
  int64_t first = -1; ///< row-major index of the first element that differs
  double maxError = 0;
  /// "" when they agree, else one line with the count and the first pair of values.
  std::string text;
};

/// Types must be equal, or the text says how they differ and mismatches is -1.
Comparison compareTensors(const Tensor &actual, const Tensor &expected, const Tolerance &tolerance);

} // namespace zyxc::tool

// Comparing a computed tensor with an expected one.
#pragma once
#include "tools/zyxc/compare/ElementCompare.h"

namespace zyxc::tool {

/// How far elements may be apart.
struct Tolerance {
  double relative = 1e-3;
  double absolute = -1; ///< negative: relative times the root mean square of the expected tensor
  /// Neither of them: relative is 1e-5, absolute 1e-6 of the median magnitude of the expected
  /// elements that are not 0, which a few large ones do not raise; narrow floats are allowed two
  /// units in the last place of both.
  bool tight = false;
};

/// Elements agree when |a - b| <= absolute + relative * |b|, when both are NaN, or both the same
/// infinity; integers and bools must be equal. Types must be equal, or the text says how they
/// differ and mismatches is -1.
ElementDifference compareTensors(const Tensor &actual, const Tensor &expected,
                                 const Tolerance &tolerance);

} // namespace zyxc::tool

// Whether two results are one, as a numerics level says.
#pragma once
#include "compiler/rules/Rule.h"

namespace zyxc::rules {

/// What two results may differ by.
struct Agreement {
  Numerics level = Numerics::Exact;
  /// The largest finite number of all that was computed on the way, or less.
  double scale = 0;
};

/// The largest finite number of a float tensor, without its sign; 0 for other dtypes.
double largestFinite(const Tensor &tensor);

/// The first element in which two results of one type differ more than is allowed, or -1. Integers
/// must be equal. Floats agree
/// - at `exact` bit for bit, any NaN for NaN;
/// - at `approx` within 4 units in the last place, where one may also be rounded beyond the largest
///   number of the dtype and the other not;
/// - at `reorder` and `algebra` within 64 units of the scale or of the largest element, or where
///   one side is no finite number: other orders may overflow, and algebra is about real numbers.
int64_t firstDifference(const Tensor &a, const Tensor &b, const Agreement &allowed);

/// False if no element tells anything: at `reorder` and `algebra` all have a side that is no finite
/// number.
bool areComparable(const Tensor &a, const Tensor &b, Numerics level);

} // namespace zyxc::rules

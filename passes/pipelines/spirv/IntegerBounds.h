// Bounds of integers in code for a GPU, from constants, clamps and the sizes of a launch.
#pragma once
#include "mlir/IR/Value.h"
#include <cstdint>

namespace zyxc {

/// Numbers from `least` to `most`, read as signed.
struct IntegerBounds {
  int64_t least = INT64_MIN;
  int64_t most = INT64_MAX;

  bool within(int64_t low, int64_t high) const { return low <= least && most <= high; }
};

/// Bounds of an integer, an index or all elements of a vector; the widest ones where nothing is
/// known. Looks at a bounded number of operations.
IntegerBounds boundsOf(mlir::Value value);

} // namespace zyxc

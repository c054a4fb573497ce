// Shapes: a list of dim sizes, row-major. Rank 0 is a scalar. Types of values in a graph may have
// symbolic sizes (runtime/core/Dim.h); tensors in memory have numbers.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace zyxc {

using Shape = std::vector<int64_t>;

/// Number of elements, or nothing when the product exceeds 2^58 (so that a byte count never
/// overflows) or a dim is negative. Symbolic if a dim is.
std::optional<int64_t> checkedNumElements(std::span<const int64_t> shape);

/// Number of elements of a shape that was checked before.
int64_t numElements(std::span<const int64_t> shape);

/// Row-major strides, in elements.
Shape rowMajorStrides(std::span<const int64_t> shape);

/// "2x3x4", "(N + 1)x4"; "scalar" for rank 0.
std::string toString(std::span<const int64_t> shape);

} // namespace zyxc

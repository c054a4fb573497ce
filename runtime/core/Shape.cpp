#include "runtime/core/Shape.h"
#include "runtime/core/Dim.h"
#include <cassert>

namespace zyxc {

/// The product of sizes of which some are symbolic.
static std::optional<int64_t> symbolicProduct(std::span<const int64_t> shape) {
  int64_t count = 1;
  bool empty = false;
  for (int64_t size : shape) {
    if (size < 0 || !dim::isValid(size)) {
      return std::nullopt;
    }
    empty |= size == 0;
    count = size == 0 ? count : dim::mul(count, size);
    if (count == dim::invalid) {
      return std::nullopt;
    }
  }
  return empty ? 0 : count;
}

std::optional<int64_t> checkedNumElements(std::span<const int64_t> shape) {
  int64_t count = 1;
  bool empty = false;
  for (int64_t size : shape) {
    if (size > dim::limit) {
      return symbolicProduct(shape);
    }
    if (size < 0) {
      return std::nullopt;
    }
    if (size == 0) {
      empty = true;
    } else if (__builtin_mul_overflow(count, size, &count) || count > dim::limit) {
      return std::nullopt;
    }
  }
  return empty ? 0 : count;
}

int64_t numElements(std::span<const int64_t> shape) {
  std::optional<int64_t> count = checkedNumElements(shape);
  assert(count && "the shape was checked when it was made");
  return *count;
}

Shape rowMajorStrides(std::span<const int64_t> shape) {
  Shape strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) {
    strides[i - 1] = dim::mul(strides[i], shape[i]);
  }
  return strides;
}

std::string toString(std::span<const int64_t> shape) {
  if (shape.empty()) {
    return "scalar";
  }
  std::string text;
  for (int64_t dim : shape) {
    std::string size = dim::toString(dim);
    bool isSum = size.find(' ') != std::string::npos;
    text += (text.empty() ? "" : "x") + (isSum ? "(" + size + ")" : size);
  }
  return text;
}

} // namespace zyxc

#include "runtime/core/Shape.h"
#include "runtime/core/Dim.h"
#include <cassert>

namespace zyxc {

std::optional<int64_t> checkedNumElements(std::span<const int64_t> shape) {
  int64_t count = 1;
  bool empty = false;
  for (int64_t dim : shape) {
    if (dim < 0 || !dim::isValid(dim)) {
      return std::nullopt;
    }
    if (dim == 0) {
      empty = true;
    } else {
      count = dim::mul(count, dim);
    }
    if (count == dim::invalid) {
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

#include "tools/zyxc/run/PrintTensor.h"
#include <fmt/core.h>

namespace zyxc::tool {

static std::string formatElement(const Tensor &tensor, int64_t i) {
  if (tensor.dtype() == DType::Bool) {
    return tensor.asInt(i) ? "True" : "False";
  }
  if (tensor.dtype() == DType::U64) {
    return std::to_string(tensor.as<uint64_t>()[i]);
  }
  return isFloat(tensor.dtype()) ? fmt::format("{:.6g}", tensor.asDouble(i))
                                 : std::to_string(tensor.asInt(i));
}

/// Prints the slice of `axis` that begins at element `offset`; `stride` is its element count.
static std::string formatAxis(const Tensor &tensor, size_t axis, int64_t offset, bool shorten) {
  constexpr int64_t edge = 3;
  const Shape &shape = tensor.shape();
  if (axis == shape.size()) {
    return formatElement(tensor, offset);
  }
  int64_t stride = numElements(std::span(shape).subspan(axis + 1));
  bool last = axis + 1 == shape.size();
  std::string separator = last ? ", " : ",\n" + std::string(axis + 1, ' ');
  std::string text;
  for (int64_t i = 0; i < shape[axis]; ++i) {
    if (shorten && i == edge && shape[axis] > 2 * edge) {
      text += separator + "...";
      i = shape[axis] - edge;
    }
    text += (text.empty() ? "" : separator) +
            formatAxis(tensor, axis + 1, offset + i * stride, shorten);
  }
  return "[" + text + "]";
}

std::string formatTensor(const Tensor &tensor) {
  return formatAxis(tensor, 0, 0, tensor.numElements() > 1000);
}

} // namespace zyxc::tool

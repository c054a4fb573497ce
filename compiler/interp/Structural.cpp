#include "compiler/interp/Families.h"
#include "compiler/interp/Strided.h"
#include "dialects/zyx/semantics/Scalar.h"
#include <algorithm>
#include <cstring>

namespace zyxc::interp {

Tensor iota(const Attrs &attrs, const TensorType &type) {
  Tensor result = Tensor::allocate(type);
  int64_t axis = attrs.getInt("axis");
  int64_t extent = type.shape[axis];
  int64_t inner = numElements(std::span(type.shape).subspan(axis + 1));
  size_t size = byteSize(type.dtype);
  for (int64_t i = 0; i < type.numElements(); ++i) {
    Scalar value = evalCast(DType::I64, type.dtype, {.i = i / inner % extent});
    storeScalar(type.dtype, value, result.mutableData() + i * size);
  }
  return result;
}

Tensor concat(const Attrs &attrs, Operands operands, const TensorType &type) {
  Tensor result = Tensor::allocate(type);
  int64_t axis = attrs.getInt("axis");
  size_t size = byteSize(type.dtype);
  Shape strides = rowMajorStrides(type.shape);
  std::byte *target = result.mutableData();
  for (const Tensor &operand : operands) {
    if (operand.numElements() > 0) {
      copyStrided(size, operand.shape(), {operand.data(), rowMajorStrides(operand.shape())},
                  {target, strides});
      target += operand.shape()[axis] * strides[axis] * size;
    }
  }
  return result;
}

Tensor gather(const Attrs &attrs, Operands operands, const TensorType &type) {
  const Tensor &x = operands[0];
  const Tensor &indices = operands[1];
  Tensor result = Tensor::allocate(type);
  if (type.numElements() == 0) {
    return result;
  }
  int64_t axis = attrs.getInt("axis");
  int64_t extent = x.shape()[axis];
  int64_t outer = numElements(std::span(x.shape()).first(axis));
  size_t row = numElements(std::span(x.shape()).subspan(axis + 1)) * byteSize(type.dtype);
  std::byte *target = result.mutableData();
  for (int64_t i = 0; i < outer; ++i) {
    for (int64_t j = 0; j < indices.numElements(); ++j, target += row) {
      int64_t index = indices.asInt(j);
      if (indices.dtype() == DType::U64 && index < 0) {
        index = extent - 1; // beyond the range of i64
      }
      index = std::clamp<int64_t>(index < 0 ? index + extent : index, 0, extent - 1);
      std::memcpy(target, x.data() + (i * extent + index) * row, row);
    }
  }
  return result;
}

} // namespace zyxc::interp

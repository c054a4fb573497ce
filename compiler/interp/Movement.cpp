#include "compiler/interp/Families.h"
#include "compiler/interp/Strided.h"
#include "dialects/zyx/semantics/Infer.h"
#include <cstring>

namespace zyxc::interp {

static void fill(const Tensor &tensor, const std::byte *element) {
  size_t size = byteSize(tensor.dtype());
  for (int64_t i = 0; i < tensor.numElements(); ++i) {
    std::memcpy(tensor.mutableData() + i * size, element, size);
  }
}

static Tensor pad(const Attrs &attrs, Operands operands, const TensorType &type) {
  Tensor result = Tensor::allocate(type);
  fill(result, operands[1].data());
  const Tensor &x = operands[0];
  Shape strides = rowMajorStrides(type.shape);
  int64_t offset = 0;
  for (size_t axis = 0; axis < strides.size(); ++axis) {
    offset += attrs.getInts("low")[axis] * strides[axis];
  }
  size_t size = byteSize(type.dtype);
  if (x.numElements() > 0) {
    copyStrided(size, x.shape(), {x.data(), rowMajorStrides(x.shape())},
                {result.mutableData() + offset * size, strides});
  }
  return result;
}

/// Elements picked one by one, for maps with floordiv or mod.
static void copyByMap(const Tensor &x, const IndexExpr &offset, const Tensor &result) {
  size_t size = byteSize(x.dtype());
  const Shape &shape = result.shape();
  std::vector<int64_t> at(shape.size(), 0);
  for (int64_t i = 0; i < result.numElements(); ++i) {
    std::memcpy(result.mutableData() + i * size, x.data() + offset.evaluate(at) * size, size);
    for (size_t axis = shape.size(); axis-- > 0 && ++at[axis] == shape[axis];) {
      at[axis] = 0;
    }
  }
}

Tensor evaluateMovement(OpKind kind, const Attrs &attrs, Operands operands,
                        const TensorType &type) {
  const Tensor &x = operands[0];
  if (kind == OpKind::Reshape) {
    return x.withShape(type.shape);
  }
  if (kind == OpKind::Pad) {
    return pad(attrs, operands, type);
  }
  Tensor result = Tensor::allocate(type);
  if (type.numElements() == 0) {
    return result;
  }
  IndexMap map = movementMap(kind, attrs, x.type(), type);
  IndexExpr offset = linearize(map.results, x.shape());
  if (!offset.isLinear()) {
    copyByMap(x, offset, result);
    return result;
  }
  Shape strides;
  for (int64_t dim = 0; dim < type.rank(); ++dim) {
    strides.push_back(offset.coefficientOf(dim));
  }
  size_t size = byteSize(type.dtype);
  copyStrided(size, type.shape, {x.data() + offset.constant() * size, strides},
              {result.mutableData(), rowMajorStrides(type.shape)});
  return result;
}

} // namespace zyxc::interp

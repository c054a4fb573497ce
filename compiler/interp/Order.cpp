#include "compiler/interp/Families.h"
#include "dialects/zyx/semantics/Scalar.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

namespace zyxc::interp {

/// A prefix as what follows is joined with: in the dtype, or in f32 for narrower floats.
static Scalar roundedPrefix(DType dtype, Scalar prefix) {
  if (isFloat(dtype) && dtype != DType::F64) {
    prefix.f = static_cast<float>(prefix.f);
  }
  return prefix;
}

Tensor scan(OpKind kind, const Attrs &attrs, const Tensor &x, const TensorType &type) {
  Tensor result = Tensor::allocate(type);
  int64_t axis = attrs.getInt("axis");
  bool exclusive = attrs.getInt("exclusive") != 0;
  bool reverse = attrs.getInt("reverse") != 0;
  int64_t extent = type.shape[axis];
  int64_t inner = numElements(std::span(type.shape).subspan(axis + 1));
  int64_t lines = extent == 0 ? 0 : type.numElements() / extent;
  size_t size = byteSize(type.dtype);
  for (int64_t line = 0; line < lines; ++line) {
    int64_t first = line / inner * extent * inner + line % inner;
    Scalar sum = reduceIdentity(kind, type.dtype);
    for (int64_t k = 0; k < extent; ++k) {
      size_t at = (first + (reverse ? extent - 1 - k : k) * inner) * size;
      Scalar next = roundedPrefix(
          type.dtype, reduceStep(kind, type.dtype, sum, loadScalar(type.dtype, x.data() + at)));
      storeScalar(type.dtype, exclusive ? sum : next, result.mutableData() + at);
      sum = next;
    }
  }
  return result;
}

/// Does `a` come before `b` in rising order? NaN is the largest value.
static bool isLess(DType dtype, Scalar a, Scalar b) {
  if (!isFloat(dtype)) {
    return dtype == DType::U64 ? static_cast<uint64_t>(a.i) < static_cast<uint64_t>(b.i)
                               : a.i < b.i;
  }
  return std::isnan(b.f) ? !std::isnan(a.f) : a.f < b.f;
}

Tensor sort(OpKind kind, const Attrs &attrs, const Tensor &x, const TensorType &type) {
  Tensor result = Tensor::allocate(type);
  bool descending = attrs.getInt("descending") != 0;
  int64_t length = type.shape.back();
  size_t size = byteSize(x.dtype());
  std::vector<int64_t> order(length);
  std::vector<Scalar> row(length);
  for (int64_t first = 0; first < type.numElements(); first += length) {
    const std::byte *from = x.data() + first * size;
    for (int64_t i = 0; i < length; ++i) {
      row[i] = loadScalar(x.dtype(), from + i * size);
    }
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      bool below = isLess(x.dtype(), row[a], row[b]);
      bool above = isLess(x.dtype(), row[b], row[a]);
      return below || above ? below != descending : a < b; // stable
    });
    for (int64_t i = 0; i < length; ++i) {
      if (kind == OpKind::ArgSort) {
        result.setInt(first + i, order[i]);
      } else {
        std::memcpy(result.mutableData() + (first + i) * size, from + order[i] * size, size);
      }
    }
  }
  return result;
}

Tensor scatter(const Attrs &attrs, Operands operands, const TensorType &type) {
  const Tensor &indices = operands[1];
  const Tensor &updates = operands[2];
  ScatterCombine combine = *parseScatterCombine(attrs.getString("combine"));
  DType dtype = type.dtype;
  size_t size = byteSize(dtype);
  int64_t row = numElements(std::span(type.shape).subspan(1));
  int64_t rows = type.shape[0];
  Tensor result = Tensor::allocate(type);
  std::memcpy(result.mutableData(), operands[0].data(), type.byteSize());
  for (int64_t j = 0; j < indices.numElements(); ++j) {
    int64_t index = indices.asInt(j);
    bool isHuge = indices.dtype() == DType::U64 && index < 0;
    index = index < 0 && !isHuge ? index + rows : index;
    if (isHuge || index < 0 || index >= rows) {
      continue;
    }
    for (int64_t i = 0; i < row; ++i) {
      const std::byte *update = updates.data() + (j * row + i) * size;
      std::byte *target = result.mutableData() + (index * row + i) * size;
      if (combine == ScatterCombine::None) {
        std::memcpy(target, update, size);
      } else {
        Scalar joined = evalBinary(scatterStep(combine), dtype, loadScalar(dtype, target),
                                   loadScalar(dtype, update));
        storeScalar(dtype, joined, target);
      }
    }
  }
  return result;
}

} // namespace zyxc::interp

#include "compiler/interp/Elements.h"
#include "compiler/interp/Families.h"
#include "dialects/zyx/semantics/ScalarFunctions.h"

namespace zyxc::interp {

/// Per axis of x: how far one step along it moves in the result (0 for a reduced axis).
static Shape resultStrides(const Tensor &x, const Attrs &attrs, const TensorType &type) {
  Shape kept = rowMajorStrides(type.shape);
  const std::vector<int64_t> &axes = attrs.getInts("axes");
  Shape strides;
  size_t next = 0;
  for (int64_t axis = 0; axis < x.type().rank(); ++axis) {
    bool reduced = std::binary_search(axes.begin(), axes.end(), axis);
    strides.push_back(reduced ? 0 : kept[next++]);
  }
  return strides;
}

/// Calls row(first element of x, first element of the result) for each row of the innermost axis.
template <class Row>
static void forEachRow(const Shape &shape, const Shape &strides, const Row &row) {
  std::vector<int64_t> at(shape.size(), 0);
  int64_t length = shape.back();
  int64_t total = numElements(shape);
  int64_t target = 0;
  for (int64_t first = 0; first < total; first += length) {
    row(first, target);
    for (size_t axis = shape.size() - 1; axis-- > 0;) {
      target += strides[axis];
      if (++at[axis] < shape[axis]) {
        break;
      }
      target -= strides[axis] * shape[axis];
      at[axis] = 0;
    }
  }
}

template <class Member, class Step>
static void accumulate(const Tensor &x, const Shape &strides, Scalar *sums, Member member,
                       Step step) {
  int64_t length = x.shape().back();
  int64_t stride = strides.back(); // 0 or 1
  forEachRow(x.shape(), strides, [&](int64_t first, int64_t target) {
    forEachBlock(length, [&](int64_t start, int64_t count) {
      Scalar block[blockSize];
      loadBlock(x, first + start, count, block);
      Scalar *sum = sums + target + start * stride;
      for (int64_t i = 0; i < count; ++i) {
        member(sum[i * stride]) = step(member(sum[i * stride]), member(block[i]));
      }
    });
  });
}

/// Index of the first (or last) extreme element along the one axis.
static Tensor argReduce(OpKind kind, const Attrs &attrs, const Tensor &x, const TensorType &type) {
  Tensor result = Tensor::allocate(type);
  int64_t axis = attrs.getInts("axes")[0];
  bool last = attrs.getInt("last") != 0;
  OpKind compare = kind == OpKind::ArgMax ? OpKind::Gt : OpKind::Lt;
  int64_t extent = x.shape()[axis];
  int64_t inner = numElements(std::span(x.shape()).subspan(axis + 1));
  size_t size = byteSize(x.dtype());
  DType dtype = x.dtype();
  auto isNan = [&](Scalar value) {
    return isFloat(dtype) && value.f != value.f;
  };
  for (int64_t i = 0; i < type.numElements(); ++i) {
    int64_t base = i / inner * extent * inner + i % inner;
    int64_t best = 0;
    Scalar extreme = loadScalar(dtype, x.data() + base * size);
    for (int64_t k = 1; k < extent; ++k) {
      Scalar value = loadScalar(dtype, x.data() + (base + k * inner) * size);
      bool better =
          isNan(extreme) ? false : isNan(value) || evalBinary(compare, dtype, value, extreme).i;
      bool equal =
          isNan(extreme) ? isNan(value) : evalBinary(OpKind::Eq, dtype, value, extreme).i != 0;
      if (better || (last && equal)) {
        best = k;
        extreme = value;
      }
    }
    result.setInt(i, best);
  }
  return result;
}

Tensor evaluateReduce(OpKind kind, const Attrs &attrs, const Tensor &x, const TensorType &type) {
  if (kind == OpKind::ArgMax || kind == OpKind::ArgMin) {
    return argReduce(kind, attrs, x, type);
  }
  if (attrs.getInts("axes").empty()) {
    return x;
  }
  DType dtype = type.dtype;
  OpKind step = reductionStep(kind);
  std::vector<Scalar> sums(type.numElements(), reduceIdentity(kind, dtype));
  Shape strides = resultStrides(x, attrs, type);
  auto asFloat = [](auto &value) -> auto & {
    return value.f;
  };
  auto asInt = [](auto &value) -> auto & {
    return value.i;
  };
  if (x.numElements() > 0) {
    if (isFloat(dtype)) {
      scalar::visitFloatBinary(step,
                               [&](auto f) { accumulate(x, strides, sums.data(), asFloat, f); });
    } else if (isSigned(dtype)) {
      scalar::visitIntBinary<int64_t>(
          step, 64, [&](auto f) { accumulate(x, strides, sums.data(), asInt, f); });
    } else {
      scalar::visitIntBinary<uint64_t>(step, 64, [&](auto f) {
        accumulate(x, strides, sums.data(), asInt, [&](int64_t a, int64_t b) {
          return static_cast<int64_t>(f(static_cast<uint64_t>(a), static_cast<uint64_t>(b)));
        });
      });
    }
  }
  Tensor result = Tensor::allocate(type);
  forEachBlock(type.numElements(), [&](int64_t first, int64_t count) {
    storeBlock(result, first, count, sums.data() + first);
  });
  return result;
}

} // namespace zyxc::interp

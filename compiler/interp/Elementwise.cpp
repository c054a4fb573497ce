#include "compiler/interp/Elements.h"
#include "compiler/interp/Families.h"
#include "dialects/zyx/semantics/ScalarFunctions.h"
#include <cstring>

namespace zyxc::interp {

static void unaryBlock(OpKind kind, DType dtype, const Scalar *x, int64_t count, Scalar *result) {
  auto floats = [&](auto f) {
    for (int64_t i = 0; i < count; ++i) {
      result[i].f = f(x[i].f);
    }
  };
  auto tests = [&](auto f) {
    for (int64_t i = 0; i < count; ++i) {
      result[i].i = f(x[i].f);
    }
  };
  auto integers = [&]<class T>(T, auto f) {
    for (int64_t i = 0; i < count; ++i) {
      result[i].i = static_cast<int64_t>(f(static_cast<T>(x[i].i)));
    }
  };
  if (kind == OpKind::IsNan || kind == OpKind::IsInf) {
    scalar::visitFloatTest(kind, tests);
  } else if (isFloat(dtype)) {
    scalar::visitFloatUnary(kind, floats);
  } else if (isSigned(dtype)) {
    scalar::visitIntUnary<int64_t>(kind, bitWidth(dtype), [&](auto f) { integers(int64_t{}, f); });
  } else {
    scalar::visitIntUnary<uint64_t>(kind, bitWidth(dtype),
                                    [&](auto f) { integers(uint64_t{}, f); });
  }
}

template <class T>
static void binaryInts(OpKind kind, DType dtype, const Scalar *x, const Scalar *y, int64_t count,
                       Scalar *result) {
  auto loop = [&](auto f) {
    for (int64_t i = 0; i < count; ++i) {
      result[i].i = static_cast<int64_t>(f(static_cast<T>(x[i].i), static_cast<T>(y[i].i)));
    }
  };
  if (info(kind).family == OpFamily::Compare) {
    scalar::visitCompare<T>(kind, loop);
  } else {
    scalar::visitIntBinary<T>(kind, bitWidth(dtype), loop);
  }
}

static void binaryBlock(OpKind kind, DType dtype, const Scalar *x, const Scalar *y, int64_t count,
                        Scalar *result) {
  if (!isFloat(dtype)) {
    return isSigned(dtype) ? binaryInts<int64_t>(kind, dtype, x, y, count, result)
                           : binaryInts<uint64_t>(kind, dtype, x, y, count, result);
  }
  if (info(kind).family == OpFamily::Compare) {
    return scalar::visitCompare<double>(kind, [&](auto f) {
      for (int64_t i = 0; i < count; ++i) {
        result[i].i = f(x[i].f, y[i].f);
      }
    });
  }
  scalar::visitFloatBinary(kind, [&](auto f) {
    for (int64_t i = 0; i < count; ++i) {
      result[i].f = f(x[i].f, y[i].f);
    }
  });
}

static void castBlock(DType from, DType to, const Scalar *x, int64_t count, Scalar *result) {
  if (isFloat(from) && isFloat(to)) {
    std::copy_n(x, count, result); // the store rounds
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    result[i] = evalCast(from, to, x[i]);
  }
}

/// Picks whole elements by their bytes: no dtype matters.
static Tensor select(Operands operands, const TensorType &type) {
  Tensor result = Tensor::allocate(type);
  const auto *condition = operands[0].as<uint8_t>();
  size_t size = byteSize(type.dtype);
  for (int64_t i = 0; i < type.numElements(); ++i) {
    const Tensor &source = operands[condition[i] != 0 ? 1 : 2];
    std::memcpy(result.mutableData() + i * size, source.data() + i * size, size);
  }
  return result;
}

/// The same bytes under another dtype.
static Tensor bitcast(const Tensor &x, const TensorType &type) {
  Tensor result = Tensor::allocate(type);
  std::memcpy(result.mutableData(), x.data(), x.byteSize());
  return result;
}

Tensor evaluateElementwise(OpKind kind, const Attrs &attrs, Operands operands,
                           const TensorType &type) {
  if (kind == OpKind::Select) {
    return select(operands, type);
  }
  if (kind == OpKind::Bitcast) {
    return bitcast(operands[0], type);
  }
  Tensor result = Tensor::allocate(type);
  DType dtype = operands[0].dtype();
  forEachBlock(type.numElements(), [&](int64_t first, int64_t count) {
    Scalar x[blockSize];
    Scalar y[blockSize];
    Scalar values[blockSize];
    loadBlock(operands[0], first, count, x);
    if (kind == OpKind::Cast) {
      castBlock(dtype, type.dtype, x, count, values);
    } else if (isUnary(kind)) {
      unaryBlock(kind, dtype, x, count, values);
    } else {
      loadBlock(operands[1], first, count, y);
      binaryBlock(kind, dtype, x, y, count, values);
    }
    storeBlock(result, first, count, values);
  });
  return result;
}

} // namespace zyxc::interp

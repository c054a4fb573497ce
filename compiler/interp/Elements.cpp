#include "compiler/interp/Elements.h"
#include "runtime/core/Float.h"

namespace zyxc::interp {

namespace {
/// How an element of a dtype is stored: its machine type, and its conversion from and to a Scalar.
template <class T> struct IntStorage {
  using Type = T;
  static Scalar load(T element) { return {.i = static_cast<int64_t>(element)}; }
  static T store(Scalar value) { return static_cast<T>(value.i); }
};
template <class T> struct FloatStorage {
  using Type = T;
  static Scalar load(T element) { return {.f = element}; }
  static T store(Scalar value) { return static_cast<T>(value.f); }
};
template <DType dtype, class T> struct NarrowStorage {
  using Type = T;
  static Scalar load(T element) { return {.f = floatFromBits(dtype, element)}; }
  static T store(Scalar value) { return static_cast<T>(floatToBits(dtype, value.f)); }
};
} // namespace

template <class Body> static void withStorage(DType dtype, Body body) {
  switch (dtype) {
  case DType::Bool:
  case DType::U4:
  case DType::U2:
  case DType::U8: return body(IntStorage<uint8_t>{});
  case DType::I4:
  case DType::I2:
  case DType::I8: return body(IntStorage<int8_t>{});
  case DType::I16: return body(IntStorage<int16_t>{});
  case DType::I32: return body(IntStorage<int32_t>{});
  case DType::I64: return body(IntStorage<int64_t>{});
  case DType::U16: return body(IntStorage<uint16_t>{});
  case DType::U32: return body(IntStorage<uint32_t>{});
  case DType::U64: return body(IntStorage<uint64_t>{});
  case DType::F32: return body(FloatStorage<float>{});
  case DType::F64: return body(FloatStorage<double>{});
  case DType::F16: return body(NarrowStorage<DType::F16, uint16_t>{});
  case DType::BF16: return body(NarrowStorage<DType::BF16, uint16_t>{});
  case DType::F8E4M3FN: return body(NarrowStorage<DType::F8E4M3FN, uint8_t>{});
  case DType::F8E5M2: return body(NarrowStorage<DType::F8E5M2, uint8_t>{});
  case DType::F4E2M1FN: return body(NarrowStorage<DType::F4E2M1FN, uint8_t>{});
  }
}

void loadBlock(const Tensor &tensor, int64_t first, int64_t count, Scalar *block) {
  withStorage(tensor.dtype(), [&](auto storage) {
    using Storage = decltype(storage);
    const auto *elements = tensor.as<typename Storage::Type>() + first;
    for (int64_t i = 0; i < count; ++i) {
      block[i] = Storage::load(elements[i]);
    }
  });
}

void storeBlock(const Tensor &tensor, int64_t first, int64_t count, const Scalar *block) {
  withStorage(tensor.dtype(), [&](auto storage) {
    using Storage = decltype(storage);
    auto *elements = tensor.asMutable<typename Storage::Type>() + first;
    for (int64_t i = 0; i < count; ++i) {
      elements[i] = Storage::store(block[i]);
    }
  });
}

/// True if elements of the dtype lie in memory as T.
template <class T> static bool isStoredAs(DType dtype) {
  if constexpr (std::is_same_v<T, float>) {
    return dtype == DType::F32;
  } else if constexpr (std::is_same_v<T, double>) {
    return dtype == DType::F64;
  } else {
    return dtype == DType::I64 || dtype == DType::U64;
  }
}

template <class T> ElementsAs<T>::ElementsAs(const Tensor &tensor) : own(tensor) {
  if (isStoredAs<T>(tensor.dtype())) {
    return;
  }
  converted.resize(tensor.numElements());
  forEachBlock(tensor.numElements(), [&](int64_t first, int64_t count) {
    Scalar block[blockSize];
    loadBlock(tensor, first, count, block);
    for (int64_t i = 0; i < count; ++i) {
      converted[first + i] =
          isFloat(tensor.dtype()) ? static_cast<T>(block[i].f) : static_cast<T>(block[i].i);
    }
  });
}

template class ElementsAs<float>;
template class ElementsAs<double>;
template class ElementsAs<uint64_t>;

template <class Sum>
void storeSums(const Tensor &tensor, int64_t first, int64_t count, const Sum *sums,
               DType accumulate) {
  forEachBlock(count, [&](int64_t start, int64_t length) {
    Scalar block[blockSize];
    for (int64_t i = 0; i < length; ++i) {
      if constexpr (std::is_same_v<Sum, double>) {
        block[i].f = sums[start + i];
      } else {
        block[i].i = static_cast<int64_t>(sums[start + i]);
      }
      if (accumulate != tensor.dtype()) {
        Scalar sum = isFloat(accumulate) ? Scalar{.f = roundToDType(accumulate, block[i].f)}
                                         : Scalar{.i = wrapToDType(accumulate, block[i].i)};
        block[i] = evalCast(accumulate, tensor.dtype(), sum);
      }
    }
    storeBlock(tensor, first + start, length, block);
  });
}

template void storeSums(const Tensor &, int64_t, int64_t, const double *, DType);
template void storeSums(const Tensor &, int64_t, int64_t, const uint64_t *, DType);

} // namespace zyxc::interp

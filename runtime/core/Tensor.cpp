#include "runtime/core/Tensor.h"
#include "runtime/core/Dim.h"
#include "runtime/core/Float.h"
#include "runtime/support/Hash.h"
#include <cassert>
#include <cstdlib>
#include <cstring>
#include <new>

namespace zyxc {

size_t TensorType::byteSize() const {
  auto size = static_cast<int64_t>(zyxc::byteSize(dtype));
  int64_t count = numElements();
  return static_cast<size_t>(dim::isSymbolic(count) ? dim::mul(count, size) : count * size);
}

std::string toString(const TensorType &type) {
  std::string text(name(type.dtype));
  text += "[";
  for (size_t i = 0; i < type.shape.size(); ++i) {
    text += (i ? "," : "") + dim::toString(type.shape[i]);
  }
  return text + "]";
}

Tensor Tensor::allocate(TensorType type) {
  constexpr std::align_val_t alignment{64};
  Tensor tensor;
  size_t size = type.byteSize();
  void *memory = ::operator new(size ? size : 1, alignment);
  tensor.owner = std::shared_ptr<const void>(
      memory, [](const void *p) { ::operator delete(const_cast<void *>(p), alignment); });
  tensor.bytes = static_cast<const std::byte *>(memory);
  tensor.tensorType = std::move(type);
  tensor.writable = true;
  return tensor;
}

Tensor Tensor::zeros(TensorType type) {
  Tensor tensor = allocate(std::move(type));
  std::memset(tensor.mutableData(), 0, tensor.byteSize());
  return tensor;
}

Tensor Tensor::view(TensorType type, const void *data, std::shared_ptr<const void> owner) {
  Tensor tensor;
  tensor.tensorType = std::move(type);
  tensor.bytes = static_cast<const std::byte *>(data);
  tensor.owner = std::move(owner);
  return tensor;
}

Tensor Tensor::writableView(TensorType type, void *data, std::shared_ptr<const void> owner) {
  Tensor tensor = view(std::move(type), data, std::move(owner));
  tensor.writable = true;
  return tensor;
}

Tensor Tensor::scalar(DType dtype, double value) {
  Tensor tensor = allocate({dtype, {}});
  tensor.setDouble(0, value);
  return tensor;
}

Tensor Tensor::scalarInt(DType dtype, int64_t value) {
  Tensor tensor = allocate({dtype, {}});
  tensor.setInt(0, value);
  return tensor;
}

Tensor Tensor::fromInts(std::span<const int64_t> values) {
  Tensor tensor = allocate({DType::I64, {static_cast<int64_t>(values.size())}});
  std::memcpy(tensor.mutableData(), values.data(), values.size() * sizeof(int64_t));
  return tensor;
}

static uint64_t loadBits(const std::byte *p, size_t size) {
  uint64_t bits = 0;
  std::memcpy(&bits, p, size); // little endian
  return bits;
}

double Tensor::asDouble(int64_t i) const {
  if (isFloat(dtype())) {
    size_t size = zyxc::byteSize(dtype());
    return floatFromBits(dtype(), loadBits(bytes + i * size, size));
  }
  return dtype() == DType::U64 ? static_cast<double>(as<uint64_t>()[i])
                               : static_cast<double>(asInt(i));
}

int64_t Tensor::asInt(int64_t i) const {
  switch (dtype()) {
  case DType::Bool: return as<uint8_t>()[i] != 0;
  case DType::I8:
  case DType::I4:
  case DType::I2: return as<int8_t>()[i];
  case DType::I16: return as<int16_t>()[i];
  case DType::I32: return as<int32_t>()[i];
  case DType::I64: return as<int64_t>()[i];
  case DType::U8:
  case DType::U4:
  case DType::U2: return as<uint8_t>()[i];
  case DType::U16: return as<uint16_t>()[i];
  case DType::U32: return as<uint32_t>()[i];
  case DType::U64: return static_cast<int64_t>(as<uint64_t>()[i]);
  default: break;
  }
  double value = asDouble(i);
  if (!(value > -0x1p63)) { // also NaN
    return INT64_MIN;
  }
  return value >= 0x1p63 ? INT64_MAX : static_cast<int64_t>(value);
}

void Tensor::setDouble(int64_t i, double value) const {
  if (isFloat(dtype())) {
    size_t size = zyxc::byteSize(dtype());
    uint64_t bits = floatToBits(dtype(), value);
    std::memcpy(mutableData() + i * size, &bits, size);
  } else {
    bool large = value >= 0x1p63 && value < 0x1p64;
    setInt(i, large ? static_cast<int64_t>(static_cast<uint64_t>(value))
                    : (value >= -0x1p63 && value < 0x1p63 ? static_cast<int64_t>(value) : 0));
  }
}

void Tensor::setInt(int64_t i, int64_t value) const {
  if (isFloat(dtype())) {
    setDouble(i, static_cast<double>(value));
    return;
  }
  if (dtype() == DType::Bool) {
    value = value != 0;
  } else if (isSubByte(dtype())) {
    int unused = 64 - bitWidth(dtype());
    auto high = static_cast<uint64_t>(value) << unused;
    value = isSigned(dtype()) ? static_cast<int64_t>(high) >> unused
                              : static_cast<int64_t>(high >> unused);
  }
  size_t size = zyxc::byteSize(dtype());
  std::memcpy(mutableData() + i * size, &value, size);
}

Tensor Tensor::withShape(Shape shape) const {
  assert(zyxc::numElements(shape) == numElements() && "a reshape keeps the element count");
  Tensor tensor = *this;
  tensor.tensorType.shape = std::move(shape);
  return tensor;
}

bool Tensor::isSplat() const {
  size_t size = zyxc::byteSize(dtype());
  size_t total = byteSize();
  return total >= size && std::memcmp(bytes, bytes + size, total - size) == 0;
}

uint64_t Tensor::hash() const {
  uint64_t seed =
      hashBytes(shape().data(), shape().size() * sizeof(int64_t), static_cast<uint64_t>(dtype()));
  return hashBytes(bytes, byteSize(), seed);
}

bool Tensor::identical(const Tensor &other) const {
  return type() == other.type() &&
         (bytes == other.bytes || std::memcmp(bytes, other.bytes, byteSize()) == 0);
}

} // namespace zyxc

#include "test/fuzz/graphs/oracle/Choices.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace zyxc::fuzz {

double unitInTheLastPlace(DType dtype, double value) {
  // The exponent of the smallest normal number.
  int lowest = 0;
  switch (dtype) {
  case DType::F16: lowest = -14; break;
  case DType::F64: lowest = -1022; break;
  case DType::F8E4M3FN: lowest = -6; break;
  case DType::F8E5M2: lowest = -14; break;
  default: lowest = -126; break;
  }
  int exponent = value == 0 ? lowest : std::max(std::ilogb(value), lowest);
  return std::ldexp(1.0, exponent - info(dtype).mantissaBits);
}

Choices::Drift Choices::nextDrift() {
  if (run < 2) { // all ops to one side
    return run == 0 ? Drift::Up : Drift::Down;
  }
  constexpr Drift drifts[] = {Drift::Each, Drift::Each,    Drift::Each,   Drift::Up,
                              Drift::Down, Drift::Outward, Drift::Inward, Drift::Nowhere};
  return drifts[random() % std::size(drifts)];
}

Choices::Fill Choices::nextFill() {
  constexpr Fill fills[] = {Fill::Zeros, Fill::Ones, Fill::Each};
  return fills[run < 2 ? static_cast<uint64_t>(run) : random() % std::size(fills)];
}

Choices::Class Choices::nextClass() {
  constexpr auto last = static_cast<uint64_t>(Class::Each);
  if (static_cast<uint64_t>(run) < last) { // few runs see every class
    return static_cast<Class>(run);
  }
  return static_cast<Class>(std::min(random() % (2 * last), last));
}

double Choices::step(Drift drift, double value) {
  switch (drift) {
  case Drift::Each: return std::uniform_real_distribution<double>(-1, 1)(random);
  case Drift::Up: return 1;
  case Drift::Down: return -1;
  case Drift::Outward: return std::copysign(1.0, value);
  case Drift::Inward: return -std::copysign(1.0, value);
  case Drift::Nowhere: break;
  }
  return 0;
}

uint64_t Choices::bits(Fill fill) {
  switch (fill) {
  case Fill::Each: return random();
  case Fill::Zeros: return 0;
  case Fill::Ones: break;
  }
  return ~uint64_t(0);
}

double Choices::valueOf(Class which, double value) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  switch (which) {
  case Class::Infinite: return infinity;
  case Class::NegativeInfinite: return -infinity;
  case Class::NaN: return std::nan("");
  case Class::Zero: return 0;
  case Class::Same: return value;
  case Class::Huge: return 1e30;
  case Class::Each: break;
  }
  return valueOf(static_cast<Class>(random() % static_cast<uint64_t>(Class::Each)), value);
}

Tensor Choices::moved(const Tensor &x, double units) {
  return movedBy(x, [&](int64_t i) {
    double value = x.asDouble(i);
    return value != 0 ? units * unitInTheLastPlace(x.dtype(), value) : 0;
  });
}

void Choices::signZeros(const Tensor &x) {
  Fill fill = nextFill();
  for (int64_t i = 0; i < x.numElements(); ++i) {
    if (x.asDouble(i) == 0) {
      x.setDouble(i, bits(fill) % 2 ? -0.0 : 0.0);
    }
  }
}

/// The bits of a NaN that may be anything: all but the exponent and the first bit of the mantissa.
static uint64_t openBitsOfNaN(DType dtype) {
  uint64_t sign = uint64_t(1) << (bitWidth(dtype) - 1);
  bool hasPayload = dtype != DType::F8E4M3FN; // where other mantissas are numbers
  return hasPayload ? sign | ((uint64_t(1) << (info(dtype).mantissaBits - 1)) - 1) : sign;
}

static uint64_t bitsAt(const Tensor &x, int64_t i) {
  uint64_t bits = 0;
  size_t size = byteSize(x.dtype());
  std::memcpy(&bits, x.data() + static_cast<size_t>(i) * size, size);
  return bits;
}

Tensor Choices::withOpenBits(const Tensor &x, const Tensor &undisturbed) {
  Tensor result = Tensor::allocate(x.type());
  Fill fill = nextFill();
  size_t size = byteSize(x.dtype());
  for (int64_t i = 0; i < x.numElements(); ++i) {
    uint64_t value = bitsAt(x, i);
    uint64_t differing = value ^ bitsAt(undisturbed, i);
    uint64_t open =
        differing == 0 ? 0 : std::bit_floor(differing) | (std::bit_floor(differing) - 1);
    if (std::isnan(x.asDouble(i))) {
      open |= openBitsOfNaN(x.dtype());
    }
    value = (value & ~open) | (bits(fill) & open);
    std::memcpy(result.mutableData() + static_cast<size_t>(i) * size, &value, size);
  }
  return result;
}

} // namespace zyxc::fuzz

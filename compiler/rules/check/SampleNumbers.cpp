#include "compiler/rules/check/SampleNumbers.h"
#include "compiler/rules/check/FieldEvaluator.h"
#include <algorithm>
#include <array>
#include <limits>

namespace zyxc::rules {

uint64_t SampleNumbers::below(uint64_t bound) {
  uint64_t value = 0;
  if (!replays) {
    value = bound == 0 ? random() : random() % bound;
  } else if (made.size() < replayed.size()) {
    value = replayed[made.size()];
    value = bound == 0 ? value : std::min(value, bound - 1);
  }
  made.push_back(value);
  return value;
}

DType SampleNumbers::dtype(const Constraint &constraint) {
  static constexpr std::array floats = {DType::F32,  DType::F32,      DType::F64,   DType::F16,
                                        DType::BF16, DType::F8E4M3FN, DType::F8E5M2};
  static constexpr std::array ints = {DType::I32, DType::I8,  DType::I64, DType::U8,
                                      DType::U16, DType::I16, DType::U32, DType::U64};
  if (overField) {
    return constraint.kind == Constraint::Kind::Bool ? DType::Bool : DType::F64;
  }
  switch (constraint.kind) {
  case Constraint::Kind::Dtype: return constraint.dtype;
  case Constraint::Kind::Float: return floats[below(floats.size())];
  case Constraint::Kind::Int: return ints[below(ints.size())];
  case Constraint::Kind::Bool: return DType::Bool;
  case Constraint::Kind::Signed:
  case Constraint::Kind::Any:
  case Constraint::Kind::Splat:
  case Constraint::Kind::Parameter: break;
  }
  uint64_t choice = below(10);
  return choice < 6   ? floats[below(floats.size())]
         : choice < 9 ? ints[below(ints.size())]
                      : DType::Bool;
}

DType SampleNumbers::anyDType() {
  static constexpr std::array all = {DType::F32,  DType::I32,    DType::Bool,    DType::F64,
                                     DType::F16,  DType::I8,     DType::U8,      DType::I64,
                                     DType::BF16, DType::U16,    DType::I16,     DType::U32,
                                     DType::U64,  DType::F8E5M2, DType::F8E4M3FN};
  return overField ? DType::F64 : all[below(all.size())];
}

Shape SampleNumbers::shape() {
  // Equal extents let a wrong axis have the right type.
  uint64_t rank = std::min(below(size.rank + 2), size.rank);
  if (rank > 1 && chance(40)) {
    return Shape(rank, static_cast<int64_t>(1 + below(size.extent)));
  }
  Shape shape;
  for (; rank > 0; --rank) {
    shape.push_back(static_cast<int64_t>(1 + below(size.extent)));
  }
  return shape;
}

int64_t SampleNumbers::small(uint64_t count) {
  auto place = static_cast<int64_t>(below(count));
  return place % 2 ? (place + 1) / 2 : -place / 2;
}

double SampleNumbers::moderate() {
  // Small integers, short fractions, and numbers with all digits, which are rounded.
  switch (below(4)) {
  case 0: return static_cast<double>(small(9));
  case 1: return static_cast<double>(small(4097)) / 1024;
  default: return static_cast<double>(small(uint64_t(1) << 53)) / 0x1p51;
  }
}

double SampleNumbers::specialFloat() {
  static constexpr std::array specials = {0.0,
                                          1.0,
                                          -1.0,
                                          -0.0,
                                          -0.0,
                                          0.5,
                                          2.5,
                                          -3.5,
                                          std::numeric_limits<double>::infinity(),
                                          std::numeric_limits<double>::quiet_NaN(),
                                          -std::numeric_limits<double>::infinity(),
                                          6e4,
                                          -6e4,
                                          0x1p-24,
                                          3e38,
                                          -3e38,
                                          0x1p-140,
                                          1e300,
                                          -0x1p-1060};
  return specials[below(specials.size())];
}

int64_t SampleNumbers::integer() {
  static constexpr std::array edges = {int64_t(127), int64_t(-128), int64_t(1) << 31,
                                       std::numeric_limits<int64_t>::min(),
                                       std::numeric_limits<int64_t>::max()};
  uint64_t choice = below(4);
  return choice == 2   ? edges[below(edges.size())]
         : choice == 3 ? static_cast<int64_t>(below(0))
                       : small(9);
}

Tensor SampleNumbers::tensor(const TensorType &type, bool special) {
  Tensor result = Tensor::allocate(type);
  // One NaN hides what becomes of all other elements of a sum.
  special = special && isFloat(type.dtype) && !chance(40);
  for (int64_t i = 0; i < result.numElements(); ++i) {
    if (type.dtype == DType::Bool) {
      result.setInt(i, chance(50));
    } else if (!isFloat(type.dtype)) {
      result.setInt(i, integer());
    } else {
      result.setDouble(i, special && chance(50) ? specialFloat() : moderate());
    }
  }
  return result;
}

Tensor SampleNumbers::splat(DType dtype, bool special) {
  static constexpr std::array factors = {2.0, -0.25, 3.0, 0.1, 7.0, 1024.0, 49.0};
  static constexpr std::array powers = {2.0, -0.25, -1.0, 1.0, 0.5, -4.0, 1024.0};
  if (overField && isFloat(dtype)) {
    return Tensor::scalar(dtype, powers[below(powers.size())]);
  }
  if (isFloat(dtype) && chance(80)) {
    return Tensor::scalar(dtype, factors[below(factors.size())]);
  }
  return tensor({dtype, {}}, special);
}

Tensor SampleNumbers::fieldTensor(const TensorType &type) {
  Tensor result = Tensor::allocate({DType::I64, type.shape});
  for (int64_t i = 0; i < result.numElements(); ++i) {
    int64_t value = type.dtype == DType::Bool ? static_cast<int64_t>(below(2))
                    : chance(75)              ? static_cast<int64_t>(below(FieldEvaluator::prime))
                                              : small(9);
    result.setInt(i, value < 0 ? value + FieldEvaluator::prime : value);
  }
  return result;
}

} // namespace zyxc::rules

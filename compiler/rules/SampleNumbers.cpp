#include "compiler/rules/SampleTerms.h"
#include <array>
#include <cmath>
#include <limits>

namespace zyxc::rules {

DType SampleNumbers::dtype(const Constraint &constraint) {
  static constexpr std::array floats = {DType::F32,  DType::F32,      DType::F64,   DType::F16,
                                        DType::BF16, DType::F8E4M3FN, DType::F8E5M2};
  static constexpr std::array ints = {DType::I32, DType::I8,  DType::I64, DType::U8,
                                      DType::U16, DType::I16, DType::U32, DType::U64};
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

Shape SampleNumbers::shape() {
  Shape shape;
  for (uint64_t rank = below(4); rank > 0; --rank) {
    shape.push_back(static_cast<int64_t>(1 + below(4)));
  }
  return shape;
}

double SampleNumbers::moderate() {
  return static_cast<double>(static_cast<int64_t>(below(4097)) - 2048) / 1024;
}

double SampleNumbers::specialFloat() {
  static constexpr std::array specials = {0.0,
                                          -0.0,
                                          1.0,
                                          -1.0,
                                          0.5,
                                          2.5,
                                          -3.5,
                                          0x1p-140,
                                          -0x1p-1060,
                                          0x1p-24,
                                          6e4,
                                          3e38,
                                          1e300,
                                          std::numeric_limits<double>::infinity(),
                                          -std::numeric_limits<double>::infinity(),
                                          std::numeric_limits<double>::quiet_NaN()};
  return specials[below(specials.size())];
}

int64_t SampleNumbers::integer() {
  static constexpr std::array edges = {int64_t(0),
                                       int64_t(1),
                                       int64_t(-1),
                                       int64_t(127),
                                       int64_t(-128),
                                       int64_t(1) << 31,
                                       std::numeric_limits<int64_t>::min(),
                                       std::numeric_limits<int64_t>::max()};
  uint64_t choice = below(4);
  return choice == 0   ? edges[below(edges.size())]
         : choice == 1 ? static_cast<int64_t>(random())
                       : static_cast<int64_t>(below(9)) - 4;
}

Tensor SampleNumbers::tensor(const TensorType &type, bool special) {
  Tensor result = Tensor::allocate(type);
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
  if (isFloat(dtype) && chance(80)) {
    return Tensor::scalar(dtype, factors[below(factors.size())]);
  }
  return tensor({dtype, {}}, special);
}

} // namespace zyxc::rules

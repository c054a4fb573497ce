#include "test/fuzz/graphs/program/Generate.h"
#include <algorithm>

namespace zyxc::fuzz {

static bool isNumber(DType dtype) {
  return dtype != DType::Bool;
}

/// Most multiply-adds of one product.
static constexpr int64_t maxWork = 1 << 20;

bool addMatmul(Source &source) {
  GraphValue x = source.valueOf(isNumber);
  TensorType type = source.typeOf(x);
  if (type.rank() == 0) {
    return false;
  }
  Shape shape = {type.shape.back()};
  if (source.chance(85)) {
    shape.push_back(source.extent());
    for (int64_t axis = type.rank() - 3; axis >= 0 && source.chance(50); --axis) {
      shape.insert(shape.begin(), source.chance(70) ? type.shape[axis] : 1);
    }
  }
  if (type.numElements() * shape.back() > maxWork) {
    return false;
  }
  GraphValue y = source.operandLike({type.dtype, shape});
  if (source.chance(30) && shape.size() >= 2) { // the other operand is stored transposed
    std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
    std::vector<int64_t> perm(shape.size());
    for (size_t i = 0; i < perm.size(); ++i) {
      perm[i] = static_cast<int64_t>(i);
    }
    std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
    y = source.builder.permute(source.operandLike({type.dtype, shape}), perm);
  }
  return source.add(OpKind::Matmul, {x, y});
}

bool addContract(Source &source) {
  GraphValue x = source.valueOf(isNumber);
  TensorType type = source.typeOf(x);
  std::vector<int64_t> lhs = source.permutation(type.rank());
  std::vector<int64_t> rhs, out;
  TensorType other{type.dtype, {}};
  int64_t work = type.numElements();
  for (int64_t axis = 0; axis < type.rank(); ++axis) {
    if (source.chance(60)) {
      rhs.push_back(lhs[axis]);
      other.shape.push_back(type.shape[axis]);
    }
  }
  if (source.chance(70)) {
    int64_t place = source.below(static_cast<int64_t>(rhs.size()) + 1);
    rhs.insert(rhs.begin() + place, type.rank());
    other.shape.insert(other.shape.begin() + place, source.extent());
    work *= other.shape[place];
  }
  for (int64_t label : source.permutation(type.rank() + 1)) {
    bool present = label < type.rank() || std::find(rhs.begin(), rhs.end(), label) != rhs.end();
    if (present && source.chance(60)) {
      out.push_back(label);
    }
  }
  if (work > maxWork) {
    return false;
  }
  DType result = source.chance(80) ? type.dtype : accumulatorOf(type.dtype);
  GraphValue y = source.operandLike(other);
  return source.add(OpKind::Contract, {x, y},
                    {{"lhs", lhs},
                     {"rhs", rhs},
                     {"out", out},
                     {"accumulate", accumulatorOf(type.dtype)},
                     {"dtype", result}});
}

/// A value of a rank that has a batch, channels and one to four spatial axes; a new one if needed.
static GraphValue image(Source &source, bool (*fits)(DType)) {
  auto found = source.valueOf(fits, 3, Source::maxRank);
  if (found && source.chance(80)) {
    return *found;
  }
  Shape shape = {source.between(1, 2), source.oneOf<int64_t>({1, 2, 3, 4, 6, 8, 16})};
  int64_t spatial = source.oneOf<int64_t>({1, 1, 1, 2, 2, 2, 2, 3, 3, 4});
  for (int64_t axis = 0; axis < spatial; ++axis) {
    shape.push_back(source.between(1, spatial <= 2 ? 14 : 5));
  }
  return source.fresh({source.dtypeThat(fits), shape});
}

/// Strides, dilations and padding of a window op over so many axes.
static Attrs windowAttrs(Source &source, int64_t spatial) {
  std::vector<int64_t> strides, dilations, low, high;
  for (int64_t i = 0; i < spatial; ++i) {
    strides.push_back(source.chance(60) ? 1 : source.between(2, 3));
    dilations.push_back(source.chance(75) ? 1 : 2);
    low.push_back(source.chance(50) ? 0 : source.below(3));
    high.push_back(source.chance(50) ? 0 : source.below(3));
  }
  return {{"strides", strides}, {"dilations", dilations}, {"low", low}, {"high", high}};
}

bool addConvolution(Source &source) {
  GraphValue x = image(source, isNumber);
  TensorType type = source.typeOf(x);
  int64_t channels = type.shape[1];
  int64_t groups = 1;
  if (channels > 1 && source.chance(40)) {
    groups = source.chance(50) || channels % 2 != 0 ? channels : 2;
  }
  int64_t outputs = groups * source.between(1, groups == 1 ? 17 : 3);
  TensorType weights{type.dtype, {outputs, channels / groups}};
  int64_t mostSize = type.rank() <= 4 ? 4 : 2;
  for (int64_t axis = 2; axis < type.rank(); ++axis) {
    weights.shape.push_back(source.between(1, mostSize));
  }
  if (type.numElements() * outputs / groups * 16 > maxWork) {
    return false;
  }
  Attrs attrs = windowAttrs(source, type.rank() - 2);
  attrs.set("groups", groups);
  GraphValue w = source.operandLike(weights);
  return source.add(OpKind::Conv, {x, w}, attrs);
}

bool addPool(Source &source) {
  bool isMax = source.chance(50);
  GraphValue x = image(source, isMax ? isNumber : isFloat);
  int64_t spatial = source.typeOf(x).rank() - 2;
  Attrs attrs = windowAttrs(source, spatial);
  std::vector<int64_t> sizes;
  for (int64_t i = 0; i < spatial; ++i) {
    sizes.push_back(source.between(1, 4));
  }
  attrs.set("sizes", sizes);
  if (isMax) {
    return source.add(OpKind::MaxPool, {x}, attrs);
  }
  bool counted = source.chance(50);
  for (const char *side : {"low", "high"}) {
    attrs.set(std::string("count_") + side,
              counted ? attrs.getInts(side) : std::vector<int64_t>(spatial, 0));
  }
  return source.add(OpKind::AvgPool, {x}, attrs);
}

} // namespace zyxc::fuzz

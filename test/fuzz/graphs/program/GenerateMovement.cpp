#include "test/fuzz/graphs/program/Generate.h"
#include <algorithm>

namespace zyxc::fuzz {

/// Another shape of as many elements: axes merged, split, or axes of size 1 added or dropped.
static Shape reshaped(Source &source, Shape shape) {
  auto rank = static_cast<int64_t>(shape.size());
  if (source.chance(15)) {
    return {numElements(shape)};
  }
  if (rank >= 2 && source.chance(45)) {
    int64_t axis = source.below(rank - 1);
    shape[axis] *= shape[axis + 1];
    shape.erase(shape.begin() + axis + 1);
    return shape;
  }
  if (rank >= 1 && source.chance(60)) {
    int64_t axis = source.below(rank);
    for (int64_t factor : {4, 3, 2, 5, 7}) {
      if (shape[axis] > factor && shape[axis] % factor == 0) {
        shape[axis] /= factor;
        shape.insert(shape.begin() + axis + source.below(2), factor);
        return shape;
      }
    }
  }
  auto one = std::find(shape.begin(), shape.end(), 1);
  if (one != shape.end() && source.chance(50)) {
    shape.erase(one);
  } else if (rank < Source::maxRank) {
    shape.insert(shape.begin() + source.below(rank + 1), 1);
  }
  return shape;
}

static Attrs narrowed(Source &source, const Shape &shape) {
  std::vector<int64_t> starts, sizes, steps;
  for (int64_t dim : shape) {
    int64_t step = source.chance(70) ? 1 : source.between(2, 3);
    int64_t start = source.chance(50) || dim == 0 ? 0 : source.below(dim);
    int64_t most = (dim - start + step - 1) / step;
    starts.push_back(start);
    steps.push_back(step);
    sizes.push_back(source.chance(50) ? most : source.between(most > 0, most));
  }
  return {{"starts", starts}, {"sizes", sizes}, {"steps", steps}};
}

static bool addPad(Source &source, GraphValue x, const TensorType &type) {
  std::vector<int64_t> low, high;
  for (int64_t axis = 0; axis < type.rank(); ++axis) {
    low.push_back(source.chance(50) ? 0 : source.below(4));
    high.push_back(source.chance(50) ? 0 : source.below(4));
  }
  GraphValue fill = source.operandLike({type.dtype, {}});
  return source.add(OpKind::Pad, {x, fill}, {{"low", low}, {"high", high}});
}

static bool addExpand(Source &source, GraphValue x, Shape shape) {
  bool hasOne = std::find(shape.begin(), shape.end(), 1) != shape.end();
  if (!hasOne && std::ssize(shape) < Source::maxRank) {
    shape.insert(shape.begin() + source.below(static_cast<int64_t>(shape.size()) + 1), 1);
    x = source.builder.reshape(x, shape);
  }
  for (int64_t &dim : shape) {
    dim = dim == 1 && source.chance(70) ? source.extent() : dim;
  }
  return source.add(OpKind::Expand, {x}, {{"shape", shape}});
}

/// A view of x by the map of another movement.
static bool addView(Source &source, GraphValue x, const TensorType &type) {
  OpKind kind = source.oneOf({OpKind::Reshape, OpKind::Permute, OpKind::Narrow, OpKind::Flip});
  Attrs attrs = kind == OpKind::Reshape   ? Attrs{{"shape", reshaped(source, type.shape)}}
                : kind == OpKind::Permute ? Attrs{{"perm", source.permutation(type.rank())}}
                : kind == OpKind::Narrow  ? narrowed(source, type.shape)
                                          : Attrs{{"axes", source.axes(type.rank())}};
  Expected<TensorType> result = inferType(kind, attrs, std::span(&type, 1));
  return result &&
         source.add(OpKind::View, {x},
                    {{"map", movementMap(kind, attrs, type, *result)}, {"shape", result->shape}});
}

bool addMovement(Source &source) {
  GraphValue x = source.valueOf([](DType) { return true; });
  TensorType type = source.typeOf(x);
  switch (source.below(8)) {
  case 0: return source.add(OpKind::Reshape, {x}, {{"shape", reshaped(source, type.shape)}});
  case 1: return source.add(OpKind::Permute, {x}, {{"perm", source.permutation(type.rank())}});
  case 2: return addExpand(source, x, type.shape);
  case 3: return source.add(OpKind::Narrow, {x}, narrowed(source, type.shape));
  case 4: return addPad(source, x, type);
  case 6: return addView(source, x, type);
  case 5:
    return source.chance(50) ? source.add(OpKind::Contiguous, {x})
                             : source.add(OpKind::ToDevice, {x}, {{"device", std::string("cpu")}});
  default: return source.add(OpKind::Flip, {x}, {{"axes", source.axes(type.rank())}});
  }
}

bool addWindow(Source &source) {
  GraphValue x = source.valueOf([](DType) { return true; });
  int64_t rank = source.typeOf(x).rank();
  std::vector<int64_t> sizes, strides, dilations;
  for (int64_t count = source.between(0, std::min<int64_t>(rank, 2)); count > 0; --count) {
    sizes.push_back(source.between(1, 4));
    strides.push_back(source.between(1, 3));
    dilations.push_back(source.chance(70) ? 1 : 2);
  }
  return source.add(OpKind::Window, {x},
                    {{"sizes", sizes}, {"strides", strides}, {"dilations", dilations}});
}

bool addJoin(Source &source) {
  GraphValue x = source.valueOf([](DType) { return true; });
  TensorType type = source.typeOf(x);
  bool isStack = type.rank() == 0 || (type.rank() < Source::maxRank && source.chance(30));
  int64_t axis = source.below(type.rank() + isStack);
  std::vector<GraphValue> parts = {x};
  for (int64_t more = source.between(0, 3); more > 0; --more) {
    TensorType part = type;
    if (!isStack && source.chance(40)) {
      part.shape[axis] = source.extent();
    }
    parts.push_back(source.operandLike(part));
  }
  std::swap(parts.front(), parts[source.below(static_cast<int64_t>(parts.size()))]);
  return source.add(isStack ? OpKind::Stack : OpKind::Concat, parts, {{"axis", axis}});
}

bool addGather(Source &source) {
  if (source.chance(25)) {
    DType dtype = source.dtypeThat([](DType) { return true; });
    int64_t rank = source.between(1, 3);
    Shape shape = source.shape(rank);
    return dtype != DType::Bool &&
           source.add(OpKind::Iota, {},
                      {{"shape", shape}, {"axis", source.below(rank)}, {"dtype", dtype}});
  }
  GraphValue x = source.valueOf([](DType) { return true; });
  int64_t rank = source.typeOf(x).rank();
  if (rank == 0) {
    return false;
  }
  GraphValue indices = source.chance(40)
                           ? source.valueOf(isInteger)
                           : source.fresh({source.oneOf({DType::I32, DType::I64, DType::U8}),
                                           source.shape(source.below(3))});
  return source.add(OpKind::Gather, {x, indices}, {{"axis", source.below(rank)}});
}

} // namespace zyxc::fuzz

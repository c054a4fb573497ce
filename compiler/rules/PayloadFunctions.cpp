// Pure functions of attributes and types that rules may use, by name. docs/rules.md lists them.
#include "compiler/graph/Views.h"
#include "compiler/rules/ReduceViews.h"
#include "compiler/rules/SharedProducts.h"
#include "runtime/core/Dim.h"
#include <algorithm>

namespace zyxc::rules {

namespace {

using Result = std::optional<AttrValue>;
using Arguments = std::span<const Value>;

const TensorType &typeOf(const TensorGraph &graph, const Value &value) {
  return graph.type(std::get<ClassValue>(value).id);
}

/// The attribute as T: loading a rule has checked that it is one.
template <class T> const T &as(const Value &value) {
  return std::get<T>(std::get<AttrValue>(value));
}

/// True if all are axes of a tensor of this rank.
bool areAxes(std::span<const int64_t> axes, int64_t rank) {
  return std::ranges::all_of(axes, [&](int64_t axis) { return axis >= 0 && axis < rank; });
}

Result fromBool(bool value) {
  return AttrValue(static_cast<int64_t>(value));
}

Result same(const TensorGraph &, Arguments args) {
  return fromBool(identical(std::get<AttrValue>(args[0]), std::get<AttrValue>(args[1])));
}

Result sameType(const TensorGraph &graph, Arguments args) {
  return fromBool(typeOf(graph, args[0]) == typeOf(graph, args[1]));
}

Result dtype(const TensorGraph &graph, Arguments args) {
  return AttrValue(typeOf(graph, args[0]).dtype);
}

Result shape(const TensorGraph &graph, Arguments args) {
  return AttrValue(typeOf(graph, args[0]).shape);
}

Result isParameter(const TensorGraph &graph, Arguments args) {
  return fromBool(graph.isParameter(std::get<ClassValue>(args[0]).id));
}

Result isVariable(const TensorGraph &graph, Arguments args) {
  return fromBool(!graph.isParameter(std::get<ClassValue>(args[0]).id));
}

Result allEqual(const TensorGraph &, Arguments args) {
  const auto &list = as<std::vector<int64_t>>(args[0]);
  int64_t wanted = as<int64_t>(args[1]);
  return fromBool(std::ranges::all_of(list, [&](int64_t value) { return value == wanted; }));
}

Result addLists(const TensorGraph &, Arguments args) {
  std::vector<int64_t> sum = as<std::vector<int64_t>>(args[0]);
  const auto &more = as<std::vector<int64_t>>(args[1]);
  if (sum.size() != more.size()) {
    return std::nullopt;
  }
  for (size_t i = 0; i < sum.size(); ++i) {
    sum[i] = dim::add(sum[i], more[i]);
    if (sum[i] == dim::invalid) {
      return std::nullopt;
    }
  }
  return AttrValue(std::move(sum));
}

/// (list, n): as many times n.
Result fill(const TensorGraph &, Arguments args) {
  return AttrValue(
      std::vector<int64_t>(as<std::vector<int64_t>>(args[0]).size(), as<int64_t>(args[1])));
}

/// x came into the program before y: of two classes one is before the other.
Result before(const TensorGraph &graph, Arguments args) {
  ClassId x = std::get<ClassValue>(args[0]).id;
  ClassId y = std::get<ClassValue>(args[1]).id;
  return fromBool(*graph.engine().nodesOf(x).begin() < *graph.engine().nodesOf(y).begin());
}

/// True if every value of `from` survives in `to`.
bool holdsAll(DType from, DType to) {
  if (from == to) {
    return true;
  }
  if (from == DType::Bool) {
    return true;
  }
  if (to == DType::Bool) {
    return false;
  }
  if (isFloat(from)) {
    // Each wider float has more digits and a wider exponent range; the two halves do not nest, and
    // the infinities of f8E5M2 are lost in f8E4M3FN.
    return isFloat(to) && byteSize(to) > byteSize(from) &&
           info(to).mantissaBits >= info(from).mantissaBits;
  }
  if (isFloat(to)) {
    return info(from).mantissaBits <= info(to).mantissaBits + 1 &&
           (to == DType::F32 || to == DType::F64 || info(from).mantissaBits < 15);
  }
  return info(to).mantissaBits >= info(from).mantissaBits && (isSigned(to) || !isSigned(from));
}

/// cast(cast(x, b), c) equals cast(x, c), for x of dtype a.
Result losslessVia(const TensorGraph &, Arguments args) {
  DType a = as<DType>(args[0]);
  DType b = as<DType>(args[1]);
  DType c = as<DType>(args[2]);
  // Integers wrap and floats do not, so the detour must not change which of both happens.
  bool sameWay = isFloat(a) == isFloat(b) || a == DType::Bool || isFloat(c);
  return fromBool(holdsAll(a, b) && sameWay);
}

/// Axes of one reduction that does what two do, the inner one first.
Result mergeAxes(const TensorGraph &graph, Arguments args) {
  const auto &inner = as<std::vector<int64_t>>(args[1]);
  const auto &outer = as<std::vector<int64_t>>(args[2]);
  std::vector<int64_t> left;
  for (int64_t axis = 0; axis < typeOf(graph, args[0]).rank(); ++axis) {
    if (!std::ranges::count(inner, axis)) {
      left.push_back(axis);
    }
  }
  std::vector<int64_t> axes = inner;
  for (int64_t axis : outer) {
    if (axis < 0 || axis >= static_cast<int64_t>(left.size())) {
      return std::nullopt;
    }
    axes.push_back(left[axis]);
  }
  std::ranges::sort(axes);
  return AttrValue(std::move(axes));
}

/// All these axes have extent 1.
Result unitAxes(const TensorGraph &graph, Arguments args) {
  const auto &axes = as<std::vector<int64_t>>(args[1]);
  const Shape &shape = typeOf(graph, args[0]).shape;
  if (!areAxes(axes, static_cast<int64_t>(shape.size()))) {
    return std::nullopt;
  }
  return fromBool(std::ranges::all_of(axes, [&](int64_t axis) { return shape[axis] == 1; }));
}

Result shapeWithout(const TensorGraph &graph, Arguments args) {
  const auto &axes = as<std::vector<int64_t>>(args[1]);
  Shape kept;
  const Shape &shape = typeOf(graph, args[0]).shape;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (!std::ranges::count(axes, static_cast<int64_t>(axis))) {
      kept.push_back(shape[axis]);
    }
  }
  return AttrValue(std::move(kept));
}

int64_t elementsOf(const std::vector<int64_t> &shape) {
  return checkedNumElements(shape).value_or(-1);
}

/// x has fewer elements than a tensor of this shape. Symbolic sizes are estimated: whether a rule
/// pays may depend on it, whether it holds may not.
Result smaller(const TensorGraph &graph, Arguments args) {
  const auto &shape = as<std::vector<int64_t>>(args[1]);
  return fromBool(dim::estimate(typeOf(graph, args[0]).numElements()) <
                  dim::estimate(elementsOf(shape)));
}

/// x has more elements than a tensor of this shape, in the same way.
Result larger(const TensorGraph &graph, Arguments args) {
  const auto &shape = as<std::vector<int64_t>>(args[1]);
  return fromBool(dim::estimate(typeOf(graph, args[0]).numElements()) >
                  dim::estimate(elementsOf(shape)));
}

/// The map leads x to the same elements in the same order under this shape.
Result isReshape(const TensorGraph &graph, Arguments args) {
  const auto &map = as<IndexMap>(args[1]);
  const auto &shape = as<std::vector<int64_t>>(args[2]);
  const TensorType &type = typeOf(graph, args[0]);
  if (type.numElements() == 0 || type.numElements() != elementsOf(shape)) {
    return fromBool(false);
  }
  return fromBool(map == graph::normalizeView(reshapeMap(type.shape, shape), shape));
}

constexpr PayloadFunction payloadFunctions[] = {
    {"same", "aa", AttrType::Int, same},
    {"same_type", "cc", AttrType::Int, sameType},
    {"dtype", "c", AttrType::DType, dtype},
    {"shape", "c", AttrType::Ints, shape},
    {"parameter", "c", AttrType::Int, isParameter},
    {"variable", "c", AttrType::Int, isVariable},
    {"all_equal", "li", AttrType::Int, allEqual},
    {"add_lists", "ll", AttrType::Ints, addLists},
    {"fill", "li", AttrType::Ints, fill},
    {"before", "cc", AttrType::Int, before},
    {"join_starts", "cc", AttrType::Ints, joinStarts},
    {"next_product", "ccc", AttrType::Int, nextProduct},
    {"lossless_via", "ddd", AttrType::Int, losslessVia},
    {"merge_axes", "cll", AttrType::Ints, mergeAxes},
    {"axes_below_view", "cmll", AttrType::Ints, axesBelowView},
    {"map_below_reduce", "cmll", AttrType::Map, mapBelowReduce},
    {"map_above_reduce", "clml", AttrType::Map, mapAboveReduce},
    {"shape_above_reduce", "cll", AttrType::Ints, shapeAboveReduce},
    {"last_axes", "ll", AttrType::Ints, lastAxes},
    {"unit_axes", "cl", AttrType::Int, unitAxes},
    {"shape_without", "cl", AttrType::Ints, shapeWithout},
    {"smaller", "cl", AttrType::Int, smaller},
    {"larger", "cl", AttrType::Int, larger},
    {"is_reshape", "cml", AttrType::Int, isReshape},
};

} // namespace

const PayloadFunction *findPayloadFunction(std::string_view name) {
  auto found = std::ranges::find(payloadFunctions, name, &PayloadFunction::name);
  return found == std::end(payloadFunctions) ? nullptr : found;
}

} // namespace zyxc::rules

// Functions that build classes for rules, by name. docs/rules.md lists them.
#include "compiler/graph/Views.h"
#include "compiler/rules/ContractChains.h"
#include "compiler/rules/ContractTerms.h"
#include "compiler/rules/SharedProducts.h"
#include "runtime/core/Dim.h"
#include <algorithm>
#include <array>
#include <cmath>

namespace zyxc::rules {

namespace {

using Result = std::optional<ClassId>;
using Arguments = std::span<const Value>;

ClassId classOf(const Value &value) {
  return std::get<ClassValue>(value).id;
}

/// Nothing where an op does not take such operands.
Result built(Expected<ClassId> cls) {
  return cls ? Result(*cls) : std::nullopt;
}

/// (splat, like): the same number in the shape of `like`, which must have its dtype.
Result splatLike(TensorGraph &graph, Arguments args) {
  const Tensor *splat = graph.splat(classOf(args[0]));
  TensorType type = graph.type(classOf(args[1]));
  if (!splat || splat->dtype() != type.dtype) {
    return std::nullopt;
  }
  return graph.addSplat(*splat, type.shape);
}

/// 1 / x of a float splat, if it is a normal number of the dtype; with `onlyExact`, if x * (1 / x)
/// is 1 without rounding, so that x is a power of two.
Result reciprocalOf(TensorGraph &graph, ClassId cls, bool onlyExact) {
  const Tensor *splat = graph.splat(cls);
  if (!splat || !isFloat(splat->dtype())) {
    return std::nullopt;
  }
  double value = splat->asDouble(0);
  int exponent = 0;
  if (value == 0 || !std::isfinite(value) ||
      (onlyExact && std::abs(std::frexp(value, &exponent)) != 0.5)) {
    return std::nullopt;
  }
  Tensor reciprocal = Tensor::scalar(splat->dtype(), 1 / value);
  // The smallest normal numbers of f16 and f8 are near 2^-14 and 2^-6.
  double smallest = splat->dtype() == DType::F64                                    ? 0x1p-1022
                    : splat->dtype() == DType::F32 || splat->dtype() == DType::BF16 ? 0x1p-126
                    : splat->dtype() == DType::F8E4M3FN                             ? 0x1p-6
                                                                                    : 0x1p-14;
  double rounded = reciprocal.asDouble(0);
  if (!std::isfinite(rounded) || std::abs(rounded) < smallest ||
      (onlyExact && rounded != 1 / value)) {
    return std::nullopt;
  }
  return graph.addSplat(std::move(reciprocal), graph.type(cls).shape);
}

Result reciprocal(TensorGraph &graph, Arguments args) {
  return reciprocalOf(graph, classOf(args[0]), false);
}
Result exactReciprocal(TensorGraph &graph, Arguments args) {
  return reciprocalOf(graph, classOf(args[0]), true);
}

/// The operands of the oldest concatenation along `axis` in a class that takes the class apart: one
/// of the class itself (alone, or with empty tensors) does not.
std::optional<std::vector<ClassId>> piecesOf(const TensorGraph &graph, ClassId cls, int64_t axis) {
  for (NodeId node : graph.nodes(cls)) {
    if (graph.kind(node) != OpKind::Concat || graph.attrs(node).getInt("axis") != axis) {
      continue;
    }
    std::vector<ClassId> pieces = graph.operands(node);
    bool holdsItself = std::ranges::any_of(
        pieces, [&](ClassId piece) { return graph.find(piece) == graph.find(cls); });
    if (!holdsItself && pieces.size() > 1) {
      return pieces;
    }
  }
  return std::nullopt;
}

/// (pieces, axis): the concatenation with those of its pieces that are concatenations too taken
/// apart, to the end: one flat node for a nest, and not one for each way to flatten a part of it.
Result flatConcat(TensorGraph &graph, Arguments args) {
  // A class may stand below itself; no sensible concatenation has more operands.
  constexpr size_t maxPieces = 4096;
  const auto &pieces = std::get<std::vector<ClassId>>(args[0]);
  int64_t axis = std::get<int64_t>(std::get<AttrValue>(args[1]));
  std::vector<ClassId> flat;
  std::vector<ClassId> work(pieces.rbegin(), pieces.rend());
  while (!work.empty()) {
    ClassId cls = work.back();
    work.pop_back();
    std::optional<std::vector<ClassId>> inner = piecesOf(graph, cls, axis);
    if (!inner) {
      flat.push_back(cls);
    } else if (flat.size() + work.size() + inner->size() > maxPieces) {
      return std::nullopt;
    } else {
      work.insert(work.end(), inner->rbegin(), inner->rend());
    }
  }
  if (flat.size() == pieces.size()) {
    return std::nullopt;
  }
  return built(graph.tryAdd(OpKind::Concat, flat, {{"axis", axis}}));
}

/// (pieces, axis, map, shape): a view of a concatenation that reads one piece only.
Result sliceOfConcat(TensorGraph &graph, Arguments args) {
  const auto &pieces = std::get<std::vector<ClassId>>(args[0]);
  int64_t axis = std::get<int64_t>(std::get<AttrValue>(args[1]));
  IndexMap map = std::get<IndexMap>(std::get<AttrValue>(args[2]));
  const Shape &shape = std::get<Shape>(std::get<AttrValue>(args[3]));
  bool isAxis = axis >= 0 && axis < static_cast<int64_t>(map.results.size());
  bool fits = isAxis && std::ranges::all_of(pieces, [&](ClassId piece) {
                return graph.type(piece).shape.size() == map.results.size();
              });
  if (!fits || map.numDims != static_cast<int64_t>(shape.size()) || numElements(shape) == 0) {
    return std::nullopt;
  }
  auto [low, high] = map.results[axis].range(shape);
  int64_t offset = 0;
  for (ClassId piece : pieces) {
    int64_t end = dim::add(offset, graph.type(piece).shape[axis]);
    if (dim::provablyAtMost(offset, low) && dim::provablyLess(high, end)) {
      map.results[axis] = map.results[axis] - IndexExpr(offset);
      Attrs attrs = {{"map", std::move(map)}, {"shape", shape}};
      return built(graph.tryAdd(OpKind::View, std::array{piece}, attrs));
    }
    offset = end;
  }
  return std::nullopt;
}

/// The identity map of a rank, moved by `offset` along one axis, in normal form for `shape`.
IndexMap windowMap(const Shape &shape, int64_t axis, int64_t offset) {
  IndexMap map = IndexMap::identity(static_cast<int64_t>(shape.size()));
  map.results[axis] = map.results[axis] + IndexExpr(offset);
  return graph::normalizeView(map, shape);
}

/// True if `piece` is the window of `source` that starts at `offset` along `axis`.
bool isWindow(const TensorGraph &graph, ClassId piece, ClassId source, int64_t axis,
              int64_t offset) {
  const Shape &shape = graph.type(piece).shape;
  return std::ranges::any_of(graph.nodes(piece), [&](NodeId node) {
    return graph.kind(node) == OpKind::View && graph.operands(node)[0] == source &&
           graph.attrs(node).getMap("map") == windowMap(shape, axis, offset);
  });
}

/// (pieces, axis): pieces that are neighbouring windows of one tensor, as one window of it.
Result joinSlices(TensorGraph &graph, Arguments args) {
  const auto &pieces = std::get<std::vector<ClassId>>(args[0]);
  int64_t axis = std::get<int64_t>(std::get<AttrValue>(args[1]));
  if (pieces.size() < 2) {
    return std::nullopt;
  }
  Shape shape = graph.type(pieces[0]).shape;
  bool isAxis = axis >= 0 && axis < static_cast<int64_t>(shape.size());
  if (!isAxis || std::ranges::any_of(pieces, [&](ClassId piece) {
        const TensorType &type = graph.type(piece);
        return type.numElements() == 0 || type.shape.size() != shape.size();
      })) {
    return std::nullopt;
  }
  for (NodeId node : graph.nodes(pieces[0])) {
    if (graph.kind(node) != OpKind::View) {
      continue;
    }
    ClassId source = graph.operands(node)[0];
    if (graph.type(source).rank() != static_cast<int64_t>(shape.size())) {
      continue;
    }
    int64_t start = graph.attrs(node).getMap("map").results[axis].constant();
    int64_t offset = start;
    bool fits = true;
    for (ClassId piece : pieces) {
      fits = fits && isWindow(graph, piece, source, axis, offset);
      offset = dim::add(offset, graph.type(piece).shape[axis]);
    }
    if (fits) {
      shape[axis] = dim::sub(offset, start);
      Attrs attrs = {{"map", windowMap(shape, axis, start)}, {"shape", shape}};
      return graph.add(OpKind::View, std::array{source}, attrs);
    }
  }
  return std::nullopt;
}

constexpr TermFunction termFunctions[] = {
    {"splat_like", "cc", splatLike},
    {"reciprocal", "c", reciprocal},
    {"exact_reciprocal", "c", exactReciprocal},
    {"flat_concat", "si", flatConcat},
    {"slice_of_concat", "siml", sliceOfConcat},
    {"join_slices", "si", joinSlices},
    {"contract_of_product", "ccl", contractOfProduct},
    {"scale_contract", "cclllddc", scaleContract},
    {"divide_contract", "cclllddlmli", divideContract},
    {"join_parameters", "cc", joinParameters},
    {"join_addends", "ccc", joinAddends},
    {"contract_in_order", "ccllldd", contractInOrder},
};

} // namespace

const TermFunction *findTermFunction(std::string_view name) {
  auto found = std::ranges::find(termFunctions, name, &TermFunction::name);
  return found == std::end(termFunctions) ? nullptr : found;
}

} // namespace zyxc::rules

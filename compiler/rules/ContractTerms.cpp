#include "compiler/rules/ContractTerms.h"
#include <algorithm>
#include <array>

namespace zyxc::rules {

namespace {

/// A tensor and a label for each of its axes.
struct Labelled {
  ClassId cls;
  std::vector<int64_t> labels;
};

/// A view as a labelled tensor, if it only permutes and repeats axes: axis i of the view has label
/// i.
std::optional<Labelled> lookThrough(const TensorGraph &graph, NodeId view, int64_t &nextLabel) {
  const IndexMap &map = graph.attrs(view).getMap("map");
  const Shape &shape = graph.attrs(view).getInts("shape");
  ClassId source = graph.operands(view)[0];
  const Shape &sourceShape = graph.type(source).shape;
  std::vector<bool> used(shape.size());
  for (const IndexExpr &expr : map.results) {
    if (expr.asDim() >= 0) {
      used[expr.asDim()] = true;
    }
  }
  Labelled result = {source, {}};
  for (size_t axis = 0; axis < sourceShape.size(); ++axis) {
    const IndexExpr &expr = map.results[axis];
    int64_t dim = expr.asDim();
    if (dim >= 0 && sourceShape[axis] == shape[dim] && !std::ranges::count(result.labels, dim)) {
      result.labels.push_back(dim);
      continue;
    }
    if (sourceShape[axis] != 1) {
      return std::nullopt;
    }
    // An axis of extent 1 stands for one of the view's, or for none.
    auto free = std::ranges::find_if(used, [&](bool taken) { return !taken; });
    while (free != used.end() && shape[free - used.begin()] != 1) {
      free = std::find(free + 1, used.end(), false);
    }
    if (free == used.end()) {
      result.labels.push_back(nextLabel++);
    } else {
      *free = true;
      result.labels.push_back(free - used.begin());
    }
  }
  return result;
}

Labelled labelled(const TensorGraph &graph, ClassId cls, int64_t &nextLabel) {
  for (NodeId node : graph.nodes(cls)) {
    if (graph.kind(node) != OpKind::View) {
      continue;
    }
    if (std::optional<Labelled> result = lookThrough(graph, node, nextLabel)) {
      return *result;
    }
  }
  Labelled whole = {cls, {}};
  for (int64_t axis = 0; axis < graph.type(cls).rank(); ++axis) {
    whole.labels.push_back(axis);
  }
  return whole;
}

/// Labels below the rank whose axis is longer than 1, ascending.
std::vector<int64_t> longLabels(const Labelled &operand, const Shape &shape) {
  std::vector<int64_t> labels;
  for (int64_t label : operand.labels) {
    if (label < static_cast<int64_t>(shape.size()) && shape[label] > 1) {
      labels.push_back(label);
    }
  }
  std::ranges::sort(labels);
  return labels;
}

const std::vector<int64_t> &ints(const Value &value) {
  return std::get<std::vector<int64_t>>(std::get<AttrValue>(value));
}

/// `scale`, a tensor shaped like the contraction, as a tensor shaped like an operand whose axes
/// have `labels`; axis i of the contraction has label out[i].
std::optional<ClassId> scaleForOperand(TensorGraph &graph, ClassId scale,
                                       const std::vector<int64_t> &out, ClassId operand,
                                       const std::vector<int64_t> &labels) {
  Shape shape = graph.type(operand).shape;
  if (const Tensor *splat = graph.splat(scale)) {
    return graph.addSplat(*splat, shape);
  }
  for (NodeId node : graph.nodes(scale)) {
    if (graph.kind(node) != OpKind::View) {
      continue;
    }
    IndexMap map = graph.attrs(node).getMap("map");
    ClassId source = graph.operands(node)[0];
    std::vector<IndexExpr> replacements(out.size());
    bool fits = true;
    for (size_t dim = 0; dim < out.size(); ++dim) {
      auto axis = std::ranges::find(labels, out[dim]);
      if (axis != labels.end()) {
        replacements[dim] = IndexExpr::dim(axis - labels.begin());
      } else if (std::ranges::any_of(map.results, [&](const IndexExpr &expr) {
                   return expr.uses(static_cast<int64_t>(dim));
                 })) {
        fits = false;
      }
    }
    if (!fits) {
      continue;
    }
    for (IndexExpr &expr : map.results) {
      expr = substitute(expr, replacements, shape);
    }
    map.numDims = static_cast<int64_t>(shape.size());
    Attrs attrs = {{"map", std::move(map)}, {"shape", shape}};
    Expected<ClassId> view = graph.tryAdd(OpKind::View, std::array{source}, attrs);
    if (view) {
      return *view;
    }
  }
  return std::nullopt;
}

} // namespace

/// A contraction with the attributes that `arguments` hold, from lhs to dtype.
static std::optional<ClassId> buildContract(TensorGraph &graph, std::array<ClassId, 2> operands,
                                            std::span<const Value> arguments) {
  Attrs attrs;
  static constexpr const char *names[] = {"lhs", "rhs", "out", "accumulate", "dtype"};
  for (size_t i = 0; i < std::size(names); ++i) {
    attrs.set(names[i], std::get<AttrValue>(arguments[i]));
  }
  Expected<ClassId> built = graph.tryAdd(OpKind::Contract, operands, attrs);
  return built ? std::optional<ClassId>(*built) : std::nullopt;
}

std::optional<ClassId> contractOfProduct(TensorGraph &graph, std::span<const Value> arguments) {
  ClassId a = std::get<ClassValue>(arguments[0]).id;
  ClassId b = std::get<ClassValue>(arguments[1]).id;
  const std::vector<int64_t> &axes = ints(arguments[2]);
  TensorType type = graph.type(a);
  if (type.numElements() == 0 || type.dtype == DType::Bool) {
    return std::nullopt;
  }
  int64_t nextLabel = type.rank();
  Labelled x = labelled(graph, a, nextLabel);
  Labelled y = labelled(graph, b, nextLabel);
  if (longLabels(x, type.shape) == longLabels(y, type.shape)) {
    return std::nullopt;
  }
  std::vector<int64_t> out;
  for (int64_t label = 0; label < type.rank(); ++label) {
    if (!std::ranges::count(x.labels, label) && !std::ranges::count(y.labels, label)) {
      return std::nullopt; // both operands repeat along this axis
    }
    if (!std::ranges::count(axes, label)) {
      out.push_back(label);
    }
  }
  Attrs attrs = {{"lhs", x.labels},
                 {"rhs", y.labels},
                 {"out", std::move(out)},
                 {"accumulate", accumulatorOf(type.dtype)},
                 {"dtype", type.dtype}};
  Expected<ClassId> built = graph.tryAdd(OpKind::Contract, std::array{x.cls, y.cls}, attrs);
  return built ? std::optional<ClassId>(*built) : std::nullopt;
}

std::optional<ClassId> scaleContract(TensorGraph &graph, std::span<const Value> arguments) {
  std::array<ClassId, 2> operands = {std::get<ClassValue>(arguments[0]).id,
                                     std::get<ClassValue>(arguments[1]).id};
  ClassId scale = std::get<ClassValue>(arguments[7]).id;
  const std::vector<int64_t> &out = ints(arguments[4]);
  if (graph.type(scale).shape.size() != out.size()) {
    return std::nullopt;
  }
  for (int side : {1, 0}) {
    ClassId operand = operands[side];
    if (ints(arguments[2 + side]).size() != graph.type(operand).shape.size() ||
        !graph.isParameter(operand) || graph.type(operand).dtype != graph.type(scale).dtype) {
      continue;
    }
    std::optional<ClassId> fitted =
        scaleForOperand(graph, scale, out, operand, ints(arguments[2 + side]));
    if (!fitted) {
      continue;
    }
    Expected<ClassId> scaled = graph.tryAdd(OpKind::Mul, std::array{operand, *fitted});
    if (!scaled) {
      continue;
    }
    operands[side] = *scaled;
    return buildContract(graph, operands, arguments.subspan(2, 5));
  }
  return std::nullopt;
}

std::optional<ClassId> divideContract(TensorGraph &graph, std::span<const Value> arguments) {
  std::array<ClassId, 2> operands = {std::get<ClassValue>(arguments[0]).id,
                                     std::get<ClassValue>(arguments[1]).id};
  int64_t side = std::get<int64_t>(std::get<AttrValue>(arguments[10]));
  if (side != 0 && side != 1) {
    return std::nullopt;
  }
  ClassId divided = operands[side];
  const std::vector<int64_t> &out = ints(arguments[4]);
  const std::vector<int64_t> &labels = ints(arguments[2 + side]);
  Expected<ClassId> sum =
      graph.tryAdd(OpKind::ReduceSum, std::array{divided}, {{"axes", ints(arguments[7])}});
  if (!sum || graph.type(divided).rank() != std::ssize(labels)) {
    return std::nullopt;
  }
  Attrs attrs;
  attrs.set("map", std::get<AttrValue>(arguments[8]));
  attrs.set("shape", std::get<AttrValue>(arguments[9]));
  Expected<ClassId> view = graph.tryAdd(OpKind::View, std::array{*sum}, attrs);
  if (!view || graph.type(*view).rank() != std::ssize(out) ||
      graph.type(*view).dtype != graph.type(divided).dtype) {
    return std::nullopt;
  }
  std::optional<ClassId> fitted = scaleForOperand(graph, *view, out, divided, labels);
  if (!fitted) {
    return std::nullopt;
  }
  Expected<ClassId> quotient = graph.tryAdd(OpKind::Div, std::array{divided, *fitted});
  if (!quotient) {
    return std::nullopt;
  }
  operands[side] = *quotient;
  return buildContract(graph, operands, arguments.subspan(2, 5));
}

} // namespace zyxc::rules

#include "compiler/rules/ReduceViews.h"
#include <algorithm>

namespace zyxc::rules {

namespace {

using Result = std::optional<AttrValue>;
using Arguments = std::span<const Value>;
using Ints = std::vector<int64_t>;

template <class T> const T &as(const Value &value) {
  return std::get<T>(std::get<AttrValue>(value));
}

const Shape &shapeOf(const TensorGraph &graph, const Value &value) {
  return graph.type(std::get<ClassValue>(value).id).shape;
}

bool contains(const Ints &list, int64_t value) {
  return std::ranges::count(list, value) > 0;
}

/// Different axes of a tensor of this rank, ascending.
bool areAscendingAxes(const Ints &axes, size_t rank) {
  return std::ranges::is_sorted(axes, std::less_equal<>()) &&
         (axes.empty() || (axes.front() >= 0 && axes.back() < static_cast<int64_t>(rank)));
}

/// The axes of x that a reduction of its view over `axes` reduces; see axesBelowView.
std::optional<Ints> reducedBelow(const Shape &x, const IndexMap &map, const Shape &shape,
                                 const Ints &axes) {
  if (map.results.size() != x.size() || map.numDims != static_cast<int64_t>(shape.size()) ||
      !areAscendingAxes(axes, shape.size())) {
    return std::nullopt;
  }
  Ints reduced;
  Ints dims; ///< of the view, by place in `reduced`
  for (size_t axis = 0; axis < x.size(); ++axis) {
    const IndexExpr &expr = map.results[axis];
    bool isReduced =
        std::ranges::any_of(axes, [&](int64_t reducedDim) { return expr.uses(reducedDim); });
    if (!isReduced) {
      continue;
    }
    if (expr.asDim() < 0 || x[axis] != shape[expr.asDim()]) {
      return std::nullopt;
    }
    reduced.push_back(static_cast<int64_t>(axis));
    dims.push_back(expr.asDim());
  }
  // An axis that no coordinate of x follows has extent 1, or repeats what is reduced.
  std::erase_if(dims, [&](int64_t dim) { return shape[dim] == 1; });
  Ints wanted = axes;
  std::erase_if(wanted, [&](int64_t dim) { return shape[dim] == 1; });
  return !reduced.empty() && dims == wanted ? std::optional(reduced) : std::nullopt;
}

} // namespace

Result axesBelowView(const TensorGraph &graph, Arguments args) {
  auto reduced = reducedBelow(shapeOf(graph, args[0]), as<IndexMap>(args[1]), as<Ints>(args[2]),
                              as<Ints>(args[3]));
  return reduced ? Result(*reduced) : std::nullopt;
}

Result mapBelowReduce(const TensorGraph &graph, Arguments args) {
  const auto &map = as<IndexMap>(args[1]);
  const auto &shape = as<Ints>(args[2]);
  const auto &axes = as<Ints>(args[3]);
  std::optional<Ints> reduced = reducedBelow(shapeOf(graph, args[0]), map, shape, axes);
  if (!reduced) {
    return std::nullopt;
  }
  // The axes of the view that are left move up.
  std::vector<IndexExpr> replacements(shape.size());
  Shape left;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    if (!contains(axes, static_cast<int64_t>(dim))) {
      replacements[dim] = IndexExpr::dim(static_cast<int64_t>(left.size()));
      left.push_back(shape[dim]);
    }
  }
  IndexMap result;
  result.numDims = static_cast<int64_t>(left.size());
  for (size_t axis = 0; axis < map.results.size(); ++axis) {
    if (!contains(*reduced, static_cast<int64_t>(axis))) {
      result.results.push_back(substitute(map.results[axis], replacements, left));
    }
  }
  return AttrValue(std::move(result));
}

Result mapAboveReduce(const TensorGraph &graph, Arguments args) {
  const Shape &x = shapeOf(graph, args[0]);
  const auto &axes = as<Ints>(args[1]);
  const auto &map = as<IndexMap>(args[2]);
  const auto &shape = as<Ints>(args[3]);
  if (!areAscendingAxes(axes, x.size()) || map.results.size() + axes.size() != x.size() ||
      map.numDims != static_cast<int64_t>(shape.size())) {
    return std::nullopt;
  }
  IndexMap result;
  result.numDims = map.numDims;
  auto kept = map.results.begin();
  for (size_t axis = 0; axis < x.size(); ++axis) {
    bool isReduced = contains(axes, static_cast<int64_t>(axis));
    result.results.push_back(isReduced ? IndexExpr::dim(result.numDims++) : *kept++);
  }
  return AttrValue(std::move(result));
}

Result shapeAboveReduce(const TensorGraph &graph, Arguments args) {
  const Shape &x = shapeOf(graph, args[0]);
  const auto &axes = as<Ints>(args[1]);
  if (!areAscendingAxes(axes, x.size())) {
    return std::nullopt;
  }
  Shape shape = as<Ints>(args[2]);
  for (int64_t axis : axes) {
    shape.push_back(x[axis]);
  }
  return AttrValue(std::move(shape));
}

Result lastAxes(const TensorGraph &, Arguments args) {
  Ints axes(as<Ints>(args[1]).size());
  for (size_t i = 0; i < axes.size(); ++i) {
    axes[i] = static_cast<int64_t>(as<Ints>(args[0]).size() + i);
  }
  return AttrValue(std::move(axes));
}

} // namespace zyxc::rules

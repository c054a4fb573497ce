// Functions of rules that move views through reductions. Sums keep their order.
#pragma once
#include "compiler/rules/Rule.h"

namespace zyxc::rules {

/// (x, map, shape, axes), of the reduction over `axes` of the view (map, shape) of x: the axes of x
/// that it reduces, where it is a view of a reduction of x. Each of `axes` is then an axis of x as
/// a whole, in the same order, and no other axis of x depends on it. Nothing otherwise, or if no
/// axis is reduced.
std::optional<AttrValue> axesBelowView(const TensorGraph &graph, std::span<const Value> arguments);
/// (x, map, shape, axes): the map of that view of the reduction.
std::optional<AttrValue> mapBelowReduce(const TensorGraph &graph, std::span<const Value> arguments);

/// (x, axes, map, shape), of the view (map, shape) of the reduction of x over `axes`: the map of a
/// view of x whose reduction over its last axes, as many as `axes`, is that.
std::optional<AttrValue> mapAboveReduce(const TensorGraph &graph, std::span<const Value> arguments);
/// (x, axes, shape): the shape of that view.
std::optional<AttrValue> shapeAboveReduce(const TensorGraph &graph,
                                          std::span<const Value> arguments);
/// (shape, axes): the axes behind those of `shape`, as many as `axes`.
std::optional<AttrValue> lastAxes(const TensorGraph &graph, std::span<const Value> arguments);

} // namespace zyxc::rules

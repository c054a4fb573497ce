// Programs with open sizes: axes of a static program become variables.
#pragma once
#include "test/fuzz/graphs/program/Graph.h"

namespace zyxc::fuzz {

/// The program with some axes of its inputs, and what follows from them, as variables N0, N1, ..
/// whose values, the sizes of the static program, are in `sizes`. Constants may become inputs.
/// Without variables if no axis can be opened. The same seed opens the same axes.
Graph opened(Graph graph, uint64_t seed);

/// A random program, opened. Where it has no axis that can be open, all of its inputs are scalars,
/// say, another program with the same op on the same dtype takes its place.
Graph generateOpen(uint64_t seed, std::optional<OpKind> op = {});

/// The program with variables replaced by numbers; the values of leaves are repeated or cut to
/// their sizes. The error says which op is not valid at these sizes.
Expected<Graph> bound(const Graph &graph, const dim::Bindings &sizes);

/// Values of the leaves at some sizes; the error says that there are none.
Expected<std::vector<Tensor>> inputsAt(const Graph &graph, const dim::Bindings &sizes);

/// True if each variable is the size of an axis of an input.
bool findsSizes(const Graph &graph);

/// Axes of inputs that are no number.
int64_t countOpenAxes(const Graph &graph);

} // namespace zyxc::fuzz

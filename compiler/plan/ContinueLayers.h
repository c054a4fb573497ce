// The steps of layers that the graph leaves out (graph::Layers).
#pragma once
#include "compiler/plan/Buffers.h"

namespace zyxc::plan {

/// Finds two runs of steps that follow each other and compute alike, each from the parameters of
/// its layer and from what the run before made, and repeats the second one for every layer that is
/// left out. Layer constants become constants, steps at load are repeated as well. False if there
/// are no such runs: nothing is changed then. Before `buffers` places anything.
Expected<bool> continueLayers(const graph::TensorGraph &graph, Buffers &buffers,
                              std::vector<Step> &prepare, std::vector<Step> &steps);

} // namespace zyxc::plan

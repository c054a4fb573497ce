// From a candidate back to the source graph.
#pragma once
#include "compiler/kernelize/Candidates.h"

namespace zyxc::plan {

/// The names of the source nodes that a candidate computes, in graph order: "conv1 + bn1 + relu1".
/// Empty if all its nodes come from rules.
std::string originsOf(const graph::TensorGraph &graph, const kernelize::Candidate &candidate);

} // namespace zyxc::plan

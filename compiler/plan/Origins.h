// From a candidate back to the source graph.
#pragma once
#include "compiler/kernelize/Candidates.h"

namespace zyxc::plan {

/// The names of the source nodes whose ops a candidate computes, each once, in graph order. None if
/// all its nodes come from rules.
std::vector<std::string> originNames(const graph::TensorGraph &graph,
                                     const kernelize::Candidate &candidate);

/// The same as one text: "conv1 + bn1 + relu1".
std::string joinNames(const std::vector<std::string> &names);

} // namespace zyxc::plan

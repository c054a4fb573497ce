// A candidate table as a problem of extraction, and back.
#pragma once
#include "compiler/plan/choose/Choose.h"

namespace zyxc::plan {

/// Candidates keep their numbers; required are the roots of the graph.
extract::Problem problemOf(const graph::TensorGraph &graph, const kernelize::CandidateTable &table);

/// The choice that a solution of that problem is.
Choice choiceOf(extract::Solution solution);

} // namespace zyxc::plan

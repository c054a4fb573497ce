// Where a graph of repeated parts, such as the layers of a network, can be cut: tensors that are
// alone between two parts, and of which there are many alike.
#pragma once
#include "compiler/kernelize/Candidates.h"

namespace zyxc::plan {

/// Classes that may be stored in any case, so that what lies between them is chosen on its own.
struct Borders {
  std::vector<kernelize::ClassId> classes; ///< operands before users
  int64_t alive = 0; ///< the most tensors, itself included, that are needed across one of them
};

/// When borders are looked for.
struct BorderLimits {
  size_t leastCandidates = 2000; ///< smaller tables are searched whole, in little time
  size_t leastBorders = 8;       ///< the fewest equal places that are worth cutting at
  size_t mostSets = 4;           ///< that are tried
};

/// Sets of classes that are alike as far as a few levels of ops below them tell, the narrowest
/// first. Leaves and parameters are compared by type, literals by value. Only classes that
/// candidates produce and read are offered.
std::vector<Borders> findBorders(const graph::TensorGraph &graph,
                                 const kernelize::CandidateTable &table,
                                 const BorderLimits &limits = {});

} // namespace zyxc::plan

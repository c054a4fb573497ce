// The extraction problem of an e-graph file: classes, a candidate per node, costs as integers.
#pragma once
#include "compiler/extract/Extract.h"
#include "tools/zyxc/egraph/EGraphFile.h"

namespace zyxc::tool {

/// An e-graph as the extractor takes it. A cost of c stands for c * 10^-decimals.
struct EGraphProblem {
  extract::Problem problem;
  std::vector<uint32_t> node; ///< of each candidate; a node that uses its own class has none
  int decimals = 0;
  bool rounded = false; ///< some costs have more decimals and were rounded to the nearest

  /// A cost of the problem in the unit of the file, without trailing zeros.
  std::string text(int64_t cost) const;
};

/// Costs are scaled to integers, exactly where all of them and the largest sum that a choice can
/// have fit; else the decimals behind those that fit are rounded. Input if a root has no finite
/// term; Unsupported if costs are too large.
Expected<EGraphProblem> makeProblem(const EGraphFile &graph);

} // namespace zyxc::tool

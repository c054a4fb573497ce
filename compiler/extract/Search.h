// Branch and bound over sets of pending classes, best bound first.
#pragma once
#include "compiler/extract/DualBound.h"
#include "compiler/extract/Memory.h"

namespace zyxc::extract {

/// The outcome of a search; costs are in the unit of the candidates.
struct SearchResult {
  std::vector<uint32_t> options; ///< the best choice found; in no order
  int64_t lowerBound = 0;
  uint64_t searchNodes = 0;
};

/// Improves on an incumbent (options of cost `incumbentCost`). The classes are decided from the
/// last to the first in rank order, so what is still to come depends on a small state only: the
/// classes that are asked for, those that a shared candidate has produced early, and the chosen
/// candidates that still exclude others. Equal states are merged, so chains and blocks joined by
/// few classes cost the sum, not the product, of their choices. Ends after `maxNodes` states, when
/// the effort is over, or when the states that are known take up the memory: the bound is then that
/// of the states which are open.
SearchResult search(const Model &model, const DualBound &bound, std::vector<uint32_t> incumbent,
                    uint64_t maxNodes, Effort &effort, Memory &memory);

} // namespace zyxc::extract

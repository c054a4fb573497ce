// Branch and bound over whole models: at each node the model is reduced, bounded from both sides,
// split into parts, and only what is left is branched on.
#pragma once
#include "compiler/extract/Model.h"

namespace zyxc::extract {

/// What a branch came to; costs are those of the options of its model.
struct BranchResult {
  bool found = false; ///< a choice that costs less than the cutoff
  int64_t cost = 0;
  std::vector<uint32_t> candidates; ///< of the problem, in no order
  int64_t lowerBound = 0;           ///< every choice costs this, or at least the cutoff
};

/// Solves models without conflicts within a budget of effort.
class Brancher {
public:
  /// `budget`: in search nodes; rounds of bounds count by their size.
  /// `stateShare`: see Limits.
  Brancher(uint64_t budget, uint32_t stateShare) : budget(budget), stateShare(stateShare) {}

  /// The cheapest choice that costs less than `cutoff`.
  BranchResult solve(Model model, int64_t cutoff, uint32_t depth = 0);

  uint64_t spent() const { return nodes; }

private:
  struct Node;
  bool bound(Node &node);
  bool offerGreedy(Node &node);
  void solveParts(Node &node, std::vector<Model> parts);
  bool solveByStates(Node &node, uint64_t most);
  void branch(Node &node);
  void take(Node &node, const BranchResult &result) const;
  bool isSpent() const { return nodes >= budget; }

  uint64_t budget;
  uint32_t stateShare;
  uint64_t nodes = 0;
};

} // namespace zyxc::extract

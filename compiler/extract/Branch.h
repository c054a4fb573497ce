// Branch and bound over whole models: at each node the model is reduced, bounded from both sides,
// split into parts, and only what is left is branched on.
#pragma once
#include "compiler/extract/Memory.h"
#include "compiler/extract/PriceBound.h"

namespace zyxc::extract {

/// What a branch came to; costs are those of the options of its model.
struct BranchResult {
  bool found = false; ///< a choice that costs less than the cutoff
  int64_t cost = 0;
  std::vector<uint32_t> candidates; ///< of the problem, in no order
  int64_t lowerBound = 0;           ///< every choice costs this, or at least the cutoff
};

/// Solves models without conflicts within a budget of effort. Nodes that the memory has no room for
/// are not branched on: their bound stands.
class Brancher {
public:
  /// `stateShare`: see Limits.
  Brancher(Effort &effort, Memory &memory, uint32_t stateShare)
      : effort(&effort), memory(memory), stateShare(stateShare) {}

  /// The cheapest choice that costs less than `cutoff`.
  BranchResult solve(Model model, int64_t cutoff) { return solve(std::move(model), cutoff, {}, 0); }

  /// Nodes of the tree, and states.
  uint64_t searchNodes() const { return nodes; }

private:
  struct Node;
  struct Split;
  BranchResult solve(Model model, int64_t cutoff, const Prices &prices, uint32_t depth);
  bool boundAndSplit(Node &node);
  bool bound(Node &node);
  bool offerGreedy(Node &node);
  void boundByPrices(Node &node, std::vector<bool> &dropped, bool isFirst);
  void solveParts(Node &node, std::vector<Model> parts);
  bool solveByStates(Node &node, Effort &part, uint64_t mostStates);
  BranchResult solveWithin(Effort &part, Model model, Node &node);
  static Split splitOf(const Node &node);
  static Model caseOf(const Model &model, const Split &split, bool isPicked);
  bool hasRoom(const Node &node);
  void branch(Node &node);
  void take(Node &node, const BranchResult &result) const;

  Effort *effort;
  Memory &memory;
  uint32_t stateShare;
  uint64_t nodes = 0;
};

} // namespace zyxc::extract

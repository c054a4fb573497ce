// What a choice would cost with a rejected candidate in place of the chosen one.
#pragma once
#include "compiler/plan/PlanBuilder.h"

namespace zyxc::explain {

/// A choice in which one candidate replaces another and the rest stays, but for what is then needed
/// besides and what no longer is.
struct Swap {
  enum class Outcome : uint8_t {
    Possible, ///< the choice is closed and acyclic again
    Place,    ///< a tensor would have two places (CandidateTable::conflicts)
    Cycle,    ///< something would need its own result
  };
  Outcome outcome = Outcome::Possible;
  std::vector<uint32_t> added;   ///< candidates, the new one first
  std::vector<uint32_t> removed; ///< candidates; the old one among them unless it is needed still
  int64_t difference = 0;        ///< picoseconds: of what is added, less what is removed
};

/// Swaps in one choice. What is needed besides is made in the way that is cheapest alone: the best
/// choice with the new candidate may cost less than the one found here, and never more.
class Swaps {
public:
  /// All three must outlive this.
  Swaps(const graph::TensorGraph &graph, const kernelize::CandidateTable &table,
        const plan::Choice &choice);

  /// `other` makes some class that `chosen`, which is in the choice, makes.
  Swap swap(uint32_t chosen, uint32_t other) const;

  /// The chosen candidate that makes a class; egraph::none if none does.
  uint32_t makerOf(kernelize::ClassId cls) const;

private:
  class Attempt;

  void findCheapest();

  const kernelize::CandidateTable &table;
  std::vector<bool> given;                      ///< by class
  std::vector<uint32_t> uses;                   ///< by class: chosen readers, and roots
  std::vector<uint32_t> maker;                  ///< by class
  std::vector<uint32_t> position;               ///< by candidate: its place in the choice, or none
  std::vector<uint32_t> cheapest;               ///< by class that nothing chosen makes
  std::vector<std::vector<uint32_t>> conflicts; ///< by candidate
};

} // namespace zyxc::explain

// Exact choice from a hypergraph of candidates: which candidates produce the required classes at
// the least total cost, each paid for once (DAG cost). Knows nothing of tensors, kernels or MLIR.
#pragma once
#include "runtime/support/Status.h"
#include <cstdint>
#include <utility>
#include <vector>

namespace zyxc::extract {

/// A way to produce `outputs` when all `inputs` are present, at `cost` (any unit, not negative).
/// No class may be an input and an output of one candidate, unless it is given.
struct Candidate {
  std::vector<uint32_t> inputs;
  std::vector<uint32_t> outputs;
  int64_t cost = 0;
};

/// Classes are 0 ... numClasses - 1; candidates are known by their index.
struct Problem {
  uint32_t numClasses = 0;
  std::vector<uint32_t> given;    ///< classes that are there for free
  std::vector<uint32_t> required; ///< classes that must be there in the end
  std::vector<Candidate> candidates;
  /// Pairs of candidates that may not both be chosen.
  std::vector<std::pair<uint32_t, uint32_t>> conflicts;
};

/// Search effort, in counts, so that the result does not depend on the machine.
struct Limits {
  /// Effort in search nodes. One is 4000 numbers touched, whatever they are touched for, so that a
  /// budget takes about the same time on any problem.
  uint64_t searchNodes = 200000;
  uint32_t boundRounds = 256; ///< rounds of dual ascent for the bound of a state
  /// One in so many of the nodes goes to best-first search over states, before the problem is
  /// branched on; 0: none.
  uint32_t stateShare = 4;
  /// Bytes that the states and the nodes of the tree may take up, as far as they are known at once.
  /// A search over states that meets the limit ends with the bound that it has, a node of the tree
  /// is not branched on.
  uint64_t memory = uint64_t(2) << 30;
  /// Wall time after which the search ends, beside the effort; 0: no limit. The result then depends
  /// on the machine, and on what else it does.
  double seconds = 0;
};

/// A choice with its certificate. Costs are in the unit of the candidates.
struct Solution {
  std::vector<uint32_t> chosen; ///< candidates, each after the producers of its inputs
  int64_t cost = 0;
  int64_t lowerBound = 0;   ///< no choice costs less
  bool proved = false;      ///< cost == lowerBound
  uint64_t searchNodes = 0; ///< states and nodes of the tree that were looked at
  bool endedByTime = false; ///< Limits::seconds were over
  uint64_t effort = 0;      ///< what was used of Limits::searchNodes
  uint64_t memoryHits = 0;  ///< how often Limits::memory ended something

  int64_t gap() const { return cost - lowerBound; }
};

/// The cheapest closed and acyclic choice, or the best one found within the limits. The same
/// problem and limits give the same solution. Unsupported if a required class cannot be produced,
/// Input if the problem is none: a number out of range, a negative cost, a candidate that needs
/// what it makes.
Expected<Solution> solve(const Problem &problem, const Limits &limits = {});

/// Replays a solution: every input present when it is read, every required class produced, no
/// conflict, cost and bound consistent. Shares no code with the solver.
Status check(const Problem &problem, const Solution &solution);

} // namespace zyxc::extract

// Equality saturation with rules that are data: in each iteration all rules are searched, then all
// matches applied, then the graph rebuilt once.
#pragma once
#include "compiler/egraph/pattern/Applier.h"
#include <functional>

namespace zyxc::egraph {

/// How far a run goes.
struct SaturateOptions {
  Budget budget;
  /// A rule with more matches than this in one iteration is not applied, and not searched for some
  /// iterations; limit and time double each time. 0: no rule is held back. Each rule is then
  /// searched alone.
  uint64_t backoffMatches = 0;
  uint32_t backoffIterations = 5;
  /// An iteration takes at most this part of the graph's rows as new, the oldest first, and leaves
  /// the others for later ones. Iterations are many then, but each sees what the ones before have
  /// made equal, so that less is added and merged again. 0: each iteration takes all.
  double newRows = 0;
  uint32_t leastNewRows = 256; ///< with newRows: at least so many
  /// Threads that search; the graph is the same for each number of them.
  unsigned threads = 1;
  /// Each rule is searched alone, so that its time is known; they share no beginnings then.
  bool timeRules = false;
  /// Verify the e-graph's invariants after each iteration (slow; for tests).
  bool verify = false;
  /// Called after each rebuild, if it is set; an error ends the run as a conflict.
  std::function<Status(const EGraph &)> check;
};

/// What one iteration did; times in milliseconds.
struct IterationReport {
  uint64_t matches = 0;
  uint32_t nodes = 0;   ///< live nodes afterwards
  uint32_t classes = 0; ///< afterwards
  double search = 0, apply = 0, rebuild = 0;
};

/// What one rule did; times in milliseconds.
struct RuleReport : RuleCount {
  std::string name;
  double search = 0; ///< only where rules are searched alone
  double apply = 0;
  uint32_t heldBack = 0; ///< times that the scheduler held it back
};

/// What a run did.
struct SaturateReport {
  StopReason stop = StopReason::Saturated;
  uint64_t matches = 0;
  std::vector<IterationReport> iterations;
  std::vector<RuleReport> rules; ///< in the order of the rules
  Status conflict;               ///< an error if stop is Conflict
};

/// Applies the rules until nothing is new or the budget is used up. The graph tracks ages. The same
/// graph, rules and options give the same graph, times aside. Unsupported if a rule is too large.
Expected<SaturateReport> saturate(EGraph &graph, std::span<const Rule> rules,
                                  const SaturateOptions &options = {});

} // namespace zyxc::egraph

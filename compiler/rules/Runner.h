// Equality saturation: applies rules to a tensor e-graph until nothing is new or a budget is used
// up.
#pragma once
#include "compiler/egraph/Budget.h"
#include "compiler/rules/Rule.h"

namespace zyxc::rules {

/// How far a run goes.
struct RunOptions {
  Numerics numerics = Numerics::Approx;
  egraph::Budget budget;
  /// Verify the e-graph's invariants after each iteration (slow; for tests).
  bool verify = false;
};

/// What one rule did.
struct RuleCount {
  std::string name;
  uint64_t matches = 0; ///< distinct matches that gave a result
  uint64_t unions = 0;  ///< those that joined two classes
  uint64_t nodes = 0;   ///< nodes that they added
};

/// What a run did.
struct RunReport {
  egraph::StopReason stop = egraph::StopReason::Saturated;
  uint64_t iterations = 0;
  uint64_t matches = 0;
  uint32_t nodesBefore = 0;
  uint32_t nodesAfter = 0;
  uint32_t classesAfter = 0;
  std::vector<RuleCount> rules; ///< in the order of the rules; those of higher levels are missing
  Status conflict;              ///< an error if stop is Conflict

  /// A few lines: the totals, then the rules that matched.
  std::string toText() const;
};

/// Runs the rules of the numerics level and below: first the simplify stratum until nothing is new,
/// then simplify and enable, then all. Classes whose value is constant are left alone. The same
/// graph, rules and options give the same graph. On a conflict the graph is to be thrown away.
RunReport runRules(TensorGraph &graph, std::span<const Rule> rules, const RunOptions &options);

} // namespace zyxc::rules

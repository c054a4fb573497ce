#include "compiler/rules/Runner.h"
#include "compiler/rules/ExplainRules.h"
#include "runtime/support/Hash.h"
#include <algorithm>
#include <fmt/format.h>
#include <unordered_set>

namespace zyxc::rules {

using egraph::StopReason;

namespace {

struct FoundMatch {
  uint64_t key; ///< hash of the rest
  uint32_t rule;
  Match match;
};

uint64_t hashValue(const Value &value) {
  struct Visitor {
    uint64_t operator()(std::monostate) const { return 0; }
    uint64_t operator()(ClassValue cls) const { return hashMix(1, cls.id); }
    uint64_t operator()(OpValue op) const { return hashMix(2, op.node); }
    uint64_t operator()(const AttrValue &attr) const { return zyxc::hashValue(attr); }
    uint64_t operator()(const std::vector<ClassId> &list) const {
      return hashBytes(list.data(), list.size() * sizeof(ClassId), 3);
    }
  };
  return std::visit(Visitor(), value);
}

/// A class for each slot, none where another thing is bound.
std::vector<ClassId> classesOf(const Bindings &bindings) {
  std::vector<ClassId> classes;
  classes.reserve(bindings.size());
  for (const Value &value : bindings) {
    const ClassValue *cls = std::get_if<ClassValue>(&value);
    classes.push_back(cls ? cls->id : egraph::none);
  }
  return classes;
}

class Runner {
public:
  Runner(TensorGraph &graph, std::span<const Rule> rules, const RunOptions &options)
      : graph(graph), rules(rules), options(options) {}

  RunReport run();

private:
  bool runStratum(Stratum last);
  std::vector<FoundMatch> collect(Stratum last);
  void collectRule(uint32_t index, std::vector<FoundMatch> &matches);
  /// False when a budget is used up.
  bool apply(const FoundMatch &found);
  bool rebuild();

  TensorGraph &graph;
  std::span<const Rule> rules;
  const RunOptions &options;
  RunReport report;
  std::vector<uint32_t> countOf;        ///< by rule: its place in report.rules
  std::unordered_set<uint64_t> applied; ///< keys of matches that gave a result
};

struct Names : egraph::RuleNames {
  explicit Names(std::span<const Rule> rules) : rules(rules) {}
  std::string ruleName(uint32_t rule) const override { return rules[rule].name; }
  std::span<const Rule> rules;
};

RunReport Runner::run() {
  report.nodesBefore = graph.engine().numNodes();
  for (const Rule &rule : rules) {
    countOf.push_back(static_cast<uint32_t>(report.rules.size()));
    if (rule.level <= options.numerics) {
      report.rules.push_back({rule.name, 0, 0, 0});
    }
  }
  Names names(rules);
  graph.engine().setRuleNames(&names);
  graph.setOrigin("");
  graph.setExactConstants(options.numerics == Numerics::Exact);
  if (rebuild()) {
    for (Stratum last : {Stratum::Simplify, Stratum::Enable, Stratum::Explore}) {
      if (!runStratum(last)) {
        break;
      }
    }
  }
  graph.engine().setRuleNames(nullptr);
  report.nodesAfter = graph.engine().numNodes();
  report.classesAfter = graph.engine().numClasses();
  return std::move(report);
}

bool Runner::runStratum(Stratum last) {
  while (true) {
    // A match that gave nothing is tried again: a condition may be proved later. So the end is
    // reached when an iteration has left the graph as it was.
    std::vector<FoundMatch> matches = collect(last);
    uint32_t nodes = graph.engine().numNodes();
    uint32_t classes = graph.engine().numClasses();
    if (report.iterations >= options.budget.maxIterations) {
      report.stop = StopReason::IterationLimit;
      return false;
    }
    ++report.iterations;
    bool withinBudget =
        std::ranges::all_of(matches, [&](const FoundMatch &match) { return apply(match); });
    if (!rebuild() || !withinBudget) {
      return false;
    }
    if (graph.engine().numNodes() == nodes && graph.engine().numClasses() == classes) {
      return true;
    }
  }
}

std::vector<FoundMatch> Runner::collect(Stratum last) {
  std::vector<FoundMatch> matches;
  for (uint32_t index = 0; index < rules.size(); ++index) {
    if (rules[index].level <= options.numerics && rules[index].stratum <= last) {
      collectRule(index, matches);
    }
  }
  return matches;
}

void Runner::collectRule(uint32_t index, std::vector<FoundMatch> &matches) {
  matchRule(graph, rules[index], [&](const Match &match) {
    uint64_t key = index;
    for (NodeId root : match.roots) {
      key = hashMix(key, graph.find(root));
    }
    for (const Value &value : match.bindings) {
      key = hashMix(key, hashValue(value));
    }
    if (!applied.contains(key)) {
      matches.push_back({key, index, match});
    }
    // No more than what the budget can still apply.
    return report.matches + matches.size() <= options.budget.maxMatches;
  });
}

bool Runner::apply(const FoundMatch &found) {
  if (report.matches >= options.budget.maxMatches) {
    report.stop = StopReason::MatchLimit;
    return false;
  }
  uint32_t before = graph.engine().numNodes();
  if (before >= options.budget.maxNodes) {
    report.stop = StopReason::NodeLimit;
    return false;
  }
  const Rule &rule = rules[found.rule];
  RuleCount &count = report.rules[countOf[found.rule]];
  std::optional<std::vector<ClassId>> built = buildResults(graph, rule, found.match);
  count.nodes += graph.engine().numNodes() - before;
  if (!built || !applied.insert(found.key).second) {
    return true;
  }
  ++report.matches;
  ++count.matches;
  for (size_t i = 0; i < rule.conclusions.size(); ++i) {
    NodeId root = found.match.roots[rule.conclusions[i].premise];
    if (graph.unite(root, (*built)[i], egraph::Reason::rule(found.rule))) {
      ++count.unions;
      graph.engine().justify(classesOf(found.match.bindings));
    }
  }
  return true;
}

bool Runner::rebuild() {
  if (!graph.rebuild().isOk()) {
    report.conflict =
        makeError(ErrorCode::Internal, "e-graph conflict: {}", explainConflict(graph, rules));
  }
  if (report.conflict.isOk() && options.verify) {
    report.conflict = graph.engine().verify();
  }
  if (!report.conflict.isOk()) {
    report.stop = StopReason::Conflict;
  }
  return report.conflict.isOk();
}

} // namespace

std::string RunReport::toText() const {
  std::string text = fmt::format(
      "{}: {} iterations, {} matches, {} nodes before, {} after in {} classes\n",
      egraph::toString(stop), iterations, matches, nodesBefore, nodesAfter, classesAfter);
  for (const RuleCount &rule : rules) {
    if (rule.matches > 0) {
      text += fmt::format("  {}: {} matches, {} unions, {} nodes\n", rule.name, rule.matches,
                          rule.unions, rule.nodes);
    }
  }
  return text;
}

RunReport runRules(TensorGraph &graph, std::span<const Rule> rules, const RunOptions &options) {
  return Runner(graph, rules, options).run();
}

} // namespace zyxc::rules

#include "compiler/rules/Runner.h"
#include "runtime/support/Hash.h"
#include <algorithm>
#include <fmt/format.h>
#include <unordered_set>

namespace zyxc::rules {

using egraph::StopReason;

namespace {

struct Match {
  uint64_t key; ///< hash of the rest
  uint32_t rule;
  NodeId node; ///< at the root of the pattern
  ClassId root;
  Bindings bindings;
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
  std::vector<Match> collect(Stratum last);
  void collectRule(uint32_t index, std::vector<Match> &matches);
  /// False when a budget is used up.
  bool apply(const Match &match);
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
    std::vector<Match> matches = collect(last);
    uint32_t nodes = graph.engine().numNodes();
    uint32_t classes = graph.engine().numClasses();
    if (report.iterations >= options.budget.maxIterations) {
      report.stop = StopReason::IterationLimit;
      return false;
    }
    ++report.iterations;
    bool withinBudget =
        std::ranges::all_of(matches, [&](const Match &match) { return apply(match); });
    if (!rebuild() || !withinBudget) {
      return false;
    }
    if (graph.engine().numNodes() == nodes && graph.engine().numClasses() == classes) {
      return true;
    }
  }
}

std::vector<Match> Runner::collect(Stratum last) {
  std::vector<Match> matches;
  for (uint32_t index = 0; index < rules.size(); ++index) {
    if (rules[index].level <= options.numerics && rules[index].stratum <= last) {
      collectRule(index, matches);
    }
  }
  return matches;
}

void Runner::collectRule(uint32_t index, std::vector<Match> &matches) {
  const Rule &rule = rules[index];
  for (OpKind kind : rootKinds(rule)) {
    for (NodeId node : graph.engine().nodesWithOp(static_cast<uint32_t>(kind))) {
      ClassId root = graph.find(node);
      if (!graph.engine().isLive(node) || graph.isConstant(root)) {
        continue;
      }
      matchRule(graph, rule, node, [&](const Bindings &bindings) {
        uint64_t key = hashMix(index, root);
        for (const Value &value : bindings) {
          key = hashMix(key, hashValue(value));
        }
        if (!applied.contains(key)) {
          matches.push_back({key, index, node, root, bindings});
        }
        // No more than what the budget can still apply.
        return report.matches + matches.size() <= options.budget.maxMatches;
      });
    }
  }
}

bool Runner::apply(const Match &match) {
  if (report.matches >= options.budget.maxMatches) {
    report.stop = StopReason::MatchLimit;
    return false;
  }
  uint32_t before = graph.engine().numNodes();
  if (before >= options.budget.maxNodes) {
    report.stop = StopReason::NodeLimit;
    return false;
  }
  RuleCount &count = report.rules[countOf[match.rule]];
  std::optional<ClassId> built = buildResult(graph, rules[match.rule], match.bindings, match.root);
  count.nodes += graph.engine().numNodes() - before;
  if (!built || !applied.insert(match.key).second) {
    return true;
  }
  ++report.matches;
  ++count.matches;
  if (graph.unite(match.node, *built, egraph::Reason::rule(match.rule))) {
    ++count.unions;
    graph.engine().justify(classesOf(match.bindings));
  }
  return true;
}

bool Runner::rebuild() {
  report.conflict = graph.rebuild();
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

#include "compiler/rules/ExplainRules.h"
#include "compiler/egraph/proof/UnionHistory.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <unordered_set>

namespace zyxc::rules {

using egraph::Reason;

namespace {

/// Writes why nodes are equal.
class ChainWriter {
public:
  ChainWriter(const TensorGraph &graph, std::span<const Rule> rules)
      : graph(graph), engine(graph.engine()), rules(rules), history(engine) {}

  std::string explain(const graph::Choice &choice);
  /// "a = b by rule = c by other": the chain without matches.
  std::string line(NodeId from, NodeId to) const;

private:
  void addChosen(NodeId written);
  bool isSameForm(NodeId a, NodeId b) const;
  std::string chain(NodeId from, NodeId to);
  std::string reason(uint32_t entry, bool isForward);
  std::string ruleReason(uint32_t entry, bool isForward) const;
  std::string ruleName(uint32_t entry, bool isForward) const;
  void addRulesOfOperands(NodeId from, NodeId to, std::vector<std::string> &names,
                          std::set<std::pair<NodeId, NodeId>> &seen) const;
  std::string operandChains(NodeId from, NodeId to);
  std::string term(NodeId node, int depth) const;
  std::string attributes(NodeId node) const;

  const TensorGraph &graph;
  const egraph::EGraph &engine;
  std::span<const Rule> rules;
  egraph::UnionHistory history;
  std::vector<NodeId>
      chosen; ///< nodes that a term of the chosen program was written with, in order
  std::unordered_set<NodeId> isKnown;
  std::map<std::pair<NodeId, NodeId>, size_t> numberOf; ///< of chains below congruences
  std::vector<std::pair<NodeId, NodeId>> numbered;
};

void ChainWriter::addChosen(NodeId written) {
  if (isKnown.insert(written).second) {
    chosen.push_back(written);
  }
}

bool ChainWriter::isSameForm(NodeId a, NodeId b) const {
  return engine.op(a) == engine.op(b) && engine.payload(a) == engine.payload(b) &&
         std::ranges::equal(engine.originalChildren(a), engine.originalChildren(b),
                            [&](ClassId x, ClassId y) { return graph.find(x) == graph.find(y); });
}

std::string ChainWriter::explain(const graph::Choice &choice) {
  // Not TensorGraph::roots(): those are canonical, and so not what the program was written with.
  for (const graph::Endpoint &output : graph.outputs) {
    addChosen(output.cls);
  }
  for (const graph::Write &write : graph.writes) {
    addChosen(write.value);
  }
  std::string text;
  for (size_t next = 0; next < chosen.size(); ++next) {
    NodeId written = chosen[next];
    NodeId node = choice[graph.find(written)];
    if (node == egraph::none) {
      continue;
    }
    if (isSameForm(node, written)) {
      node = written; // what differs is said of the operands
    } else {
      text += chain(written, node) + "\n";
    }
    for (ClassId operand : engine.originalChildren(node)) {
      addChosen(operand);
    }
  }
  for (size_t next = 0; next < numbered.size(); ++next) {
    auto [from, to] = numbered[next];
    text += fmt::format("#{}:\n{}\n", next + 1, chain(from, to));
  }
  return text;
}

std::string ChainWriter::chain(NodeId from, NodeId to) {
  constexpr int depth = 2;
  std::string text = fmt::format("  {}\n", term(from, depth));
  for (uint32_t entry : history.way(from, to)) {
    const egraph::UnionRecord &record = engine.unionLog()[entry];
    bool isForward = record.a == from;
    from = isForward ? record.b : record.a;
    text += fmt::format("= {}\n    by {}\n", term(from, depth), reason(entry, isForward));
  }
  return text;
}

std::string ChainWriter::reason(uint32_t entry, bool isForward) {
  const egraph::UnionRecord &record = engine.unionLog()[entry];
  switch (record.reason.kind) {
  case Reason::Kind::Rule: return ruleReason(entry, isForward);
  case Reason::Kind::Congruence:
    return isForward ? operandChains(record.a, record.b) : operandChains(record.b, record.a);
  case Reason::Kind::Client: break;
  }
  switch (static_cast<graph::ClientReason>(record.reason.id)) {
  case graph::ClientReason::Folding: return "constant folding";
  case graph::ClientReason::Decomposition: return "the decomposition of a composite";
  case graph::ClientReason::Given: break;
  }
  return "what the program says";
}

std::string ChainWriter::ruleReason(uint32_t entry, bool isForward) const {
  const Rule &rule = rules[engine.unionLog()[entry].reason.id];
  std::string text = ruleName(entry, isForward);
  std::span<const ClassId> match =
      engine.matchOf(entry, static_cast<uint32_t>(rule.slotNames.size()));
  std::string_view before = ", ";
  for (size_t slot = 0; slot < match.size(); ++slot) {
    if (match[slot] != egraph::none) {
      text += fmt::format("{}{} = {}", before, rule.slotNames[slot], term(match[slot], 1));
      before = ", ";
    }
  }
  before = ", if ";
  for (const Expression &condition : rule.conditions) {
    text += before;
    text += condition.function ? condition.function->name : "true";
    before = ", ";
  }
  return text;
}

std::string ChainWriter::ruleName(uint32_t entry, bool isForward) const {
  return rules[engine.unionLog()[entry].reason.id].name + (isForward ? "" : " backwards");
}

/// The names of the rules by which the operands of two congruent nodes became equal.
void ChainWriter::addRulesOfOperands(NodeId from, NodeId to, std::vector<std::string> &names,
                                     std::set<std::pair<NodeId, NodeId>> &seen) const {
  std::span<const ClassId> left = engine.originalChildren(from);
  std::span<const ClassId> right = engine.originalChildren(to);
  bool isStraight = isSameForm(from, to);
  for (size_t i = 0; i < left.size(); ++i) {
    NodeId at = left[i];
    NodeId other = right[isStraight ? i : 1 - i];
    if (at == other || !seen.insert({at, other}).second) {
      continue;
    }
    for (uint32_t entry : history.way(at, other)) {
      const egraph::UnionRecord &record = engine.unionLog()[entry];
      if (record.reason.kind == Reason::Kind::Rule) {
        names.push_back(ruleName(entry, record.a == at));
      } else if (record.reason.kind == Reason::Kind::Congruence) {
        addRulesOfOperands(record.a, record.b, names, seen);
      }
      at = record.a == at ? record.b : record.a;
    }
  }
}

std::string ChainWriter::line(NodeId from, NodeId to) const {
  constexpr int depth = 1;
  std::string text = term(from, depth);
  for (uint32_t entry : history.way(from, to)) {
    const egraph::UnionRecord &record = engine.unionLog()[entry];
    bool isForward = record.a == from;
    NodeId next = isForward ? record.b : record.a;
    std::string by = "constant folding";
    if (record.reason.kind == Reason::Kind::Rule) {
      by = ruleName(entry, isForward);
    } else if (record.reason.kind == Reason::Kind::Congruence) {
      std::vector<std::string> names;
      std::set<std::pair<NodeId, NodeId>> seen;
      addRulesOfOperands(record.a, record.b, names, seen);
      by = fmt::format("equal operands ({})", fmt::join(names, ", "));
    } else if (record.reason.id != static_cast<uint32_t>(graph::ClientReason::Folding)) {
      by = "what the program says";
    }
    text += fmt::format(" = {} by {}", term(next, depth), by);
    from = next;
  }
  return text;
}

std::string ChainWriter::operandChains(NodeId from, NodeId to) {
  std::span<const ClassId> left = engine.originalChildren(from);
  std::span<const ClassId> right = engine.originalChildren(to);
  bool isStraight = isSameForm(from, to);
  std::string text;
  for (size_t i = 0; i < left.size(); ++i) {
    NodeId other = right[isStraight ? i : 1 - i];
    if (left[i] == other) {
      continue;
    }
    auto [entry, isNew] = numberOf.try_emplace({left[i], other}, numbered.size() + 1);
    if (isNew) {
      numbered.emplace_back(left[i], other);
    }
    text += fmt::format("{}#{}", text.empty() ? "operands that are equal: " : ", ", entry->second);
  }
  return text.empty() ? "the order of operands" : text;
}

std::string ChainWriter::term(NodeId node, int depth) const {
  std::string text(name(graph.kind(node)));
  if (graph.kind(node) == OpKind::Leaf) {
    return attributes(node);
  }
  text += attributes(node);
  std::string operands;
  for (ClassId operand : engine.originalChildren(node)) {
    operands += operands.empty() ? "" : ", ";
    bool isLeaf = engine.originalChildren(operand).empty();
    operands += depth > 0 || isLeaf ? term(operand, depth - 1) : fmt::format("%{}", operand);
  }
  return operands.empty() ? text : fmt::format("{}({})", text, operands);
}

/// Those that are short; of a leaf its name.
std::string ChainWriter::attributes(NodeId node) const {
  constexpr size_t longest = 40;
  std::string text;
  for (const auto &[attr, value] : graph.attrs(node).entries()) {
    bool isLarge =
        std::holds_alternative<Tensor>(value) && std::get<Tensor>(value).numElements() > 8;
    std::string written = isLarge ? "" : toString(value);
    if (graph.kind(node) == OpKind::Leaf && attr == "name") {
      return std::get<std::string>(value);
    }
    if (!written.empty() && written.size() <= longest) {
      text += fmt::format("{}{}={}", text.empty() ? "" : ", ", attr, written);
    }
  }
  return text.empty() ? text : fmt::format("[{}]", text);
}

} // namespace

std::string explainChoice(const TensorGraph &graph, std::span<const Rule> rules,
                          const graph::Choice &choice) {
  return ChainWriter(graph, rules).explain(choice);
}

std::string explainConflict(const TensorGraph &graph, std::span<const Rule> rules) {
  TensorGraph::Conflict conflict = graph.conflict();
  return fmt::format("{}: {}", conflict.text,
                     ChainWriter(graph, rules).line(conflict.a, conflict.b));
}

} // namespace zyxc::rules

#include "compiler/rules/ExplainRules.h"
#include "compiler/egraph/proof/UnionHistory.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <unordered_set>

namespace zyxc::rules {

using egraph::Reason;

constexpr int shownDepth = 2; // of the terms of a chain

//===- Chains ---------------------------------------------------------------------------------===//

FormExplainer::FormExplainer(const TensorGraph &graph, std::span<const Rule> rules)
    : graph(graph), engine(graph.engine()), rules(rules),
      history(std::make_unique<egraph::UnionHistory>(engine)) {}

FormExplainer::~FormExplainer() = default;

bool FormExplainer::isSameForm(NodeId a, NodeId b) const {
  return engine.op(a) == engine.op(b) && engine.payload(a) == engine.payload(b) &&
         std::ranges::equal(engine.originalChildren(a), engine.originalChildren(b),
                            [&](ClassId x, ClassId y) { return graph.find(x) == graph.find(y); });
}

std::vector<FormStep> FormExplainer::chain(NodeId from, NodeId to) const {
  std::vector<FormStep> steps;
  for (uint32_t entry : history->way(from, to)) {
    steps.push_back(step(entry, engine.unionLog()[entry].a == from));
    from = steps.back().to;
  }
  return steps;
}

FormStep FormExplainer::step(uint32_t entry, bool isForward) const {
  const egraph::UnionRecord &record = engine.unionLog()[entry];
  FormStep step;
  step.isForward = isForward;
  step.from = isForward ? record.a : record.b;
  step.to = isForward ? record.b : record.a;
  switch (record.reason.kind) {
  case Reason::Kind::Rule:
    step.by = FormStep::By::Rule;
    step.rule = record.reason.id;
    step.because = ruleReason(entry, isForward);
    return step;
  case Reason::Kind::Congruence: {
    std::span<const ClassId> left = engine.originalChildren(step.from);
    std::span<const ClassId> right = engine.originalChildren(step.to);
    bool isStraight = isSameForm(step.from, step.to);
    for (size_t i = 0; i < left.size(); ++i) {
      NodeId other = right[isStraight ? i : 1 - i];
      if (left[i] != other) {
        step.operands.emplace_back(left[i], other);
      }
    }
    step.by = step.operands.empty() ? FormStep::By::Order : FormStep::By::Operands;
    step.because = step.operands.empty() ? "the order of operands" : "";
    return step;
  }
  case Reason::Kind::Client: break;
  }
  switch (static_cast<graph::ClientReason>(record.reason.id)) {
  case graph::ClientReason::Folding:
    step.by = FormStep::By::Folding;
    step.because = "constant folding";
    break;
  case graph::ClientReason::Decomposition:
    step.by = FormStep::By::Decomposition;
    step.because = "the decomposition of a composite";
    break;
  case graph::ClientReason::Given: step.because = "what the program says"; break;
  }
  return step;
}

std::string FormExplainer::ruleReason(uint32_t entry, bool isForward) const {
  const Rule &rule = rules[engine.unionLog()[entry].reason.id];
  std::string text = rule.name + (isForward ? "" : " backwards");
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

std::string FormExplainer::term(NodeId node, int depth) const {
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
std::string FormExplainer::attributes(NodeId node) const {
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

//===- The chosen program ---------------------------------------------------------------------===//

namespace {

class ChoiceExplainer {
public:
  ChoiceExplainer(const TensorGraph &graph, std::span<const Rule> rules,
                  const graph::Choice &choice)
      : graph(graph), engine(graph.engine()), choice(choice), forms(graph, rules) {}

  std::string explain();

private:
  void addChosen(NodeId written);
  std::string chain(NodeId from, NodeId to);
  std::string operandChains(const FormStep &step);

  const TensorGraph &graph;
  const egraph::EGraph &engine;
  const graph::Choice &choice;
  FormExplainer forms;
  std::vector<NodeId>
      chosen; ///< nodes that a term of the chosen program was written with, in order
  std::unordered_set<NodeId> isKnown;
  std::map<std::pair<NodeId, NodeId>, size_t> numberOf; ///< of chains below congruences
  std::vector<std::pair<NodeId, NodeId>> numbered;
};

void ChoiceExplainer::addChosen(NodeId written) {
  if (isKnown.insert(written).second) {
    chosen.push_back(written);
  }
}

std::string ChoiceExplainer::explain() {
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
    if (forms.isSameForm(node, written)) {
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

std::string ChoiceExplainer::chain(NodeId from, NodeId to) {
  std::string text = fmt::format("  {}\n", forms.term(from, shownDepth));
  for (const FormStep &step : forms.chain(from, to)) {
    text += fmt::format("= {}\n    by {}\n", forms.term(step.to, shownDepth),
                        step.operands.empty() ? step.because : operandChains(step));
  }
  return text;
}

std::string ChoiceExplainer::operandChains(const FormStep &step) {
  std::string text;
  for (const std::pair<NodeId, NodeId> &pair : step.operands) {
    auto [entry, isNew] = numberOf.try_emplace(pair, numbered.size() + 1);
    if (isNew) {
      numbered.push_back(pair);
    }
    text += fmt::format("{}#{}", text.empty() ? "operands that are equal: " : ", ", entry->second);
  }
  return text;
}

//===- A conflict -----------------------------------------------------------------------------===//

/// "a = b by rule = c by other": a chain without matches.
class ConflictLine {
public:
  ConflictLine(const TensorGraph &graph, std::span<const Rule> rules)
      : rules(rules), forms(graph, rules) {}

  std::string write(NodeId from, NodeId to) const {
    constexpr int depth = 1;
    std::string text = forms.term(from, depth);
    for (const FormStep &step : forms.chain(from, to)) {
      text += fmt::format(" = {} by {}", forms.term(step.to, depth), reason(step));
    }
    return text;
  }

private:
  std::string reason(const FormStep &step) const {
    switch (step.by) {
    case FormStep::By::Rule: return ruleName(step);
    case FormStep::By::Folding: return "constant folding";
    case FormStep::By::Decomposition:
    case FormStep::By::Given: return "what the program says";
    case FormStep::By::Operands:
    case FormStep::By::Order: break;
    }
    std::vector<std::string> names;
    std::set<std::pair<NodeId, NodeId>> seen;
    addRulesOfOperands(step, names, seen);
    return fmt::format("equal operands ({})", fmt::join(names, ", "));
  }

  std::string ruleName(const FormStep &step) const {
    return rules[step.rule].name + (step.isForward ? "" : " backwards");
  }

  /// The names of the rules by which the operands of two congruent nodes became equal.
  void addRulesOfOperands(const FormStep &step, std::vector<std::string> &names,
                          std::set<std::pair<NodeId, NodeId>> &seen) const {
    for (const auto &[left, right] : step.operands) {
      if (!seen.insert({left, right}).second) {
        continue;
      }
      for (const FormStep &below : forms.chain(left, right)) {
        if (below.by == FormStep::By::Rule) {
          names.push_back(ruleName(below));
        }
        addRulesOfOperands(below, names, seen);
      }
    }
  }

  std::span<const Rule> rules;
  FormExplainer forms;
};

} // namespace

std::string explainChoice(const TensorGraph &graph, std::span<const Rule> rules,
                          const graph::Choice &choice) {
  return ChoiceExplainer(graph, rules, choice).explain();
}

std::string explainConflict(const TensorGraph &graph, std::span<const Rule> rules) {
  TensorGraph::Conflict conflict = graph.conflict();
  return fmt::format("{}: {}", conflict.text,
                     ConflictLine(graph, rules).write(conflict.a, conflict.b));
}

} // namespace zyxc::rules

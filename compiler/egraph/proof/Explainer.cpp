#include "compiler/egraph/proof/Explainer.h"
#include "compiler/egraph/proof/ProofBuilder.h"
#include <algorithm>
#include <unordered_map>

namespace zyxc::egraph {

using Kind = ProofStep::Kind;

/// One proof that is being made. Entries of the log are proved on demand: what a step needs and has
/// no proof yet goes onto a stack first, so that nothing is recursive over the graph.
class Explanation {
public:
  explicit Explanation(const Explainer &explainer)
      : graph(explainer.graph), rules(explainer.rules), history(explainer.history),
        finder(explainer.finder) {}

  Expected<Proof> nodes(NodeId left, NodeId right);
  Expected<Proof> terms(const Pattern &left, const Pattern &right);

private:
  static constexpr StepId noStep = ProofBuilder::noStep;
  using Places = std::vector<MatchFinder::Place>;
  /// What a variable of a rule stands for: a term, and a node whose term the step proves equal.
  struct Bound {
    TermId term;
    NodeId node;
    StepId step;
  };
  /// The rule of an entry of the log, with the classes of its variables and the nodes that matched.
  struct Instance {
    uint32_t entry;
    const Rule *rule;
    uint32_t conclusion;
    std::span<const Id> match;
    std::vector<Places> premises; ///< by premise
    Places result;                ///< of the conclusion
    std::vector<Bound> bound;     ///< by variable
  };

  /// Makes a step, and first those of the entries that it needs.
  template <class Make> Expected<Proof> settle(Make make);
  Status proveEntries();
  StepId proveEntry(uint32_t entry);
  StepId proveCongruence(NodeId left, NodeId right, uint32_t before);
  StepId proveRule(uint32_t entry);
  Status findInstance(Instance &instance);
  StepId instantiateRule(Instance &instance);
  /// term = the term of the node, for a place of a pattern and the node that was found for it.
  Bound instantiate(const Pattern &pattern, uint32_t place, const Places &places,
                    const Instance &instance);
  Bound instantiateNode(const Pattern &pattern, uint32_t place, const Places &places,
                        const Instance &instance);
  /// That the terms of two nodes are equal; adds what is missing for it to `missing`.
  StepId way(NodeId from, NodeId to);
  StepId chain(std::initializer_list<StepId> links) {
    return builder.chain({links.begin(), links.size()});
  }
  TermId term(NodeId node);

  const EGraph &graph;
  std::span<const Rule> rules;
  const UnionHistory &history;
  const MatchFinder &finder;
  ProofBuilder builder;
  std::unordered_map<NodeId, TermId> termOf;
  std::unordered_map<uint32_t, StepId> stepOf; ///< by entry
  std::vector<uint32_t> missing;               ///< entries that the last step needs
  Status failure;
};

TermId Explanation::term(NodeId node) {
  std::vector<NodeId> work = {node};
  std::vector<TermId> operands;
  while (!work.empty()) {
    NodeId current = work.back();
    size_t waiting = work.size();
    operands.clear();
    for (Id child : graph.originalChildren(current)) {
      auto found = termOf.find(child);
      if (found == termOf.end()) {
        work.push_back(child);
      } else {
        operands.push_back(found->second);
      }
    }
    if (work.size() == waiting) {
      work.pop_back();
      if (!termOf.contains(current)) {
        TermId made = builder.terms.add(graph.op(current), graph.payload(current), operands);
        termOf.emplace(current, made);
      }
    }
  }
  return termOf.at(node);
}

template <class Make> Expected<Proof> Explanation::settle(Make make) {
  while (true) {
    missing.clear();
    StepId step = make();
    ZYXC_RETURN_IF_ERROR(failure);
    if (missing.empty()) {
      return std::move(builder).finish(step);
    }
    ZYXC_RETURN_IF_ERROR(proveEntries());
  }
}

Status Explanation::proveEntries() {
  std::vector<uint32_t> stack = missing;
  while (!stack.empty()) {
    uint32_t entry = stack.back();
    if (stepOf.contains(entry)) {
      stack.pop_back();
      continue;
    }
    missing.clear();
    StepId step = proveEntry(entry);
    ZYXC_RETURN_IF_ERROR(failure);
    if (missing.empty()) {
      stepOf.emplace(entry, step);
      stack.pop_back();
    }
    // Each rests on entries before it, so this ends.
    stack.insert(stack.end(), missing.begin(), missing.end());
  }
  return Status::ok();
}

StepId Explanation::way(NodeId from, NodeId to) {
  std::vector<StepId> links = {builder.reflexivity(term(from))};
  bool isWhole = true;
  for (UnionHistory::Edge edge : history.way(from, to)) {
    auto found = stepOf.find(edge.entry);
    if (found == stepOf.end()) {
      missing.push_back(edge.entry);
      isWhole = false;
    } else {
      links.push_back(edge.isForward ? found->second : builder.symmetry(found->second));
    }
  }
  return isWhole ? builder.chain(links) : noStep;
}

StepId Explanation::proveEntry(uint32_t entry) {
  const UnionRecord &record = graph.unionLog()[entry];
  switch (record.reason.kind) {
  case Reason::Kind::Client:
    return builder.axiom({Kind::Given, term(record.a), term(record.b), {}, record.reason.id});
  case Reason::Kind::Congruence: return proveCongruence(record.a, record.b, entry);
  case Reason::Kind::Rule: return proveRule(entry);
  }
  return noStep;
}

StepId Explanation::proveCongruence(NodeId left, NodeId right, uint32_t before) {
  std::span<const Id> from = graph.originalChildren(left);
  std::span<const Id> to = graph.originalChildren(right);
  bool isStraight = true;
  for (size_t i = 0; i < from.size(); ++i) {
    isStraight = isStraight && history.same(from[i], to[i], before);
  }
  std::vector<StepId> operands;
  operands.reserve(from.size());
  for (size_t i = 0; i < from.size(); ++i) {
    operands.push_back(way(from[i], isStraight ? to[i] : to[1 - i]));
  }
  if (isStraight) {
    return builder.congruence(term(left), term(right), std::move(operands));
  }
  TermId turned[] = {term(to[1]), term(to[0])};
  TermId middle = builder.terms.add(graph.op(right), graph.payload(right), turned);
  return chain({builder.congruence(term(left), middle, std::move(operands)),
                builder.axiom({Kind::Swap, middle, term(right)})});
}

Status Explanation::findInstance(Instance &instance) {
  const UnionRecord &record = graph.unionLog()[instance.entry];
  if (record.reason.id >= rules.size()) {
    return makeError(ErrorCode::Unsupported, "a union came by rule {}, but {} rules are given",
                     record.reason.id, rules.size());
  }
  instance.rule = &rules[record.reason.id];
  const Rule &rule = *instance.rule;
  instance.match = graph.matchOf(instance.entry, rule.numVariables);
  if (instance.match.size() != rule.numVariables) {
    return makeError(ErrorCode::Unsupported, "rule {}: a union by it has no match", rule.name);
  }
  for (const Premise &premise : rule.premises) {
    instance.premises.push_back(
        finder.find(premise.pattern, instance.match, instance.match[premise.cls], instance.entry));
    if (instance.premises.back().empty()) {
      return makeError(ErrorCode::Unsupported,
                       "rule {}: its match is not in the graph; are these the rules of the run?",
                       rule.name);
    }
  }
  for (const Conclusion &conclusion : rule.conclusions) {
    if (history.same(instance.match[conclusion.cls], record.a, instance.entry)) {
      instance.result = finder.find(conclusion.pattern, instance.match, record.b, instance.entry);
      if (!instance.result.empty()) {
        instance.conclusion = static_cast<uint32_t>(&conclusion - rule.conclusions.data());
        return Status::ok();
      }
    }
  }
  return makeError(ErrorCode::Unsupported,
                   "rule {}: none of its conclusions gives a union by it; are these the rules of "
                   "the run?",
                   rule.name);
}

/// The class of a premise is its instance where no premise says anything else of it: then the rule
/// rewrites this very term.
static bool isFree(const Rule &rule, uint32_t variable) {
  return std::ranges::none_of(rule.premises, [&](const Premise &premise) {
    return std::ranges::any_of(premise.pattern.terms,
                               [&](const PatternTerm &term) { return term.variable == variable; });
  });
}

StepId Explanation::proveRule(uint32_t entry) {
  Instance instance = {entry, nullptr, 0, {}, {}, {}, {}};
  failure = findInstance(instance);
  if (!failure.isOk()) {
    return noStep;
  }
  instance.bound.reserve(instance.match.size());
  for (Id cls : instance.match) {
    instance.bound.push_back({term(cls), cls, builder.reflexivity(term(cls))});
  }
  StepId step = instantiateRule(instance);
  const UnionRecord &record = graph.unionLog()[entry];
  const Conclusion &conclusion = instance.rule->conclusions[instance.conclusion];
  const Bound &cls = instance.bound[conclusion.cls];
  Bound made = instantiate(conclusion.pattern, 0, instance.result, instance);
  return chain({way(record.a, cls.node), builder.symmetry(cls.step), step, made.step,
                way(made.node, record.b)});
}

/// The step by the rule itself, and what its premises need. Gives free classes their terms.
StepId Explanation::instantiateRule(Instance &instance) {
  const Rule &rule = *instance.rule;
  std::vector<StepId> premises;
  std::vector<bool> isSet(rule.numVariables);
  for (size_t i = 0; i < rule.premises.size(); ++i) {
    const Premise &premise = rule.premises[i];
    Bound made = instantiate(premise.pattern, 0, instance.premises[i], instance);
    Bound &cls = instance.bound[premise.cls];
    if (!isSet[premise.cls] && isFree(rule, premise.cls)) {
      isSet[premise.cls] = true;
      cls = made;
      premises.push_back(builder.reflexivity(made.term));
      continue;
    }
    premises.push_back(chain({made.step, way(made.node, cls.node), builder.symmetry(cls.step)}));
  }
  const Conclusion &conclusion = rule.conclusions[instance.conclusion];
  ProofStep step = {Kind::Rule};
  step.premises = std::move(premises);
  step.id = static_cast<uint32_t>(&rule - rules.data());
  step.conclusion = instance.conclusion;
  for (const Bound &bound : instance.bound) {
    step.substitution.push_back(bound.term);
  }
  step.left = instance.bound[conclusion.cls].term;
  step.right = instantiate(conclusion.pattern, 0, instance.result, instance).term;
  return builder.axiom(std::move(step));
}

Explanation::Bound Explanation::instantiate(const Pattern &pattern, uint32_t place,
                                            const Places &places, const Instance &instance) {
  const PatternTerm &term = pattern.terms[place];
  return term.isVariable() ? instance.bound[term.variable]
                           : instantiateNode(pattern, place, places, instance);
}

Explanation::Bound Explanation::instantiateNode(const Pattern &pattern, uint32_t place,
                                                const Places &places, const Instance &instance) {
  const PatternTerm &at = pattern.terms[place];
  auto [node, isSwapped] = places[place];
  std::vector<TermId> operands, turned;
  std::vector<StepId> steps;
  for (size_t i = 0; i < at.children.size(); ++i) {
    Bound operand = instantiate(pattern, at.children[i], places, instance);
    Id is = graph.originalChildren(node)[isSwapped ? 1 - i : i];
    operands.push_back(operand.term);
    steps.push_back(chain({operand.step, way(operand.node, is)}));
    turned.push_back(term(is));
  }
  TermId made = builder.terms.add(at.op, at.payload, operands);
  if (!isSwapped) {
    return {made, node, builder.congruence(made, term(node), std::move(steps))};
  }
  TermId middle = builder.terms.add(at.op, at.payload, turned);
  return {made, node,
          chain({builder.congruence(made, middle, std::move(steps)),
                 builder.axiom({Kind::Swap, middle, term(node)})})};
}

Expected<Proof> Explanation::nodes(NodeId left, NodeId right) {
  if (!graph.same(left, right)) {
    return makeError(ErrorCode::Verification, "the terms are not known to be equal");
  }
  return settle([&] { return way(left, right); });
}

Expected<Proof> Explanation::terms(const Pattern &left, const Pattern &right) {
  Instance noRule = {UnionHistory::now, nullptr, 0, {}, {}, {}, {}};
  const Pattern *patterns[] = {&left, &right};
  Places found[2];
  for (int side = 0; side < 2; ++side) {
    found[side] = finder.find(*patterns[side], {}, none, UnionHistory::now);
    if (found[side].empty()) {
      return makeError(ErrorCode::Verification, "the {} term is not in the graph",
                       side == 0 ? "first" : "second");
    }
  }
  if (!graph.same(found[0][0].node, found[1][0].node)) {
    return makeError(ErrorCode::Verification, "the terms are not known to be equal");
  }
  return settle([&] {
    Bound from = instantiate(left, 0, found[0], noRule);
    Bound to = instantiate(right, 0, found[1], noRule);
    return chain({from.step, way(from.node, to.node), builder.symmetry(to.step)});
  });
}

Explainer::Explainer(const EGraph &graph, std::span<const Rule> rules)
    : graph(graph), rules(rules), history(graph), finder(graph, history) {
  assert(graph.isClean() && graph.keepsMatches());
}

Expected<Proof> Explainer::explain(NodeId left, NodeId right) const {
  return Explanation(*this).nodes(left, right);
}

Expected<Proof> Explainer::explain(const Pattern &left, const Pattern &right) const {
  return Explanation(*this).terms(left, right);
}

} // namespace zyxc::egraph

#include "compiler/egraph/proof/Explainer.h"
#include "compiler/egraph/proof/ClassEdges.h"
#include "compiler/egraph/proof/ProofBuilder.h"
#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace zyxc::egraph {

using Kind = ProofStep::Kind;

/// One proof that is being made. Edges are proved on demand: what a step needs and has no proof yet
/// goes onto a stack first, so that nothing is recursive over the graph.
class Explanation {
public:
  explicit Explanation(const Explainer &explainer)
      : graph(explainer.graph), rules(explainer.rules), history(explainer.history),
        finder(explainer.finder), edges(graph, rules, history, finder) {}

  Expected<Proof> nodes(NodeId left, NodeId right);
  Expected<Proof> terms(const Pattern &left, const Pattern &right);

private:
  static constexpr StepId noStep = ProofBuilder::noStep;
  static constexpr uint64_t noLimit = ~uint64_t{0};
  using Places = std::vector<MatchFinder::Place>;
  /// What a variable of a rule stands for: a term, and a node whose term the step proves equal.
  struct Bound {
    TermId term;
    NodeId node;
    StepId step;
  };
  /// An instance of a rule over terms. What it needs ranks below `limit`.
  struct Instance {
    RuleInstance places;
    uint64_t limit;
    std::vector<Bound> bound = {}; ///< by variable
  };

  /// Makes a step, and first those of the edges that it needs.
  template <class Make> Expected<Proof> settle(Make make);
  template <class Make> Expected<Proof> settleBest(Make make);
  Status proveEdges();
  StepId proveEdge(const Edge &edge);
  StepId proveCongruence(NodeId left, NodeId right, uint64_t limit);
  StepId proveInstance(RuleInstance places, NodeId left, NodeId right, uint64_t limit);
  Expected<RuleInstance> instanceOf(uint32_t entry) const;
  StepId instantiateRule(Instance &instance);
  /// term = the term of the node, for a place of a pattern and the node that was found for it.
  Bound instantiate(const Pattern &pattern, uint32_t place, const Places &places,
                    const Instance &instance);
  Bound instantiateNode(const Pattern &pattern, uint32_t place, const Places &places,
                        const Instance &instance);
  /// That the terms of two nodes are equal, by edges below a rank; adds those that have no proof
  /// yet to `missing`.
  StepId way(NodeId from, NodeId to, uint64_t limit);
  StepId chain(std::initializer_list<StepId> links) {
    return builder.chain({links.begin(), links.size()});
  }
  TermId term(NodeId node);

  const EGraph &graph;
  std::span<const Rule> rules;
  const UnionHistory &history;
  const MatchFinder &finder;
  ClassEdges edges;
  ProofBuilder builder;
  std::unordered_map<NodeId, TermId> termOf;
  std::unordered_map<uint32_t, StepId> stepOf; ///< by edge
  std::map<std::tuple<NodeId, NodeId, uint64_t>, std::vector<uint32_t>> ways;
  std::vector<uint32_t> missing; ///< edges that the last step needs
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
      for (auto [number, proved] : stepOf) {
        edges.setCost(number, builder.cost(proved));
      }
      return std::exchange(builder, {}).finish(step);
    }
    ZYXC_RETURN_IF_ERROR(proveEdges());
  }
}

/// Costs are estimates until edges are proved, so ways are searched a few times, and the shortest
/// proof is taken.
template <class Make> Expected<Proof> Explanation::settleBest(Make make) {
  constexpr int rounds = 6;
  constexpr size_t longest = 5'000; ///< steps of a proof that is made once only
  ZYXC_ASSIGN(Proof best, settle(make));
  for (int round = 1; round < rounds && best.steps.size() <= longest; ++round) {
    termOf.clear();
    stepOf.clear();
    ways.clear();
    ZYXC_ASSIGN(Proof next, settle(make));
    if (next.steps.size() < best.steps.size()) {
      best = std::move(next);
    }
  }
  return best;
}

Status Explanation::proveEdges() {
  std::vector<uint32_t> stack = missing;
  while (!stack.empty()) {
    uint32_t number = stack.back();
    if (stepOf.contains(number)) {
      stack.pop_back();
      continue;
    }
    missing.clear();
    StepId step = proveEdge(edges.edge(number));
    ZYXC_RETURN_IF_ERROR(failure);
    if (missing.empty()) {
      stepOf.emplace(number, step);
      stack.pop_back();
    }
    // Each rests on edges of smaller rank, so this ends.
    stack.insert(stack.end(), missing.begin(), missing.end());
  }
  return Status::ok();
}

StepId Explanation::way(NodeId from, NodeId to, uint64_t limit) {
  auto [found, isNew] = ways.try_emplace({from, to, limit});
  if (isNew) {
    found->second = edges.way(from, to, limit);
  }
  std::vector<StepId> links = {builder.reflexivity(term(from))};
  bool isWhole = true;
  NodeId at = from;
  for (uint32_t number : found->second) {
    const Edge &edge = edges.edge(number);
    bool isForward = edge.from == at;
    at = isForward ? edge.to : edge.from;
    auto step = stepOf.find(number);
    if (step == stepOf.end()) {
      missing.push_back(number);
      isWhole = false;
    } else {
      links.push_back(isForward ? step->second : builder.symmetry(step->second));
    }
  }
  return isWhole ? builder.chain(links) : noStep;
}

StepId Explanation::proveEdge(const Edge &edge) {
  if (edge.instance != none) {
    return proveInstance(edges.instance(edge.instance), edge.from, edge.to, edge.rank);
  }
  Reason reason = edge.entry == none ? Reason::congruence() : graph.unionLog()[edge.entry].reason;
  switch (reason.kind) {
  case Reason::Kind::Client:
    return builder.axiom({Kind::Given, term(edge.from), term(edge.to), {}, reason.id});
  case Reason::Kind::Congruence: return proveCongruence(edge.from, edge.to, edge.rank);
  case Reason::Kind::Rule: {
    Expected<RuleInstance> places = instanceOf(edge.entry);
    failure = places ? Status::ok() : places.error();
    return places ? proveInstance(*std::move(places), edge.from, edge.to, edge.rank) : noStep;
  }
  }
  return noStep;
}

StepId Explanation::proveCongruence(NodeId left, NodeId right, uint64_t limit) {
  std::span<const Id> from = graph.originalChildren(left);
  std::span<const Id> to = graph.originalChildren(right);
  // Rank 2 r: what holds before entry r; 2 r + 1: entry r, which rests on what holds before it.
  uint32_t before = static_cast<uint32_t>(std::min<uint64_t>(limit / 2, UnionHistory::now));
  bool isStraight = true;
  for (size_t i = 0; i < from.size(); ++i) {
    isStraight = isStraight && history.same(from[i], to[i], before);
  }
  std::vector<StepId> operands;
  operands.reserve(from.size());
  for (size_t i = 0; i < from.size(); ++i) {
    operands.push_back(way(from[i], isStraight ? to[i] : to[1 - i], limit));
  }
  if (isStraight) {
    return builder.congruence(term(left), term(right), std::move(operands));
  }
  TermId turned[] = {term(to[1]), term(to[0])};
  TermId middle = builder.terms.add(graph.op(right), graph.payload(right), turned);
  return chain({builder.congruence(term(left), middle, std::move(operands)),
                builder.axiom({Kind::Swap, middle, term(right)})});
}

/// The instance by which an entry of the log came.
Expected<RuleInstance> Explanation::instanceOf(uint32_t entry) const {
  const UnionRecord &record = graph.unionLog()[entry];
  if (record.reason.id >= rules.size()) {
    return makeError(ErrorCode::Unsupported, "a union came by rule {}, but {} rules are given",
                     record.reason.id, rules.size());
  }
  const Rule &rule = rules[record.reason.id];
  std::span<const Id> match = graph.matchOf(entry, rule.numVariables);
  if (match.size() != rule.numVariables) {
    return makeError(ErrorCode::Unsupported, "rule {}: a union by it has no match", rule.name);
  }
  RuleInstance instance = {record.reason.id, 0, {match.begin(), match.end()}, {}, {}};
  for (const Premise &premise : rule.premises) {
    instance.premises.push_back(finder.find(premise.pattern, match, match[premise.cls], entry));
    if (instance.premises.back().empty()) {
      return makeError(ErrorCode::Unsupported,
                       "rule {}: its match is not in the graph; are these the rules of the run?",
                       rule.name);
    }
  }
  for (const Conclusion &conclusion : rule.conclusions) {
    if (history.same(match[conclusion.cls], record.a, entry)) {
      instance.result = finder.find(conclusion.pattern, match, record.b, entry);
      if (!instance.result.empty()) {
        instance.conclusion = static_cast<uint32_t>(&conclusion - rule.conclusions.data());
        return instance;
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

StepId Explanation::proveInstance(RuleInstance places, NodeId left, NodeId right, uint64_t limit) {
  Instance instance = {std::move(places), limit};
  const Rule &rule = rules[instance.places.rule];
  instance.bound.reserve(instance.places.match.size());
  for (Id id : instance.places.match) {
    instance.bound.push_back({term(id), id, builder.reflexivity(term(id))});
  }
  StepId step = instantiateRule(instance);
  const Conclusion &conclusion = rule.conclusions[instance.places.conclusion];
  const Bound &cls = instance.bound[conclusion.cls];
  Bound made = instantiate(conclusion.pattern, 0, instance.places.result, instance);
  return chain({way(left, cls.node, limit), builder.symmetry(cls.step), step, made.step,
                way(made.node, right, limit)});
}

/// The step by the rule itself, and what its premises need. Gives free classes their terms.
StepId Explanation::instantiateRule(Instance &instance) {
  const Rule &rule = rules[instance.places.rule];
  std::vector<StepId> premises;
  std::vector<bool> isSet(rule.numVariables);
  for (size_t i = 0; i < rule.premises.size(); ++i) {
    const Premise &premise = rule.premises[i];
    Bound made = instantiate(premise.pattern, 0, instance.places.premises[i], instance);
    Bound &cls = instance.bound[premise.cls];
    if (!isSet[premise.cls] && isFree(rule, premise.cls)) {
      isSet[premise.cls] = true;
      cls = made;
      premises.push_back(builder.reflexivity(made.term));
      continue;
    }
    StepId over = way(made.node, cls.node, instance.limit);
    premises.push_back(chain({made.step, over, builder.symmetry(cls.step)}));
  }
  const Conclusion &conclusion = rule.conclusions[instance.places.conclusion];
  ProofStep step = {Kind::Rule};
  step.premises = std::move(premises);
  step.id = instance.places.rule;
  step.conclusion = instance.places.conclusion;
  for (const Bound &bound : instance.bound) {
    step.substitution.push_back(bound.term);
  }
  step.left = instance.bound[conclusion.cls].term;
  step.right = instantiate(conclusion.pattern, 0, instance.places.result, instance).term;
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
    steps.push_back(chain({operand.step, way(operand.node, is, instance.limit)}));
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
  return settleBest([&] { return way(left, right, noLimit); });
}

Expected<Proof> Explanation::terms(const Pattern &left, const Pattern &right) {
  Instance noRule = {{}, noLimit};
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
  return settleBest([&] {
    Bound from = instantiate(left, 0, found[0], noRule);
    Bound to = instantiate(right, 0, found[1], noRule);
    return chain({from.step, way(from.node, to.node, noLimit), builder.symmetry(to.step)});
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

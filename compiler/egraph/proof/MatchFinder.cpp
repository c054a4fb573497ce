#include "compiler/egraph/proof/MatchFinder.h"
#include <algorithm>
#include <map>
#include <numeric>

namespace zyxc::egraph {

/// One search. What is found for a place and a wanted class is kept, so that a pattern with many
/// candidates at many places takes no more than the product of two of them.
class MatchQuery {
public:
  MatchQuery(const MatchFinder &finder, const Pattern &pattern, std::span<const Id> match,
             uint32_t before)
      : finder(finder), graph(finder.graph), history(finder.history), pattern(pattern),
        match(match), before(before) {}

  std::vector<MatchFinder::Place> run(Id cls);

private:
  static constexpr uint32_t impossible = ~0u;
  struct Choice {
    uint32_t inexact = impossible; ///< classes below that are not the wanted ones by name
    MatchFinder::Place place;
  };

  bool findForms();
  uint32_t cost(uint32_t place, Id wanted);
  const Choice &choose(uint32_t place, Id wanted);
  uint32_t operandCost(uint32_t place, NodeId node, bool isSwapped);
  void collect(uint32_t place, Id wanted, std::vector<MatchFinder::Place> &places);
  Id operand(NodeId node, size_t index, bool isSwapped) const {
    return graph.originalChildren(node)[isSwapped ? 1 - index : index];
  }

  const MatchFinder &finder;
  const EGraph &graph;
  const UnionHistory &history;
  const Pattern &pattern;
  std::span<const Id> match;
  uint32_t before;
  std::vector<NodeId> live; ///< by place: the node of its form as the graph is now
  std::map<std::pair<uint32_t, Id>, Choice> choices;
};

std::vector<MatchFinder::Place> MatchQuery::run(Id cls) {
  if (!findForms()) {
    return {};
  }
  cls = cls == none ? live[0] : cls;
  std::vector<MatchFinder::Place> places(pattern.terms.size());
  if (cost(0, cls) == impossible) {
    return {};
  }
  collect(0, cls, places);
  return places;
}

/// Forms that are one now are looked up once; which of their nodes it was is then a short list.
bool MatchQuery::findForms() {
  live.assign(pattern.terms.size(), none);
  std::vector<Id> operands;
  for (size_t place = pattern.terms.size(); place-- > 0;) { // children stand behind
    const PatternTerm &term = pattern.terms[place];
    if (term.isVariable()) {
      live[place] = match[term.variable];
      continue;
    }
    operands.clear();
    for (uint32_t child : term.children) {
      operands.push_back(live[child]);
    }
    std::optional<NodeId> found = graph.lookup(term.op, term.payload, operands);
    if (!found) {
      return false;
    }
    live[place] = *found;
  }
  return true;
}

uint32_t MatchQuery::cost(uint32_t place, Id wanted) {
  const PatternTerm &term = pattern.terms[place];
  if (!term.isVariable()) {
    return choose(place, wanted).inexact;
  }
  Id bound = match[term.variable];
  bool isSame = history.same(bound, wanted, before);
  return isSame ? static_cast<uint32_t>(bound != wanted) : impossible;
}

const MatchQuery::Choice &MatchQuery::choose(uint32_t place, Id wanted) {
  auto [entry, isNew] = choices.try_emplace({place, wanted});
  Choice &best = entry->second; // stays where it is while others are added
  if (!isNew) {
    return best;
  }
  const PatternTerm &term = pattern.terms[place];
  bool mayTurn = graph.isCommutative(term.op) && term.children.size() == 2;
  auto attempt = [&](NodeId node) {
    if (best.inexact == 0 || !history.same(node, wanted, before)) {
      return;
    }
    for (bool isSwapped : {false, true}) {
      uint32_t inexact = isSwapped && !mayTurn ? impossible : operandCost(place, node, isSwapped);
      if (inexact != impossible && inexact + (node != wanted) < best.inexact) {
        best = {inexact + (node != wanted), {node, isSwapped}};
      }
    }
  };
  for (NodeId node : finder.sameForm(live[place])) {
    attempt(node);
  }
  return best;
}

uint32_t MatchQuery::operandCost(uint32_t place, NodeId node, bool isSwapped) {
  const PatternTerm &term = pattern.terms[place];
  uint32_t sum = 0;
  for (size_t i = 0; i < term.children.size(); ++i) {
    uint32_t inexact = cost(term.children[i], operand(node, i, isSwapped));
    if (inexact == impossible) {
      return impossible;
    }
    sum += inexact;
  }
  return sum;
}

void MatchQuery::collect(uint32_t place, Id wanted, std::vector<MatchFinder::Place> &places) {
  const PatternTerm &term = pattern.terms[place];
  if (term.isVariable()) {
    return;
  }
  places[place] = choose(place, wanted).place;
  for (size_t i = 0; i < term.children.size(); ++i) {
    collect(term.children[i], operand(places[place].node, i, places[place].isSwapped), places);
  }
}

MatchFinder::MatchFinder(const EGraph &graph, const UnionHistory &history)
    : graph(graph), history(history) {
  for (NodeId node = 0; node < graph.numNodes(); ++node) {
    if (!graph.isLive(node)) {
      twins.emplace_back(
          *graph.lookup(graph.op(node), graph.payload(node), graph.originalChildren(node)), node);
    }
  }
  std::ranges::sort(twins);
  firstOf.assign(graph.numNodes() + 1, 0);
  for (NodeId node = 0; node < graph.numNodes(); ++node) {
    ++firstOf[graph.find(node) + 1];
  }
  std::partial_sum(firstOf.begin(), firstOf.end(), firstOf.begin());
  std::vector<uint32_t> place(firstOf.begin(), firstOf.end() - 1);
  byClass.resize(graph.numNodes());
  for (NodeId node = 0; node < graph.numNodes(); ++node) {
    byClass[place[graph.find(node)]++] = node;
  }
}

std::vector<NodeId> MatchFinder::sameForm(NodeId live) const {
  std::vector<NodeId> nodes = {live};
  for (auto twin = std::ranges::lower_bound(twins, std::pair(live, NodeId{0}));
       twin != twins.end() && twin->first == live; ++twin) {
    nodes.push_back(twin->second);
  }
  return nodes;
}

std::vector<MatchFinder::Place> MatchFinder::find(const Pattern &pattern, std::span<const Id> match,
                                                  Id cls, uint32_t before) const {
  return MatchQuery(*this, pattern, match, before).run(cls);
}

} // namespace zyxc::egraph

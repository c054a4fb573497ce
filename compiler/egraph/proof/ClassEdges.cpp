#include "compiler/egraph/proof/ClassEdges.h"
#include <algorithm>
#include <functional>
#include <queue>
#include <unordered_map>
#include <utility>

namespace zyxc::egraph {

// Limits of the search, in counts. Where one is met proofs are longer, never wrong.
constexpr size_t mostMembers = 4'000;          ///< nodes of a class; larger ones have the log alone
constexpr size_t mostTwins = 12;               ///< of one form that are joined each with each
constexpr uint32_t mostTriesInAll = 2'000'000; ///< for one proof
constexpr uint32_t mostTries = 40'000;         ///< nodes tried at places of patterns, for one class
constexpr size_t mostSettled = 4'000;          ///< nodes that a search for a way settles

struct ClassEdges::Attempt {
  uint32_t rule;
  NodeId root;
  std::vector<Id> match;
  std::vector<MatchFinder::Place> places;
  std::vector<std::pair<uint32_t, Id>> goals; ///< places and the operands that are to match them
  uint32_t *tries;
  Adjacency *adjacency;
};

void ClassEdges::append(Edge edge, Adjacency &adjacency) {
  uint32_t number = static_cast<uint32_t>(edges.size());
  edges.push_back(edge);
  adjacency[edge.from].push_back(number);
  adjacency[edge.to].push_back(number);
}

uint32_t ClassEdges::edgeOfEntry(uint32_t entry) {
  auto [found, isNew] = ofEntry.try_emplace(entry, static_cast<uint32_t>(edges.size()));
  if (isNew) {
    const UnionRecord &record = graph.unionLog()[entry];
    // By a rule: dear, since where its proof is short it is found as an instance, too.
    float cost = 4;
    if (record.reason.kind == Reason::Kind::Congruence) {
      cost = 0.5;
      for (size_t i = 0; i < graph.originalChildren(record.a).size(); ++i) {
        Id a = graph.originalChildren(record.a)[i];
        Id b = graph.originalChildren(record.b)[i];
        cost += graph.same(a, b) ? static_cast<float>(history.distance(a, b)) : 1;
      }
    }
    edges.push_back({record.a, record.b, 2 * uint64_t{entry} + 1, cost, entry});
  }
  return found->second;
}

const ClassEdges::Adjacency &ClassEdges::edgesOf(Id cls) {
  auto [found, isNew] = byClass.try_emplace(cls);
  if (!isNew) {
    return found->second;
  }
  Adjacency &adjacency = found->second;
  std::span<const NodeId> members = finder.members(cls);
  for (NodeId node : members) {
    if (uint32_t entry = history.entryAbove(node); entry != none) {
      uint32_t number = edgeOfEntry(entry);
      adjacency[edges[number].from].push_back(number);
      adjacency[edges[number].to].push_back(number);
    }
  }
  addTwins(members, adjacency);
  addInstances(members, adjacency);
  return adjacency;
}

void ClassEdges::addTwinEdge(NodeId a, NodeId b, Adjacency &adjacency) {
  uint32_t before = 0;
  float cost = 0;
  for (size_t i = 0; i < graph.originalChildren(a).size(); ++i) {
    Id from = graph.originalChildren(a)[i];
    Id to = graph.originalChildren(b)[i];
    if (!graph.same(from, to)) {
      return; // equal by swapping operands: left to the log
    }
    before = std::max(before, history.joinTime(from, to));
    cost += static_cast<float>(history.distance(from, to));
  }
  append({a, b, 2 * uint64_t{before}, cost}, adjacency);
}

void ClassEdges::addTwins(std::span<const NodeId> members, Adjacency &adjacency) {
  for (NodeId node : members) {
    if (!graph.isLive(node)) {
      continue;
    }
    std::vector<NodeId> group = finder.sameForm(node);
    for (size_t i = 1; i < group.size(); ++i) {
      for (size_t j = 0; j < std::min(i, mostTwins); ++j) {
        addTwinEdge(group[j], group[i], adjacency);
      }
    }
  }
}

void ClassEdges::addInstances(std::span<const NodeId> members, Adjacency &adjacency) {
  uint32_t tries = 0;
  for (uint32_t index = 0; index < rules.size(); ++index) {
    const Rule &rule = rules[index];
    if (rule.premises.size() > 1) {
      continue;
    }
    const Pattern &pattern = rule.premises[0].pattern;
    for (NodeId node : members) {
      if (graph.op(node) == pattern.terms[0].op) {
        Attempt attempt = {index, node, {}, {}, {}, &tries, &adjacency};
        attempt.match.assign(rule.numVariables, none);
        attempt.match[rule.premises[0].cls] = node;
        attempt.places.resize(pattern.terms.size());
        matchNode(attempt, 0, node);
      }
    }
  }
}

/// Reads a node at a place, and goes on with its operands; leaves the attempt as it was.
void ClassEdges::matchNode(Attempt &attempt, uint32_t place, NodeId node) {
  const PatternTerm &term = rules[attempt.rule].premises[0].pattern.terms[place];
  std::span<const Id> operands = graph.originalChildren(node);
  if (++*attempt.tries > mostTries || ++triesInAll > mostTriesInAll || graph.op(node) != term.op ||
      graph.payload(node) != term.payload || operands.size() != term.children.size()) {
    return;
  }
  size_t before = attempt.goals.size();
  for (size_t i = operands.size(); i-- > 0;) {
    attempt.goals.emplace_back(term.children[i], operands[i]);
  }
  attempt.places[place].node = node;
  matchGoals(attempt);
  attempt.goals.resize(before);
}

void ClassEdges::matchGoals(Attempt &attempt) {
  if (attempt.goals.empty()) {
    finish(attempt);
    return;
  }
  std::pair<uint32_t, Id> goal = attempt.goals.back();
  attempt.goals.pop_back();
  auto [place, operand] = goal;
  const PatternTerm &term = rules[attempt.rule].premises[0].pattern.terms[place];
  if (term.isVariable()) {
    Id &bound = attempt.match[term.variable];
    Id old = bound;
    if (bound == none || graph.same(bound, operand)) {
      bound = bound == none ? operand : bound;
      matchGoals(attempt);
    }
    bound = old;
  } else {
    // The operand itself, then one node of each other form.
    matchNode(attempt, place, operand);
    for (NodeId node : finder.members(graph.find(operand))) {
      if (node != operand && graph.isLive(node) && graph.op(node) == term.op) {
        matchNode(attempt, place, node);
      }
    }
  }
  attempt.goals.push_back(goal);
}

/// Adds up what is to be proved of the operands of matched nodes, and the time when it holds.
void ClassEdges::weighPattern(const Pattern &pattern, std::span<const MatchFinder::Place> places,
                              std::span<const Id> match, uint32_t &before, float &cost) const {
  for (size_t place = 0; place < pattern.terms.size(); ++place) {
    const PatternTerm &term = pattern.terms[place];
    for (size_t i = 0; i < term.children.size(); ++i) {
      const PatternTerm &child = pattern.terms[term.children[i]];
      Id is = child.isVariable() ? match[child.variable] : places[term.children[i]].node;
      Id operand = graph.originalChildren(places[place].node)[places[place].isSwapped ? 1 - i : i];
      before = std::max(before, history.joinTime(is, operand));
      cost += static_cast<float>(history.distance(is, operand));
    }
  }
}

void ClassEdges::finish(Attempt &attempt) {
  const Rule &rule = rules[attempt.rule];
  for (uint32_t i = 0; i < rule.conclusions.size(); ++i) {
    const Conclusion &conclusion = rule.conclusions[i];
    if (conclusion.cls != rule.premises[0].cls) {
      continue;
    }
    auto result = finder.find(conclusion.pattern, attempt.match, attempt.root, UnionHistory::now);
    if (result.empty()) {
      continue; // not applied, as the run has ended before
    }
    const PatternTerm &root = conclusion.pattern.terms[0];
    NodeId to = root.isVariable() ? attempt.match[root.variable] : result[0].node;
    uint32_t before = 0;
    float cost = 1;
    weighPattern(rule.premises[0].pattern, attempt.places, attempt.match, before, cost);
    weighPattern(conclusion.pattern, result, attempt.match, before, cost);
    if (to != attempt.root) {
      append({attempt.root, to, 2 * uint64_t{before}, cost, none,
              static_cast<uint32_t>(instances.size())},
             *attempt.adjacency);
      instances.push_back({attempt.rule, i, attempt.match, {attempt.places}, std::move(result)});
    }
  }
}

std::vector<uint32_t> ClassEdges::wayOfLog(NodeId from, NodeId to) {
  std::vector<uint32_t> way;
  for (uint32_t entry : history.way(from, to)) {
    way.push_back(edgeOfEntry(entry));
  }
  return way;
}

std::vector<uint32_t> ClassEdges::way(NodeId from, NodeId to, uint64_t limit) {
  Id cls = graph.find(from);
  if (from == to || finder.members(cls).size() > mostMembers) {
    return wayOfLog(from, to);
  }
  // Dijkstra's algorithm over the nodes of the class.
  const Adjacency &adjacency = edgesOf(cls);
  struct State {
    float cost;
    uint32_t by; ///< the edge that led here
    bool isSettled;
  };
  std::unordered_map<NodeId, State> states = {{from, {0, none, false}}};
  using Item = std::pair<float, NodeId>;
  std::priority_queue<Item, std::vector<Item>, std::greater<>> queue;
  queue.emplace(0.0f, from);
  for (size_t settled = 0; !queue.empty() && settled < mostSettled; ++settled) {
    NodeId node = queue.top().second;
    queue.pop();
    if (std::exchange(states[node].isSettled, true)) {
      continue;
    }
    if (node == to) {
      break;
    }
    auto found = adjacency.find(node);
    for (uint32_t number : found == adjacency.end() ? std::vector<uint32_t>() : found->second) {
      const Edge &edge = edges[number];
      NodeId next = edge.from == node ? edge.to : edge.from;
      float cost = states[node].cost + edge.cost + 0.01f; // of equal ways the one of fewer edges
      auto [state, isNew] = states.try_emplace(next, State{cost, number, false});
      if (edge.rank < limit && (isNew || cost < state->second.cost)) {
        state->second = {cost, number, false};
        queue.emplace(cost, next);
      } else if (isNew) {
        states.erase(state);
      }
    }
  }
  auto end = states.find(to);
  if (end == states.end() || !end->second.isSettled) {
    return wayOfLog(from, to);
  }
  std::vector<uint32_t> way;
  for (NodeId node = to; node != from;) {
    uint32_t number = states[node].by;
    way.push_back(number);
    node = edges[number].from == node ? edges[number].to : edges[number].from;
  }
  std::ranges::reverse(way);
  return way;
}

} // namespace zyxc::egraph

// All that makes nodes of a class equal, in the log or not: the graph in which short proofs are
// searched.
#pragma once
#include "compiler/egraph/proof/MatchFinder.h"
#include <deque>
#include <map>

namespace zyxc::egraph {

/// A rule whose premises and conclusion are in the graph, and the nodes at their places.
struct RuleInstance {
  uint32_t rule = 0;
  uint32_t conclusion = 0;
  std::vector<Id> match;                                 ///< a node for each variable
  std::vector<std::vector<MatchFinder::Place>> premises; ///< by premise
  std::vector<MatchFinder::Place> result;                ///< of the conclusion
};

/// Why the terms of two nodes are equal, in one step.
struct Edge {
  NodeId from, to;
  /// The proof rests on edges of smaller rank only. Entry r of the log has 2 r + 1; what holds from
  /// before entry r on has 2 r.
  uint64_t rank;
  float cost;               ///< rewrites in its proof, about
  uint32_t entry = none;    ///< of the log
  uint32_t instance = none; ///< of a rule; if neither: operands are equal by what ranks lower
};

/// Finds the edges of classes, each class once.
///
/// The log has a tree of unions for each class, so one way between two nodes. Beside it stand here
/// the congruences of all nodes of one form, and the matches of rules that united nothing, because
/// their two sides were equal already: those of rules with one premise, about its class. This is
/// the graph of Flatt, Coward, Willsey, Tatlock and Panchekha ("Small proofs from congruence
/// closure", FMCAD 2022), made when a proof is asked for, so that a run need not log what it does
/// not unite.
class ClassEdges {
public:
  ClassEdges(const EGraph &graph, std::span<const Rule> rules, const UnionHistory &history,
             const MatchFinder &finder)
      : graph(graph), rules(rules), history(history), finder(finder) {}

  /// A way of edges below a rank from one node to another of its class, cheap as far as costs are
  /// known. Edges by number; each is to be read from the node where the one before ended.
  std::vector<uint32_t> way(NodeId from, NodeId to, uint64_t limit);

  const Edge &edge(uint32_t number) const { return edges[number]; }
  /// Sets what the proof of an edge has turned out to cost, for ways that are searched later.
  void setCost(uint32_t number, double cost) { edges[number].cost = static_cast<float>(cost); }
  const RuleInstance &instance(uint32_t number) const { return instances[number]; }

private:
  /// The edges at each node of a class.
  using Adjacency = std::map<NodeId, std::vector<uint32_t>>;
  /// A rule that is matched at a node, place by place.
  struct Attempt;

  const Adjacency &edgesOf(Id cls);
  uint32_t edgeOfEntry(uint32_t entry);
  void addTwins(std::span<const NodeId> members, Adjacency &adjacency);
  void addTwinEdge(NodeId a, NodeId b, Adjacency &adjacency);
  void addInstances(std::span<const NodeId> members, Adjacency &adjacency);
  void matchGoals(Attempt &attempt);
  void matchNode(Attempt &attempt, uint32_t place, NodeId node);
  void finish(Attempt &attempt);
  void weighPattern(const Pattern &pattern, std::span<const MatchFinder::Place> places,
                    std::span<const Id> match, uint32_t &before, float &cost) const;
  void append(Edge edge, Adjacency &adjacency);
  std::vector<uint32_t> wayOfLog(NodeId from, NodeId to);

  const EGraph &graph;
  std::span<const Rule> rules;
  const UnionHistory &history;
  const MatchFinder &finder;
  uint32_t triesInAll = 0;
  std::deque<Edge> edges;
  std::deque<RuleInstance> instances;
  std::map<Id, Adjacency> byClass;
  std::map<uint32_t, uint32_t> ofEntry;
};

} // namespace zyxc::egraph

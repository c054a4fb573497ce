// The classes of an e-graph as they were before each entry of its union log, and the ways along
// the log by which two nodes became equal.
#pragma once
#include "compiler/egraph/EGraph.h"

namespace zyxc::egraph {

/// Reads a union log once; needs memory in proportion to the nodes.
///
/// Each entry of the log joins two classes that were two, so its entries are the edges of a forest
/// over nodes: the proof forest of Nieuwenhuis and Oliveras ("Proof-producing congruence closure",
/// RTA 2005). They turn the edges of the smaller side with each union, to have it at any time; here
/// all unions are known, and one pass gives each tree a root. The way between two nodes is the only
/// one, so whatever was equal before an entry is joined by entries before it.
class UnionHistory {
public:
  explicit UnionHistory(const EGraph &graph);

  static constexpr uint32_t now = ~0u;
  /// Names the class of `id` as it was before entry `before` of the log.
  Id find(Id id, uint32_t before) const {
    while (parent[id] != id && joinedAt[id] < before) {
      id = parent[id];
    }
    return id;
  }
  bool same(Id a, Id b, uint32_t before) const { return find(a, before) == find(b, before); }

  /// The entry before which two nodes of one class were not yet equal, and after which they are,
  /// plus 1; 0 for one node.
  uint32_t joinTime(Id a, Id b) const;
  /// The entries of the log on the way between two nodes of one class, from the first to the
  /// second.
  std::vector<uint32_t> way(NodeId from, NodeId to) const;
  /// How many they are.
  uint32_t distance(NodeId from, NodeId to) const;
  /// The entry between a node and the one above it in the tree of its class; none at the root.
  uint32_t entryAbove(NodeId node) const { return upEntry[node]; }

private:
  void plantForest();
  NodeId above(NodeId node) const;

  const EGraph &graph;
  // Union by size without shortening, so that links lead to the root in the order of their times
  // and are few.
  std::vector<Id> parent;
  std::vector<uint32_t> joinedAt; ///< the entry that made the link to the parent
  // The proof forest, by node.
  std::vector<uint32_t> upEntry; ///< the entry between the node and the one above; none at a root
  std::vector<uint32_t> depth;
};

} // namespace zyxc::egraph

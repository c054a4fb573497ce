#include "compiler/egraph/proof/UnionHistory.h"
#include <algorithm>
#include <numeric>

namespace zyxc::egraph {

UnionHistory::UnionHistory(const EGraph &graph)
    : graph(graph), parent(graph.numNodes()), joinedAt(graph.numNodes(), now),
      upEntry(graph.numNodes(), none), depth(graph.numNodes(), 0) {
  std::iota(parent.begin(), parent.end(), 0u);
  std::vector<uint32_t> size(graph.numNodes(), 1);
  uint32_t entry = 0;
  for (const UnionRecord &record : graph.unionLog()) {
    Id root = find(record.a, now);
    Id loser = find(record.b, now);
    assert(root != loser && "each entry joins two classes");
    if (size[root] < size[loser]) {
      std::swap(root, loser);
    }
    parent[loser] = root;
    joinedAt[loser] = entry++;
    size[root] += size[loser];
  }
  plantForest();
}

void UnionHistory::plantForest() {
  std::span<const UnionRecord> log = graph.unionLog();
  // The edges of each node: half edge 2 * entry at the entry's `a`, 2 * entry + 1 at its `b`.
  std::vector<uint32_t> first(graph.numNodes(), none), next(2 * log.size(), none);
  for (uint32_t half = 2 * static_cast<uint32_t>(log.size()); half-- > 0;) {
    const UnionRecord &record = log[half / 2];
    NodeId node = half % 2 == 0 ? record.a : record.b;
    next[half] = first[node];
    first[node] = half;
  }
  std::vector<NodeId> work;
  std::vector<bool> isPlanted(graph.numNodes());
  for (NodeId root = 0; root < graph.numNodes(); ++root) {
    if (isPlanted[root]) {
      continue;
    }
    isPlanted[root] = true;
    work.push_back(root);
    while (!work.empty()) {
      NodeId node = work.back();
      work.pop_back();
      for (uint32_t half = first[node]; half != none; half = next[half]) {
        NodeId other = half % 2 == 0 ? log[half / 2].b : log[half / 2].a;
        if (!isPlanted[other]) {
          isPlanted[other] = true;
          upEntry[other] = half / 2;
          depth[other] = depth[node] + 1;
          work.push_back(other);
        }
      }
    }
  }
}

uint32_t UnionHistory::joinTime(Id a, Id b) const {
  uint32_t time = 0;
  while (a != b) {
    Id &earlier = joinedAt[a] <= joinedAt[b] ? a : b; // a root has no time, which is the latest
    assert(joinedAt[earlier] != now && "the nodes are in one class");
    time = joinedAt[earlier] + 1;
    earlier = parent[earlier];
  }
  return time;
}

NodeId UnionHistory::above(NodeId node) const {
  assert(upEntry[node] != none && "the nodes are in one class");
  const UnionRecord &record = graph.unionLog()[upEntry[node]];
  return record.a == node ? record.b : record.a;
}

std::vector<uint32_t> UnionHistory::way(NodeId from, NodeId to) const {
  std::vector<uint32_t> up, down;
  while (from != to) {
    bool climbsFrom = depth[from] >= depth[to];
    NodeId &node = climbsFrom ? from : to;
    (climbsFrom ? up : down).push_back(upEntry[node]);
    node = above(node);
  }
  up.insert(up.end(), down.rbegin(), down.rend());
  return up;
}

uint32_t UnionHistory::distance(NodeId from, NodeId to) const {
  uint32_t count = 0;
  for (; from != to; ++count) {
    NodeId &deeper = depth[from] >= depth[to] ? from : to;
    deeper = above(deeper);
  }
  return count;
}

} // namespace zyxc::egraph

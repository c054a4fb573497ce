// The invariants of the e-graph, checked the slow and obvious way.
#include "compiler/egraph/EGraph.h"
#include <algorithm>
#include <numeric>

namespace zyxc::egraph {

namespace {

template <class... Args> Status broken(fmt::format_string<Args...> format, Args &&...args) {
  return makeError(ErrorCode::Internal, "e-graph invariant: {}",
                   fmt::format(format, std::forward<Args>(args)...));
}

} // namespace

Status EGraph::verify() const {
  if (!isClean()) {
    return broken("{} nodes and {} facts wait for rebuild", pendingNodes.size(),
                  pendingFacts.size());
  }
  ZYXC_RETURN_IF_ERROR(verifyNodes());
  ZYXC_RETURN_IF_ERROR(verifyClasses());
  ZYXC_RETURN_IF_ERROR(verifyUses());
  return verifyLog();
}

// Hash-consing and congruence: the canonical form of each node, made from its original operands,
// leads to one live node of its class.
Status EGraph::verifyNodes() const {
  std::vector<Id> canonical;
  uint32_t dead = 0;
  for (NodeId node = 0; node < numNodes(); ++node) {
    canonicalize(op(node), originalChildren(node), canonical);
    uint32_t hash = hashOf(op(node), payload(node), canonical);
    NodeId found = findInTable(hash, op(node), payload(node), canonical);
    dead += !isLive(node);
    if (found == none) {
      return broken("the form of node {} is not in the table", node);
    }
    if (isLive(node) && found != node) {
      return broken("live nodes {} and {} have one form", node, found);
    }
    if (find(found) != find(node)) {
      return broken("congruent nodes {} and {} are in two classes", node, found);
    }
    if (isLive(node) && !std::ranges::equal(children(node), canonical)) {
      return broken("node {} has operands that are not canonical", node);
    }
    if (!std::ranges::binary_search(nodesWithOp(op(node)), node)) {
      return broken("node {} is not in the index of its op", node);
    }
  }
  return dead == numDead ? Status::ok() : broken("{} nodes are dead, not {}", dead, numDead);
}

Status EGraph::verifyClasses() const {
  uint32_t classes = 0;
  uint32_t listed = 0;
  for (Id cls = 0; cls < numNodes(); ++cls) {
    if (parent[cls] != cls) {
      continue;
    }
    ++classes;
    NodeId last = none;
    for (NodeId node = firstNode[cls]; node != none; node = nextInClass[node]) {
      if (++listed > numNodes()) {
        return broken("the node list of class {} does not end", cls);
      }
      if (!isLive(node) || find(node) != cls || node < firstNode[cls]) {
        return broken("node {} has no place in the list of class {}", node, cls);
      }
      last = node;
    }
    if (last == none || last != lastNode[cls]) {
      return broken("the list of class {} ends at node {}, not {}", cls, last, lastNode[cls]);
    }
  }
  if (listed != numLiveNodes() || classes != numClasses()) {
    return broken("{} nodes in {} classes, not {} in {}", listed, classes, numLiveNodes(),
                  numClasses());
  }
  return Status::ok();
}

// Each use of a live node stands once in the chain of the class that it uses.
Status EGraph::verifyUses() const {
  std::vector<Id> chainOf(useChild.size(), none);
  for (Id cls = 0; cls < numNodes(); ++cls) {
    if (parent[cls] != cls) {
      continue;
    }
    uint32_t count = 0;
    for (uint32_t use = useHead[cls]; use != none; use = nextUse[use], ++count) {
      if (chainOf[use] != none) {
        return broken("use {} is in two chains", use);
      }
      chainOf[use] = cls;
    }
    if (count != numUses[cls]) {
      return broken("class {} has {} uses, not {}", cls, count, numUses[cls]);
    }
  }
  for (uint32_t use = 0; use < useChild.size(); ++use) {
    if (isLive(useNode[use]) && chainOf[use] != find(useChild[use])) {
      return broken("node {} is not among the parents of class {}", useNode[use],
                    find(useChild[use]));
    }
  }
  return Status::ok();
}

// The log alone gives the same classes.
Status EGraph::verifyLog() const {
  std::vector<Id> root(numNodes());
  std::iota(root.begin(), root.end(), 0u);
  auto rootOf = [&](Id id) {
    while (root[id] != id) {
      id = root[id] = root[root[id]];
    }
    return id;
  };
  for (const UnionRecord &record : log) {
    if (record.reason.kind == Reason::Kind::Congruence &&
        (op(record.a) != op(record.b) || payload(record.a) != payload(record.b))) {
      return broken("nodes {} and {} cannot be congruent", record.a, record.b);
    }
    root[rootOf(record.a)] = rootOf(record.b);
  }
  std::vector<Id> classOf(numNodes(), none);
  for (NodeId node = 0; node < numNodes(); ++node) {
    Id &expected = classOf[rootOf(node)];
    expected = expected == none ? find(node) : expected;
    if (expected != find(node)) {
      return broken("the union log does not join node {} to its class", node);
    }
  }
  return Status::ok();
}

} // namespace zyxc::egraph

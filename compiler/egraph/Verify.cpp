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
  ZYXC_RETURN_IF_ERROR(verifyAges());
  return options.keepLog ? verifyLog() : Status::ok();
}

// Hash-consing and congruence: the canonical form of each node, made from its original operands if
// they are kept, leads to one live node of its class.
Status EGraph::verifyNodes() const {
  Id few[inlineArity];
  std::vector<Id> many;
  uint32_t dead = 0;
  for (NodeId node = 0; node < numNodes(); ++node) {
    std::span<const Id> canonical = canonicalize(
        op(node), options.keepLog ? originalChildren(node) : children(node), few, many);
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
  uint32_t numFound = 0;
  uint32_t listed = 0;
  for (Id cls = 0; cls < numNodes(); ++cls) {
    if (parent[cls] != cls) {
      continue;
    }
    ++numFound;
    NodeId last = none;
    for (NodeId node = classes[cls].firstNode; node != none; node = nextInClass[node]) {
      if (++listed > numNodes()) {
        return broken("the node list of class {} does not end", cls);
      }
      if (!isLive(node) || find(node) != cls || node < classes[cls].firstNode) {
        return broken("node {} has no place in the list of class {}", node, cls);
      }
      last = node;
    }
    if (last == none || last != classes[cls].lastNode) {
      return broken("the list of class {} ends at node {}, not {}", cls, last,
                    classes[cls].lastNode);
    }
  }
  if (listed != numLiveNodes() || numFound != numClasses()) {
    return broken("{} nodes in {} classes, not {} in {}", listed, numFound, numLiveNodes(),
                  numClasses());
  }
  return Status::ok();
}

// Each use of a live node stands once in the chain of the class that it uses.
Status EGraph::verifyUses() const {
  std::vector<std::pair<Id, NodeId>> chained, wanted;
  for (Id cls = 0; cls < numNodes(); ++cls) {
    if (parent[cls] != cls) {
      continue;
    }
    uint32_t weight = 0;
    uint32_t last = none;
    for (uint32_t use = classes[cls].firstUse; use != none; use = uses[use].next, ++weight) {
      if (weight > uses.size()) {
        return broken("the list of users of class {} does not end", cls);
      }
      last = use;
      if (isLive(uses[use].node)) {
        chained.emplace_back(cls, uses[use].node);
      }
    }
    if (last != classes[cls].lastUse) {
      return broken("the users of class {} end at {}, not {}", cls, last, classes[cls].lastUse);
    }
    bool isRight = options.trackAges ? weight < classes[cls].weight : weight == classes[cls].weight;
    if (!isRight) {
      return broken("class {} has {} uses, but weighs {}", cls, weight, classes[cls].weight);
    }
  }
  for (NodeId node = 0; node < numNodes(); ++node) {
    for (Id child : children(node)) {
      if (isLive(node)) {
        wanted.emplace_back(find(child), node);
      }
    }
  }
  std::ranges::sort(chained);
  std::ranges::sort(wanted);
  auto [found, missing] = std::ranges::mismatch(chained, wanted);
  if (missing != wanted.end()) {
    return broken("the uses of class {} by node {} are not those of its chain", missing->first,
                  missing->second);
  }
  return found == chained.end()
             ? Status::ok()
             : broken("node {} is among the users of class {}", found->second, found->first);
}

Status EGraph::verifyAges() const {
  for (NodeId node = 0; options.trackAges && node < numNodes(); ++node) {
    if (isLive(node) && (ages[node] > newest[find(node)] || newest[find(node)] > now)) {
      return broken("row {} is of time {}, the newest of its class of {}, now is {}", node,
                    ages[node], newest[find(node)], now);
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

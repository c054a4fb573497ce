// The invariants of the e-graph, checked the slow and obvious way.
#include "compiler/egraph/EGraph.h"
#include <algorithm>
#include <numeric>
#include <utility>

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
  ZYXC_RETURN_IF_ERROR(verifyLists());
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
    if (classOf(node) != find(node) ||
        (options.trackAges && isLive(node) && nodes[node].cls != find(node))) {
      return broken("node {} has {} for its class, not {}", node, nodes[node].cls, find(node));
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
  NodeId misplaced = none;
  for (Id cls = 0; cls < numNodes(); ++cls) {
    if (parent[cls] != cls) {
      continue;
    }
    ++numFound;
    if (classes[cls].nodes.empty()) {
      return broken("class {} has no nodes", cls);
    }
    NodeId first = lists.front(classes[cls].nodes);
    bool isRight = visitNodes(cls, [&](NodeId node) {
      ++listed;
      bool hasPlace = isLive(node) && find(node) == cls && node >= first;
      if (!hasPlace) {
        misplaced = node;
      }
      return hasPlace && listed <= numNodes();
    });
    if (!isRight) {
      return misplaced == none
                 ? broken("the node lists of the classes up to {} do not end", cls)
                 : broken("node {} has no place in the list of class {}", misplaced, cls);
    }
  }
  if (listed != numLiveNodes() || numFound != numClasses()) {
    return broken("{} nodes in {} classes, not {} in {}", listed, numFound, numLiveNodes(),
                  numClasses());
  }
  return Status::ok();
}

// Each use of a live node stands once in the list of the class that it uses.
Status EGraph::verifyUses() const {
  std::vector<std::pair<Id, NodeId>> listed, wanted;
  size_t most = lists.allWords() + numNodes();
  for (Id cls = 0; cls < numNodes(); ++cls) {
    if (parent[cls] != cls) {
      continue;
    }
    uint32_t weight = 0;
    visitUsers(cls, [&](NodeId node) {
      if (isLive(node)) {
        listed.emplace_back(cls, node);
      }
      return ++weight <= most;
    });
    if (weight > most) {
      return broken("the list of users of class {} does not end", cls);
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
  std::ranges::sort(listed);
  std::ranges::sort(wanted);
  auto [found, missing] = std::ranges::mismatch(listed, wanted);
  if (missing != wanted.end()) {
    return broken("the uses of class {} by node {} are not those of its list", missing->first,
                  missing->second);
  }
  return found == listed.end()
             ? Status::ok()
             : broken("node {} is among the users of class {}", found->second, found->first);
}

// Each block of the pool is in one list or free.
Status EGraph::verifyLists() const {
  size_t listed = lists.freeWords();
  for (Id cls = 0; cls < numNodes(); ++cls) {
    listed += lists.wordsOf(classes[cls].nodes) + lists.wordsOf(classes[cls].uses);
  }
  return listed == lists.allWords()
             ? Status::ok()
             : broken("lists have {} words, their pool {}", listed, lists.allWords());
}

// Each live row is new at most as its class is, and stands once among the rows of its time.
Status EGraph::verifyAges() const {
  if (!options.trackAges) {
    return Status::ok();
  }
  std::vector<uint8_t> isListed(numNodes());
  for (uint32_t time = 0; time <= now; ++time) {
    for (NodeId node : rowsAt(time)) {
      if (age(node) == time && std::exchange(isListed[node], true)) {
        return broken("row {} stands twice at time {}", node, time);
      }
    }
  }
  for (NodeId node = 0; node < numNodes(); ++node) {
    if (isLive(node) && (age(node) > newest[find(node)] || newest[find(node)] > now)) {
      return broken("row {} is of time {}, the newest of its class of {}, now is {}", node,
                    age(node), newest[find(node)], now);
    }
    if (!isListed[node]) {
      return broken("row {} is not among those of time {}", node, age(node));
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

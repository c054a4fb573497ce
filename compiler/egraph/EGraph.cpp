#include "compiler/egraph/EGraph.h"
#include "compiler/egraph/Explain.h"
#include "runtime/support/Hash.h"
#include <algorithm>

namespace zyxc::egraph {

void EGraph::setCommutative(uint32_t op) {
  assert(nodesWithOp(op).empty() && "declare before the op is used");
  if (op >= commutative.size()) {
    commutative.resize(op + 1);
  }
  commutative[op] = true;
}

std::span<const NodeId> EGraph::nodesWithOp(uint32_t op) const {
  return op < byOp.size() ? std::span<const NodeId>(byOp[op]) : std::span<const NodeId>();
}

void EGraph::canonicalize(uint32_t op, std::span<const Id> children, std::vector<Id> &out) const {
  out.resize(children.size());
  for (size_t i = 0; i < children.size(); ++i) {
    out[i] = find(children[i]);
  }
  if (out.size() == 2 && isCommutative(op) && out[1] < out[0]) {
    std::swap(out[0], out[1]);
  }
}

//===- Hash table -----------------------------------------------------------------------------===//

uint32_t EGraph::hashOf(uint32_t op, uint32_t payload, std::span<const Id> children) {
  uint64_t hash = hashMix(op, payload);
  for (Id child : children) {
    hash = hashMix(hash, child);
  }
  return static_cast<uint32_t>(hash ^ (hash >> 32));
}

NodeId EGraph::findInTable(uint32_t hash, uint32_t op, uint32_t payload,
                           std::span<const Id> operands) const {
  size_t mask = table.size() - 1;
  for (size_t at = hash & mask; table[at].node != none; at = (at + 1) & mask) {
    if (table[at].hash != hash) {
      continue;
    }
    // An outdated entry leads to a node of another form, so that the comparison rejects it.
    const Node &node = nodes[table[at].node];
    if (node.op == op && node.payload == payload && !node.dead &&
        std::ranges::equal(children(table[at].node), operands)) {
      return table[at].node;
    }
  }
  return none;
}

void EGraph::insertInTable(uint32_t hash, NodeId node) {
  if (2 * (tableUsed + 1) > table.size()) {
    growTable(std::max<size_t>(64, 3 * static_cast<size_t>(numLiveNodes())));
  }
  size_t mask = table.size() - 1;
  size_t at = hash & mask;
  while (table[at].node != none) {
    if (table[at].node == node && table[at].hash == hash) {
      return;
    }
    at = (at + 1) & mask;
  }
  table[at] = {hash, node};
  ++tableUsed;
}

void EGraph::growTable(size_t slots) {
  size_t size = 64;
  while (size < slots) {
    size *= 2;
  }
  table.assign(size, Slot{0, none});
  tableUsed = 0;
  for (NodeId node = 0; node < numNodes(); ++node) {
    if (!isLive(node)) {
      continue;
    }
    uint32_t hash = hashOf(op(node), payload(node), children(node));
    size_t at = hash & (size - 1);
    while (table[at].node != none) {
      at = (at + 1) & (size - 1);
    }
    table[at] = {hash, node};
    ++tableUsed;
  }
}

//===- Adding nodes ---------------------------------------------------------------------------===//

std::optional<NodeId> EGraph::lookup(uint32_t op, uint32_t payload,
                                     std::span<const Id> children) const {
  std::vector<Id> canonical;
  canonicalize(op, children, canonical);
  NodeId node = findInTable(hashOf(op, payload, canonical), op, payload, canonical);
  return node == none ? std::nullopt : std::optional<NodeId>(node);
}

EGraph::Added EGraph::addNode(uint32_t op, uint32_t payload, std::span<const Id> children) {
  canonicalize(op, children, scratch);
  uint32_t hash = hashOf(op, payload, scratch);
  if (NodeId found = findInTable(hash, op, payload, scratch); found != none) {
    return {find(found), found, false};
  }
  NodeId node = appendNode(op, payload, scratch, children);
  insertInTable(hash, node);
  if (analysis) {
    noteChange(analysis->make(*this, node), node);
  }
  return {find(node), node, true};
}

NodeId EGraph::appendNode(uint32_t op, uint32_t payload, std::span<const Id> canonical,
                          std::span<const Id> original) {
  NodeId id = numNodes();
  Node node = {op, payload, static_cast<uint32_t>(canonical.size()), 0, 0, 0, {none, none, none}};
  if (canonical.size() <= inlineArity) {
    std::ranges::copy(canonical, node.inlined);
  } else {
    node.inlined[0] = static_cast<uint32_t>(sidePool.size());
    sidePool.insert(sidePool.end(), canonical.begin(), canonical.end());
  }
  nodes.push_back(node);
  parent.push_back(id);
  nextInClass.push_back(none);
  firstNode.push_back(id);
  lastNode.push_back(id);
  useHead.push_back(none);
  useTail.push_back(none);
  numUses.push_back(0);
  factIsPending.push_back(0);
  if (op >= byOp.size()) {
    byOp.resize(op + 1);
  }
  byOp[op].push_back(id);

  firstUse.push_back(static_cast<uint32_t>(useChild.size()));
  for (Id child : original) {
    assert(child < id && "an operand must exist");
    uint32_t use = static_cast<uint32_t>(useChild.size());
    Id cls = find(child);
    useChild.push_back(child);
    useNode.push_back(id);
    nextUse.push_back(none);
    (useHead[cls] == none ? useHead[cls] : nextUse[useTail[cls]]) = use;
    useTail[cls] = use;
    ++numUses[cls];
  }
  return id;
}

//===- Unions and rebuild ---------------------------------------------------------------------===//

bool EGraph::unite(Id a, Id b, Reason reason) {
  Id root = find(a);
  Id loser = find(b);
  if (root == loser) {
    return false;
  }
  log.push_back({a, b, reason});
  ++numUnions;
  // The class with fewer users changes its id: each user is visited O(log n) times in all.
  if (numUses[root] < numUses[loser] || (numUses[root] == numUses[loser] && loser < root)) {
    std::swap(root, loser);
  }
  postponeUsers(loser);
  link(root, loser);
  if (analysis) {
    noteChange(analysis->merge(*this, root, loser), root);
  }
  return true;
}

void EGraph::postponeUsers(Id cls) {
  uint32_t head = none;
  uint32_t tail = none;
  uint32_t count = 0;
  for (uint32_t use = useHead[cls]; use != none; use = nextUse[use]) {
    Node &user = nodes[useNode[use]];
    if (user.dead) {
      continue;
    }
    if (!user.pending) {
      user.pending = 1;
      pendingNodes.push_back(useNode[use]);
    }
    (head == none ? head : nextUse[tail]) = use;
    tail = use;
    ++count;
  }
  if (tail != none) {
    nextUse[tail] = none;
  }
  useHead[cls] = head;
  useTail[cls] = tail;
  numUses[cls] = count;
}

void EGraph::link(Id root, Id loser) {
  parent[loser] = root;
  // The oldest node stays first.
  Id first = firstNode[root] < firstNode[loser] ? root : loser;
  Id second = first == root ? loser : root;
  nextInClass[lastNode[first]] = firstNode[second];
  NodeId last = lastNode[second];
  firstNode[root] = firstNode[first];
  lastNode[root] = last;

  if (useHead[loser] != none) {
    (useHead[root] == none ? useHead[root] : nextUse[useTail[root]]) = useHead[loser];
    useTail[root] = useTail[loser];
    numUses[root] += numUses[loser];
  }
}

void EGraph::noteChange(Analysis::Change change, Id cls) {
  if (change == Analysis::Change::Conflict && conflict.isOk()) {
    std::string rules;
    for (uint32_t rule : rulesBehind(*this, cls)) {
      rules += rules.empty() ? "" : ", ";
      rules += ruleNames ? ruleNames->ruleName(rule) : fmt::format("rule {}", rule);
    }
    conflict = makeError(ErrorCode::Internal, "e-graph conflict: {}; rules that led there: {}",
                         analysis->describeConflict(), rules.empty() ? "none" : rules);
  }
  if (change != Analysis::Change::None && !factIsPending[cls]) {
    factIsPending[cls] = 1;
    pendingFacts.push_back(cls);
  }
}

void EGraph::repairNode(NodeId node) {
  nodes[node].pending = 0;
  if (nodes[node].dead) {
    return;
  }
  std::span<const Id> current = children(node);
  canonicalize(op(node), current, scratch);
  if (std::ranges::equal(current, scratch)) {
    return;
  }
  std::ranges::copy(scratch, const_cast<Id *>(current.data()));
  uint32_t hash = hashOf(op(node), payload(node), scratch);
  NodeId twin = findInTable(hash, op(node), payload(node), scratch);
  if (twin == node) {
    return;
  }
  if (twin == none) {
    insertInTable(hash, node);
    return;
  }
  NodeId younger = std::max(node, twin);
  nodes[younger].dead = 1;
  ++numDead;
  listsWithDead.push_back(younger);
  if (younger == twin) {
    insertInTable(hash, node);
  }
  unite(node, twin, Reason::congruence());
}

void EGraph::propagateFacts(Id cls) {
  factIsPending[cls] = 0;
  cls = find(cls);
  analysis->modify(*this, cls);
  for (NodeId user : parentsOf(cls)) {
    noteChange(analysis->make(*this, user), find(user));
  }
}

Status EGraph::rebuild() {
  std::vector<NodeId> batch;
  while (!isClean() && conflict.isOk()) {
    batch.clear();
    if (!pendingNodes.empty()) {
      batch.swap(pendingNodes);
      for (NodeId node : batch) {
        repairNode(node);
      }
      continue;
    }
    batch.swap(pendingFacts);
    for (Id cls : batch) {
      propagateFacts(cls);
    }
  }
  unlinkDeadNodes();
  return conflict;
}

void EGraph::unlinkDeadNodes() {
  for (Id member : listsWithDead) {
    Id cls = find(member);
    NodeId last = none;
    for (NodeId node = firstNode[cls]; node != none; node = nextInClass[node]) {
      if (!isLive(node)) {
        continue;
      }
      (last == none ? firstNode[cls] : nextInClass[last]) = node;
      last = node;
    }
    nextInClass[last] = none;
    lastNode[cls] = last;
  }
  listsWithDead.clear();
}

} // namespace zyxc::egraph

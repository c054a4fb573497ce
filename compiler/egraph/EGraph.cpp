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
  return op < byOp.size() ? std::span<const NodeId>(byOp[op].data(), byOp[op].size())
                          : std::span<const NodeId>();
}

std::span<const Id> EGraph::canonicalize(uint32_t op, std::span<const Id> children, Id *few,
                                         std::vector<Id> &many) const {
  Id *out = few;
  if (children.size() > inlineArity) {
    many.resize(children.size());
    out = many.data();
  }
  for (size_t i = 0; i < children.size(); ++i) {
    out[i] = find(children[i]);
  }
  if (children.size() == 2 && isCommutative(op) && out[1] < out[0]) {
    std::swap(out[0], out[1]);
  }
  return {out, children.size()};
}

//===- Hash table -----------------------------------------------------------------------------===//

uint32_t EGraph::hashOf(uint32_t op, uint32_t payload, std::span<const Id> children) {
  uint64_t hash = hashMix(op, payload);
  for (Id child : children) {
    hash = hashMix(hash, child);
  }
  return static_cast<uint32_t>(hash ^ (hash >> 32));
}

inline bool EGraph::hasForm(const Node &node, uint32_t op, uint32_t payload,
                            std::span<const Id> operands) const {
  if (node.op != op || node.payload != payload || node.arity != operands.size() || node.dead) {
    return false;
  }
  const Id *own = node.arity <= inlineArity ? node.inlined : &sidePool[node.inlined[0]];
  for (size_t i = 0; i < operands.size(); ++i) { // not memcmp: mostly two operands
    if (own[i] != operands[i]) {
      return false;
    }
  }
  return true;
}

size_t EGraph::slotOf(uint32_t hash, uint32_t op, uint32_t payload,
                      std::span<const Id> operands) const {
  size_t mask = table.size() - 1;
  size_t at = hash & mask;
  for (; table[at].node != none; at = (at + 1) & mask) {
    if (table[at].hash != hash) {
      continue;
    }
    // An outdated entry leads to a node of another form, so that the comparison rejects it.
    if (hasForm(nodes[table[at].node], op, payload, operands)) {
      break;
    }
  }
  return at;
}

void EGraph::fillSlot(size_t at, uint32_t hash, NodeId node) {
  // Up to two thirds full: a miss reads three slots on average, mostly of one cache line.
  if (3 * (tableUsed + 1) > 2 * table.size()) {
    growTable(2 * static_cast<size_t>(numLiveNodes()));
    insertInTable(hash, node);
    return;
  }
  table[at] = {hash, node};
  ++tableUsed;
}

void EGraph::insertInTable(uint32_t hash, NodeId node) {
  size_t mask = table.size() - 1;
  size_t at = hash & mask;
  while (table[at].node != none) {
    if (table[at].node == node && table[at].hash == hash) {
      return;
    }
    at = (at + 1) & mask;
  }
  fillSlot(at, hash, node);
}

// Entries of nodes whose form never changed keep their hash, so that their nodes are not read: the
// old table is read in order, and the new one written nearly so.
void EGraph::growTable(size_t slots) {
  size_t size = 64;
  while (size < slots) {
    size *= 2;
  }
  GrowingArray<Slot> old = std::move(table);
  table = GrowingArray<Slot>();
  std::fill_n(table.extend(size), size, Slot{0, none});
  tableUsed = 0;
  for (const Slot &slot : old) {
    if (slot.node == none) {
      continue;
    }
    bool isOutdated = moved[slot.node] &&
                      (!isLive(slot.node) ||
                       hashOf(op(slot.node), payload(slot.node), children(slot.node)) != slot.hash);
    if (!isOutdated) { // one entry a node is left: there is room
      insertInTable(slot.hash, slot.node);
    }
  }
}

//===- Adding nodes ---------------------------------------------------------------------------===//

std::optional<NodeId> EGraph::lookup(uint32_t op, uint32_t payload,
                                     std::span<const Id> children) const {
  Id few[inlineArity];
  std::vector<Id> many;
  std::span<const Id> canonical = canonicalize(op, children, few, many);
  NodeId node = findInTable(hashOf(op, payload, canonical), op, payload, canonical);
  return node == none ? std::nullopt : std::optional<NodeId>(node);
}

void EGraph::prefetch(uint32_t op, uint32_t payload, std::span<const Id> children) const {
  if (children.size() > inlineArity) {
    return;
  }
  Id few[inlineArity];
  std::vector<Id> many;
  std::span<const Id> canonical = canonicalize(op, children, few, many);
  __builtin_prefetch(&table[hashOf(op, payload, canonical) & (table.size() - 1)]);
  for (Id cls : canonical) {
    __builtin_prefetch(&classes[cls]);
  }
}

EGraph::Added EGraph::addNode(uint32_t op, uint32_t payload, std::span<const Id> children) {
  Id few[inlineArity];
  std::span<const Id> canonical = canonicalize(op, children, few, scratch);
  uint32_t hash = hashOf(op, payload, canonical);
  size_t slot = slotOf(hash, op, payload, canonical);
  if (NodeId found = table[slot].node; found != none) {
    return {find(found), found, false};
  }
  NodeId node = appendNode(op, payload, canonical, children, none);
  fillSlot(slot, hash, node);
  if (analysis) {
    noteChange(analysis->make(*this, node), node);
  }
  return {find(node), node, true};
}

bool EGraph::addNodeTo(Id cls, uint32_t op, uint32_t payload, std::span<const Id> children,
                       Reason reason) {
  if (analysis) { // the facts of the node must be made and then joined
    Added added = addNode(op, payload, children);
    return unite(cls, added.cls, reason) || added.isNew;
  }
  Id few[inlineArity];
  std::span<const Id> canonical = canonicalize(op, children, few, scratch);
  uint32_t hash = hashOf(op, payload, canonical);
  size_t slot = slotOf(hash, op, payload, canonical);
  if (NodeId found = table[slot].node; found != none) {
    return unite(cls, found, reason);
  }
  NodeId node = appendNode(op, payload, canonical, children, find(cls));
  fillSlot(slot, hash, node);
  ++numUnions;
  if (options.keepLog) {
    log.append({cls, node, reason});
  }
  return true;
}

NodeId EGraph::appendNode(uint32_t op, uint32_t payload, std::span<const Id> canonical,
                          std::span<const Id> original, Id cls) {
  NodeId id = numNodes();
  Node node = {op, payload, static_cast<uint32_t>(canonical.size()), 0, 0, 0, {none, none, none}};
  if (canonical.size() <= inlineArity) {
    std::ranges::copy(canonical, node.inlined);
  } else {
    node.inlined[0] = static_cast<uint32_t>(sidePool.size());
    sidePool.insert(sidePool.end(), canonical.begin(), canonical.end());
  }
  nodes.append(node);
  moved.push_back(false);
  parent.append(cls == none ? id : cls);
  nextInClass.append(none);
  classes.append({id, id, none, none, options.trackAges});
  if (cls != none) {
    nextInClass[classes[cls].lastNode] = id;
    classes[cls].lastNode = id;
    classes[cls].weight += options.trackAges;
  }
  if (op >= byOp.size()) {
    byOp.resize(op + 1);
  }
  byOp[op].append(id);
  if (options.trackAges) {
    ages.append(now);
    newest.append(now);
    touchRow(id, parent[id]);
  }
  if (options.keepLog) {
    firstOriginal.append(static_cast<uint32_t>(originals.size()));
    std::ranges::copy(original, originals.extend(original.size()));
  }
  appendUses(id, canonical);
  return id;
}

void EGraph::appendUses(NodeId node, std::span<const Id> canonical) {
  for (Id cls : canonical) {
    assert(cls < node && "an operand must exist");
    uint32_t use = static_cast<uint32_t>(uses.size());
    uses.append({node, none});
    ClassLists &lists = classes[cls];
    (lists.firstUse == none ? lists.firstUse : uses[lists.lastUse].next) = use;
    lists.lastUse = use;
    ++lists.weight;
  }
}

//===- Unions and rebuild ---------------------------------------------------------------------===//

bool EGraph::unite(Id a, Id b, Reason reason) {
  Id root = find(a);
  Id loser = find(b);
  if (root == loser) {
    return false;
  }
  if (options.keepLog) {
    log.append({a, b, reason});
  }
  ++numUnions;
  // The lighter class changes its id: each user is visited O(log n) times in all.
  uint32_t rootWeight = classes[root].weight;
  uint32_t loserWeight = classes[loser].weight;
  if (rootWeight < loserWeight || (rootWeight == loserWeight && loser < root)) {
    std::swap(root, loser);
  }
  postponeUsers(loser);
  if (options.trackAges) {
    touchNodes(loser, root);
  }
  link(root, loser);
  if (analysis) {
    noteChange(analysis->merge(*this, root, loser), root);
  }
  return true;
}

void EGraph::justify(std::span<const Id> match) {
  while (firstOfMatch.size() + 1 < log.size()) {
    firstOfMatch.append(none);
  }
  firstOfMatch.append(static_cast<uint32_t>(matches.size()));
  std::ranges::copy(match, matches.extend(match.size()));
}

void EGraph::postponeUsers(Id cls) {
  ClassLists &lists = classes[cls];
  uint32_t head = none;
  uint32_t tail = none;
  uint32_t count = 0;
  for (uint32_t use = lists.firstUse; use != none; use = uses[use].next) {
    Node &user = nodes[uses[use].node];
    if (user.dead) {
      continue;
    }
    if (!user.pending) {
      user.pending = 1;
      pendingNodes.push_back(uses[use].node);
    }
    (head == none ? head : uses[tail].next) = use;
    tail = use;
    ++count;
  }
  if (tail != none) {
    uses[tail].next = none;
  }
  lists.firstUse = head;
  lists.lastUse = tail;
  lists.weight = count;
}

/// Nodes of a class that is about to lose its id are rows with a changed column.
void EGraph::touchNodes(Id loser, Id root) {
  for (NodeId node = classes[loser].firstNode; node != none; node = nextInClass[node]) {
    touchRow(node, root);
    ++classes[loser].weight;
  }
}

void EGraph::touchRow(NodeId node, Id cls) {
  ages[node] = now;
  newest[cls] = now;
  if (++rowsNow >= options.rowsPerTime) {
    tick();
  }
}

void EGraph::link(Id root, Id loser) {
  parent[loser] = root;
  ClassLists &kept = classes[root];
  ClassLists &given = classes[loser];
  // The oldest node stays first.
  ClassLists &first = kept.firstNode < given.firstNode ? kept : given;
  ClassLists &second = &first == &kept ? given : kept;
  nextInClass[first.lastNode] = second.firstNode;
  NodeId last = second.lastNode;
  kept.firstNode = first.firstNode;
  kept.lastNode = last;

  if (given.firstUse != none) {
    (kept.firstUse == none ? kept.firstUse : uses[kept.lastUse].next) = given.firstUse;
    kept.lastUse = given.lastUse;
  }
  kept.weight += given.weight;
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
  if (change != Analysis::Change::None && !nodes[cls].factPending) {
    nodes[cls].factPending = 1;
    pendingFacts.push_back(cls);
  }
}

void EGraph::repairNode(NodeId node) {
  nodes[node].pending = 0;
  if (nodes[node].dead) {
    return;
  }
  std::span<const Id> current = children(node);
  Id few[inlineArity];
  std::span<const Id> canonical = canonicalize(op(node), current, few, scratch);
  if (std::ranges::equal(current, canonical)) {
    return;
  }
  std::ranges::copy(canonical, const_cast<Id *>(current.data()));
  moved[node] = true;
  if (options.trackAges) {
    touchRow(node, find(node));
  }
  uint32_t hash = hashOf(op(node), payload(node), canonical);
  size_t slot = slotOf(hash, op(node), payload(node), canonical);
  NodeId twin = table[slot].node;
  if (twin == node) {
    return;
  }
  if (twin == none) {
    fillSlot(slot, hash, node);
    return;
  }
  NodeId younger = std::max(node, twin);
  nodes[younger].dead = 1;
  moved[younger] = true;
  ++numDead;
  listsWithDead.push_back(younger);
  if (younger == twin) {
    insertInTable(hash, node);
  }
  unite(node, twin, Reason::congruence());
}

void EGraph::repairNodes(std::span<const NodeId> batch) {
  // Reads ahead, since each node and its slot is a cache miss.
  constexpr size_t ahead = 8;
  for (size_t i = 0; i < batch.size(); ++i) {
    if (i + 2 * ahead < batch.size()) {
      __builtin_prefetch(&nodes[batch[i + 2 * ahead]]);
    }
    if (i + ahead < batch.size()) {
      NodeId next = batch[i + ahead];
      prefetch(op(next), payload(next), children(next));
    }
    repairNode(batch[i]);
  }
}

void EGraph::propagateFacts(Id cls) {
  nodes[cls].factPending = 0;
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
      repairNodes(batch);
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
  // No node is pending any more: the flag marks classes that are done.
  for (Id &member : listsWithDead) {
    member = find(member);
    if (nodes[member].pending) {
      continue;
    }
    nodes[member].pending = 1;
    ClassLists &lists = classes[member];
    NodeId last = none;
    for (NodeId node = lists.firstNode; node != none; node = nextInClass[node]) {
      if (!isLive(node)) {
        continue;
      }
      (last == none ? lists.firstNode : nextInClass[last]) = node;
      last = node;
    }
    nextInClass[last] = none;
    lists.lastNode = last;
  }
  for (Id cls : listsWithDead) {
    nodes[cls].pending = 0;
  }
  listsWithDead.clear();
}

void EGraph::shortenPaths() {
  for (Id id = 0; id < numNodes(); ++id) {
    parent[id] = find(id);
  }
}

size_t EGraph::memoryBytes() const {
  size_t bytes =
      nodes.bytes() + parent.bytes() + classes.bytes() + nextInClass.bytes() + uses.bytes() +
      log.bytes() + firstOriginal.bytes() + originals.bytes() + ages.bytes() + newest.bytes() +
      firstOfMatch.bytes() + matches.bytes() + sidePool.capacity() * sizeof(Id) + table.bytes() +
      (pendingNodes.capacity() + pendingFacts.capacity() + listsWithDead.capacity()) * sizeof(Id);
  for (const GrowingArray<NodeId> &list : byOp) {
    bytes += list.bytes();
  }
  return bytes;
}

} // namespace zyxc::egraph

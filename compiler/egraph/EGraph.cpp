#include "compiler/egraph/EGraph.h"
#include "compiler/egraph/Explain.h"
#include "runtime/support/Hash.h"
#include <algorithm>
#include <tuple>

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

// Operands are mixed in two at a time; most nodes have no more.
static uint64_t hashPair(uint64_t hash, Id first, Id second) {
  return hashMix(hash, static_cast<uint64_t>(second) << 32 | first);
}

static uint32_t hashEnd(uint64_t hash) {
  return static_cast<uint32_t>(hash ^ (hash >> 32));
}

uint32_t EGraph::hashOf(uint32_t op, uint32_t payload, std::span<const Id> children) {
  uint64_t hash = hashMix(op, payload);
  for (size_t i = 0; i < children.size(); i += 2) {
    hash = hashPair(hash, children[i], i + 1 < children.size() ? children[i + 1] : none);
  }
  return hashEnd(hash);
}

inline bool EGraph::hasForm(const Node &node, uint32_t op, uint32_t payload,
                            std::span<const Id> operands) const {
  if (node.op != op || node.payload != payload || node.arity != operands.size() || node.dead) {
    return false;
  }
  const Id *own = node.arity <= inlineArity ? node.inlined.data() : &sidePool[node.inlined[0]];
  for (size_t i = 0; i < operands.size(); ++i) { // not memcmp: mostly two operands
    if (own[i] != operands[i]) {
      return false;
    }
  }
  return true;
}

template <class Fits> size_t EGraph::slotWhere(uint32_t hash, Fits fits) const {
  size_t mask = table.size() - 1;
  size_t at = hash & mask;
  while (table[at].node != none && !(table[at].hash == hash && fits(table[at].node))) {
    at = (at + 1) & mask;
  }
  return at;
}

size_t EGraph::slotOf(uint32_t hash, uint32_t op, uint32_t payload,
                      std::span<const Id> operands) const {
  // An outdated entry leads to a node of another form, so that the comparison rejects it.
  return slotWhere(hash, [&](NodeId node) { return hasForm(nodes[node], op, payload, operands); });
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
  size_t at = slotWhere(hash, [&](NodeId other) { return other == node; });
  if (table[at].node == none) {
    fillSlot(at, hash, node);
  }
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

void EGraph::prepare(Forms &forms, size_t count) const {
  if (forms.arity > inlineArity) {
    std::fill_n(forms.nodes.begin(), count, none);
    return;
  }
  for (uint32_t i = 0; i < inlineArity; ++i) {
    std::array<Id, Forms::most> &operands = forms.operands[i];
    for (size_t place = 0; place < count; ++place) {
      operands[place] = i < forms.arity ? find(operands[place]) : none;
    }
  }
  auto &[first, second, third] = forms.operands;
  if (forms.arity == 2 && isCommutative(forms.op)) {
    for (size_t place = 0; place < count; ++place) {
      std::tie(first[place], second[place]) = std::minmax({first[place], second[place]});
    }
  }
  std::array<uint32_t, Forms::most> hashes;
  uint64_t start = hashMix(forms.op, forms.payload);
  size_t mask = table.size() - 1;
  for (size_t place = 0; place < count; ++place) {
    uint64_t hash = forms.arity > 0 ? hashPair(start, first[place], second[place]) : start;
    hash = forms.arity > 2 ? hashPair(hash, third[place], none) : hash;
    hashes[place] = hashEnd(hash);
    __builtin_prefetch(&table[hashes[place] & mask]);
  }
  for (size_t place = 0; place < count; ++place) {
    size_t slot = slotWhere(hashes[place], [](NodeId) { return true; });
    forms.nodes[place] = table[slot].node;
    if (table[slot].node != none) {
      __builtin_prefetch(&nodes[table[slot].node]);
      continue;
    }
    for (uint32_t i = 0; i < forms.arity; ++i) { // a new node becomes their user
      __builtin_prefetch(&classes[forms.operands[i][place]]);
    }
  }
  for (size_t place = 0; place < count; ++place) {
    for (uint32_t i = 0; forms.nodes[place] == none && i < forms.arity; ++i) {
      lists.prefetchEnd(classes[forms.operands[i][place]].uses);
    }
  }
}

EGraph::Added EGraph::addNode(uint32_t op, uint32_t payload, std::span<const Id> children) {
  Id few[inlineArity];
  std::span<const Id> canonical = canonicalize(op, children, few, scratch);
  uint32_t hash = hashOf(op, payload, canonical);
  size_t slot = slotOf(hash, op, payload, canonical);
  if (NodeId found = table[slot].node; found != none) {
    return {classOf(found), found, false};
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
    return classOf(found) != find(cls) && unite(cls, found, reason);
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
  Node node = {.op = op,
               .payload = payload,
               .arity = static_cast<uint32_t>(canonical.size()),
               .dead = 0,
               .pending = 0,
               .factPending = 0,
               .inlined = {none, none, none},
               .age = none,
               .cls = cls == none ? id : cls};
  if (canonical.size() <= inlineArity) {
    std::ranges::copy(canonical, node.inlined.begin());
  } else {
    node.inlined[0] = static_cast<uint32_t>(sidePool.size());
    sidePool.insert(sidePool.end(), canonical.begin(), canonical.end());
  }
  nodes.append(node);
  moved.push_back(false);
  parent.append(cls == none ? id : cls);
  classes.append({{id}, {}, options.trackAges});
  if (cls != none) {
    lists.append(classes[cls].nodes, id);
    classes[cls].weight += options.trackAges;
  }
  if (op >= byOp.size()) {
    byOp.resize(op + 1);
  }
  byOp[op].append(id);
  if (options.trackAges) {
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
    lists.append(classes[cls].uses, node);
    ++classes[cls].weight;
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
  classes[cls].weight = lists.filter(classes[cls].uses, [&](NodeId node) {
    Node &user = nodes[node];
    if (!user.dead && !user.pending) {
      user.pending = 1;
      pendingNodes.push_back(node);
    }
    return !user.dead;
  });
}

/// Nodes of a class that is about to lose its id are rows with a changed column.
void EGraph::touchNodes(Id loser, Id root) {
  visitNodes(loser, [&](NodeId node) {
    nodes[node].cls = root;
    touchRow(node, root);
    ++classes[loser].weight;
    return true;
  });
}

void EGraph::touchRow(NodeId node, Id cls) {
  if (nodes[node].age != now) {
    nodes[node].age = now;
    rows.append(node);
  }
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
  if (lists.front(given.nodes) < lists.front(kept.nodes)) {
    std::swap(kept.nodes, given.nodes);
  }
  lists.splice(kept.nodes, given.nodes);
  lists.splice(kept.uses, given.uses);
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
  Id few[inlineArity];
  for (size_t i = 0; i < batch.size(); ++i) {
    if (i + 2 * ahead < batch.size()) {
      __builtin_prefetch(&nodes[batch[i + 2 * ahead]]);
    }
    if (i + ahead < batch.size()) {
      NodeId next = batch[i + ahead];
      std::span<const Id> canonical = canonicalize(op(next), children(next), few, scratch);
      __builtin_prefetch(&table[hashOf(op(next), payload(next), canonical) & (table.size() - 1)]);
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
    lists.filter(classes[member].nodes, [&](NodeId node) { return isLive(node); });
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
      nodes.bytes() + parent.bytes() + classes.bytes() + lists.bytes() + log.bytes() +
      firstOriginal.bytes() + originals.bytes() + newest.bytes() + rows.bytes() + firstRow.bytes() +
      firstOfMatch.bytes() + matches.bytes() + sidePool.capacity() * sizeof(Id) + table.bytes() +
      (pendingNodes.capacity() + pendingFacts.capacity() + listsWithDead.capacity()) * sizeof(Id);
  for (const GrowingArray<NodeId> &list : byOp) {
    bytes += list.bytes();
  }
  return bytes;
}

} // namespace zyxc::egraph

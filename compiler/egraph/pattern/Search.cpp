#include "compiler/egraph/pattern/Search.h"

namespace zyxc::egraph {

/// Nodes in the order of their first operands: searches that begin with them read and find what is
/// alike one after the other.
static std::vector<NodeId> inOrder(const EGraph &graph, std::span<const NodeId> nodes) {
  std::vector<std::pair<uint64_t, NodeId>> keys;
  keys.reserve(nodes.size());
  for (NodeId node : nodes) {
    std::span<const Id> children = graph.children(node);
    uint64_t first = children.empty() ? 0 : children[0];
    keys.emplace_back(first << 32 | (children.size() < 2 ? 0 : children[1]), node);
  }
  std::ranges::sort(keys);
  std::vector<NodeId> result(nodes.size());
  std::ranges::transform(keys, result.begin(), [](const auto &key) { return key.second; });
  return result;
}

NewNodes NewNodes::collect(const EGraph &graph, TimeSpan times) {
  NewNodes result;
  size_t most = graph.numNodes() / 8;
  size_t count = 0;
  uint32_t end = std::min(times.until, graph.time() + 1);
  for (uint32_t time = times.since; time < end; ++time) {
    for (NodeId node : graph.rowsAt(time)) {
      if (graph.age(node) != time || !graph.isLive(node)) {
        continue;
      }
      if (++count > most) {
        return {};
      }
      if (graph.op(node) >= result.byOp.size()) {
        result.byOp.resize(graph.op(node) + 1);
      }
      result.byOp[graph.op(node)].push_back(node);
    }
  }
  for (std::vector<NodeId> &nodes : result.byOp) {
    nodes = inOrder(graph, nodes);
  }
  result.areFew = true;
  return result;
}

void Search::findGroundTerms() {
  std::vector<Id> operands;
  for (const Machine::GroundTerm &term : machine.groundTerms) {
    Ground ground;
    operands.clear();
    bool isThere = true;
    for (uint32_t child : term.children) {
      isThere &= grounds[child].cls != none;
      ground.isNew |= grounds[child].isNew;
      operands.push_back(grounds[child].cls);
    }
    if (std::optional<NodeId> node =
            isThere ? graph.lookup(term.op, term.payload, operands) : std::nullopt;
        node && !isHidden(*node)) {
      ground.cls = graph.find(*node);
      ground.isNew |= isNew(*node);
    }
    hasNewGround |= ground.isNew;
    grounds.push_back(ground);
  }
}

inline bool Search::yield(const Instruction &code) {
  if (found++ >= limit) {
    return false;
  }
  Id *match = tables[code.rule].values.extend(code.arguments.size());
  for (uint32_t reg : code.arguments) {
    *match++ = registers[reg];
  }
  return true;
}

/// Ages that rows may have, and whether a match with them has a new row of the premise.
struct Search::Ages {
  uint32_t least;
  uint32_t count; ///< behind `least`
};

Search::Ages Search::agesFor(const Instruction &code, bool hasNew) const {
  uint32_t least = code.age == AgeRule::SomeNewLast && !hasNew ? times.since : 0;
  return {least, (code.age == AgeRule::AllOld ? times.since : times.until) - least};
}

inline bool Search::goOn(const Instruction &code, bool hasNew) {
  for (uint32_t place : code.successors) {
    const Instruction &next = machine.code[place];
    if (!(next.kind == Instruction::Kind::Yield ? yield(next) : step(next, hasNew))) {
      return false;
    }
  }
  return true;
}

bool Search::step(const Instruction &code, bool hasNew) {
  switch (code.kind) {
  case Instruction::Kind::Scan: return scan(code, graph.nodesWithOp(code.op));
  case Instruction::Kind::Bind: return bind(code, hasNew);
  case Instruction::Kind::Users: return users(code, hasNew);
  case Instruction::Kind::Lookup: return lookUp(code, hasNew);
  case Instruction::Kind::Same:
    return registers[code.in] != registers[code.out] || goOn(code, hasNew);
  case Instruction::Kind::Ground: {
    const Ground &ground = grounds[code.position];
    bool fits = registers[code.in] == ground.cls && !(ground.isNew && code.age == AgeRule::AllOld);
    return !fits || goOn(code, hasNew || ground.isNew);
  }
  case Instruction::Kind::HasNew: return !hasNew || goOn(code, true);
  case Instruction::Kind::Yield: return yield(code);
  }
  return true;
}

/// True if a node is of the form and the age that an instruction reads.
inline bool Search::fits(const Instruction &code, Ages ages, NodeId node) const {
  return graph.op(node) == code.op && graph.payload(node) == code.payload &&
         graph.age(node) - ages.least < ages.count && graph.children(node).size() == code.arity;
}

/// Goes on with a node that fits. Its class is known.
inline bool Search::row(const Instruction &code, NodeId node, Id cls, bool hasNew) {
  Id *out = registers + code.out;
  *out = cls;
  for (Id child : graph.children(node)) { // not memmove: mostly two operands
    *++out = child;
  }
  return goOn(code, hasNew || isNew(node));
}

bool Search::scan(const Instruction &code, std::span<const NodeId> nodes) {
  Ages ages = agesFor(code, false);
  for (NodeId node : nodes) {
    if (graph.isLive(node) && fits(code, ages, node) &&
        !row(code, node, graph.classOf(node), false)) {
      return false;
    }
  }
  return true;
}

bool Search::bind(const Instruction &code, bool hasNew) {
  Id cls = registers[code.in];
  bool onlyNew = code.age == AgeRule::SomeNewLast && !hasNew;
  if (onlyNew && graph.newestAge(cls) < times.since) {
    return true;
  }
  Ages ages = agesFor(code, hasNew);
  return graph.visitNodes(
      cls, [&](NodeId node) { return !fits(code, ages, node) || row(code, node, cls, hasNew); });
}

bool Search::users(const Instruction &code, bool hasNew) {
  Id operand = registers[code.in];
  Ages ages = agesFor(code, hasNew);
  std::vector<NodeId> repeated;
  return graph.visitUsers(operand, [&](NodeId node) {
    if (!fits(code, ages, node) || !graph.isLive(node)) {
      return true;
    }
    std::span<const Id> children = graph.children(node);
    if (children[code.position] != operand) {
      return true;
    }
    // A node stands in the list once for each operand of this class: the first time counts.
    if (std::ranges::count(children, operand) > 1) {
      if (std::ranges::find(repeated, node) != repeated.end()) {
        return true;
      }
      repeated.push_back(node);
    }
    return row(code, node, graph.classOf(node), hasNew);
  });
}

bool Search::lookUp(const Instruction &code, bool hasNew) {
  Id operands[maxRegisters];
  for (size_t i = 0; i < code.arguments.size(); ++i) {
    operands[i] = registers[code.arguments[i]];
  }
  std::optional<NodeId> node =
      graph.lookup(code.op, code.payload, {operands, code.arguments.size()});
  if (!node) {
    return true;
  }
  bool rowIsNew = isNew(*node);
  if (isHidden(*node)) {
    return true;
  }
  if (rowIsNew && code.age == AgeRule::AllOld) {
    return true;
  }
  registers[code.out] = graph.classOf(*node);
  return goOn(code, hasNew || rowIsNew);
}

} // namespace zyxc::egraph

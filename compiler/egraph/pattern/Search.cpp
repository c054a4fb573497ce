#include "compiler/egraph/pattern/Search.h"

namespace zyxc::egraph {

NewNodes NewNodes::collect(const EGraph &graph, TimeSpan times) {
  NewNodes result;
  size_t most = graph.numNodes() / 8;
  size_t count = 0;
  for (NodeId node = 0; node < graph.numNodes(); ++node) {
    uint32_t age = graph.age(node);
    if (age < times.since || age >= times.until || !graph.isLive(node)) {
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

bool Search::step(const Instruction &code, bool hasNew) {
  switch (code.kind) {
  case Instruction::Kind::Scan: return scan(code, graph.nodesWithOp(code.op));
  case Instruction::Kind::Bind: return bind(code, hasNew);
  case Instruction::Kind::Users: return users(code, hasNew);
  case Instruction::Kind::Lookup: return lookUp(code, hasNew);
  case Instruction::Kind::Same:
    return registers[code.in] != registers[code.out] || runAll(code.successors, hasNew);
  case Instruction::Kind::Ground: {
    const Ground &ground = grounds[code.position];
    bool fits = registers[code.in] == ground.cls && !(ground.isNew && code.age == AgeRule::AllOld);
    return !fits || runAll(code.successors, hasNew || ground.isNew);
  }
  case Instruction::Kind::Premise:
    return (code.age == AgeRule::SomeNew && !hasNew) || runAll(code.successors, false);
  case Instruction::Kind::Yield: return yield(code);
  }
  return true;
}

/// Goes on with a node, if it is of the right form and age. Its class is known.
inline bool Search::row(const Instruction &code, NodeId node, Id cls, bool hasNew) {
  if (graph.op(node) != code.op || graph.payload(node) != code.payload) {
    return true;
  }
  std::span<const Id> children = graph.children(node);
  if (children.size() != code.arity) {
    return true;
  }
  bool rowIsNew = isNew(node);
  if (isHidden(node) || (code.age == AgeRule::SomeNewLast && !hasNew && !rowIsNew) ||
      (code.age == AgeRule::AllOld && rowIsNew)) {
    return true;
  }
  registers[code.out] = cls;
  std::ranges::copy(children, registers + code.out + 1);
  return runAll(code.successors, hasNew || rowIsNew);
}

bool Search::scan(const Instruction &code, std::span<const NodeId> nodes) {
  for (NodeId node : nodes) {
    if (graph.isLive(node) && !row(code, node, graph.find(node), false)) {
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
  for (NodeId node = graph.firstNode(cls); node != none; node = graph.nextNode(node)) {
    // Ages are read first: they lie closer together than nodes.
    bool mayFit = !onlyNew || isNew(node);
    if (mayFit && !row(code, node, cls, hasNew)) {
      return false;
    }
  }
  return true;
}

bool Search::users(const Instruction &code, bool hasNew) {
  Id operand = registers[code.in];
  std::vector<NodeId> repeated;
  for (NodeId node : graph.parentsOf(operand)) {
    std::span<const Id> children = graph.children(node);
    if (code.position >= children.size() || children[code.position] != operand) {
      continue;
    }
    // A node stands in the chain once for each operand of this class: the first time counts.
    if (std::ranges::count(children, operand) > 1) {
      if (std::ranges::find(repeated, node) != repeated.end()) {
        continue;
      }
      repeated.push_back(node);
    }
    if (!row(code, node, graph.find(node), hasNew)) {
      return false;
    }
  }
  return true;
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
  registers[code.out] = graph.find(*node);
  return runAll(code.successors, hasNew || rowIsNew);
}

bool Search::yield(const Instruction &code) {
  if (found++ >= limit) {
    return false;
  }
  Id *match = tables[code.rule].values.extend(code.arguments.size());
  for (uint32_t reg : code.arguments) {
    *match++ = registers[reg];
  }
  return true;
}

} // namespace zyxc::egraph

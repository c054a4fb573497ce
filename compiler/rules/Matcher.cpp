// Backtracking over goals: a goal says that a class must match a place of the pattern. Ops leave
// goals for their operands; commutative ops are tried in both orders. When the goals of a premise
// are met the next one is joined: its root is searched among the users of a class that is bound.
#include "compiler/rules/Rule.h"
#include <algorithm>

namespace zyxc::rules {

bool Constraint::accepts(const TensorGraph &graph, ClassId cls) const {
  DType type = graph.type(cls).dtype;
  switch (kind) {
  case Kind::Any: return true;
  case Kind::Dtype: return type == dtype;
  case Kind::Float: return isFloat(type);
  case Kind::Int: return isInteger(type);
  case Kind::Signed: return isFloat(type) || isSigned(type);
  case Kind::Bool: return type == DType::Bool;
  case Kind::Splat: return graph.splat(cls) != nullptr;
  case Kind::Parameter: return graph.isParameter(cls);
  }
  return false;
}

namespace {

class Matcher {
public:
  Matcher(const TensorGraph &graph, const Rule &rule,
          const std::function<bool(const Match &)> &found)
      : graph(graph), rule(rule), found(found), match{{}, Bindings(rule.slotNames.size())},
        bindings(match.bindings) {}

  /// Each method returns false when the search is to end.
  bool matchRoot(NodeId node);

private:
  struct Goal {
    uint32_t term;
    ClassId cls;
  };

  bool joinNext();
  /// Nodes that may be the root of a premise, ascending.
  std::vector<NodeId> rootsOf(const Premise &premise) const;
  bool matchGoals(size_t next);
  bool matchClass(const Goal &goal, size_t next);
  bool matchNode(NodeId node, uint32_t term, size_t next);
  bool matchOperands(const Term &term, NodeId node, bool swapped, size_t next);
  bool matchSequence(const Term &term, std::span<const ClassId> operands, size_t place,
                     size_t next);

  bool isOfKind(const Term &term, NodeId node) const;
  bool isNumber(const Term &term, ClassId cls) const;
  /// Binds the attributes; the slots bound here are added to `bound`.
  bool bindAttrs(const Term &term, NodeId node, std::vector<uint32_t> &bound);
  void unbind(std::span<const uint32_t> slots) {
    for (uint32_t slot : slots) {
      bindings[slot] = std::monostate();
    }
  }
  bool isBound(uint32_t slot) const {
    return !std::holds_alternative<std::monostate>(bindings[slot]);
  }

  const TensorGraph &graph;
  const Rule &rule;
  const std::function<bool(const Match &)> &found;
  Match match; ///< of the premises so far
  Bindings &bindings;
  std::vector<Goal> goals;
};

bool Matcher::matchRoot(NodeId node) {
  const Premise &premise = rule.premises[match.roots.size()];
  ClassId root = graph.find(node);
  if (!graph.engine().isLive(node) || graph.isConstant(root)) {
    return true;
  }
  match.roots.push_back(node);
  bool bindsName = premise.name && !isBound(*premise.name);
  if (bindsName) {
    bindings[*premise.name] = ClassValue{root};
  }
  bool goesOn = matchNode(node, premise.root, goals.size());
  if (bindsName) {
    bindings[*premise.name] = std::monostate();
  }
  match.roots.pop_back();
  return goesOn;
}

std::vector<NodeId> Matcher::rootsOf(const Premise &premise) const {
  std::vector<ClassId> classes = {std::get<ClassValue>(bindings[premise.shared]).id};
  std::vector<NodeId> users;
  if (premise.aboveIt.empty()) {
    return graph.nodes(classes[0]);
  }
  for (uint32_t place : premise.aboveIt) {
    users.clear();
    for (ClassId cls : classes) {
      for (NodeId node : graph.engine().parentsOf(cls)) {
        if (isOfKind(rule.pattern[place], node)) {
          users.push_back(node);
        }
      }
    }
    std::ranges::sort(users); // a user stands in the list once per operand
    users.erase(std::ranges::unique(users).begin(), users.end());
    classes.clear();
    for (NodeId node : users) {
      classes.push_back(graph.find(node));
    }
    std::ranges::sort(classes);
    classes.erase(std::ranges::unique(classes).begin(), classes.end());
  }
  return users;
}

bool Matcher::joinNext() {
  if (match.roots.size() == rule.premises.size()) {
    return found(match);
  }
  for (NodeId node : rootsOf(rule.premises[match.roots.size()])) {
    if (!matchRoot(node)) {
      return false;
    }
  }
  return true;
}

bool Matcher::matchGoals(size_t next) {
  return next == goals.size() ? joinNext() : matchClass(goals[next], next + 1);
}

bool Matcher::matchClass(const Goal &goal, size_t next) {
  const Term &term = rule.pattern[goal.term];
  ClassId cls = goal.cls;
  if (term.kind == Term::Kind::Variable) {
    // The place with the constraint need not be the first that is met.
    if (!term.constraint.accepts(graph, cls)) {
      return true;
    }
    if (isBound(term.slot)) {
      return std::get<ClassValue>(bindings[term.slot]).id != cls || matchGoals(next);
    }
    bindings[term.slot] = ClassValue{cls};
    bool goesOn = matchGoals(next);
    bindings[term.slot] = std::monostate();
    return goesOn;
  }
  if (term.kind == Term::Kind::Number) {
    return !isNumber(term, cls) || matchGoals(next);
  }
  uint32_t place = goal.term; // the goal may move when goals are added
  for (NodeId node : graph.engine().nodesOf(cls)) {
    if (!matchNode(node, place, next)) {
      return false;
    }
  }
  return true;
}

bool Matcher::isOfKind(const Term &term, NodeId node) const {
  OpKind kind = graph.kind(node);
  if (term.kind == Term::Kind::Op) {
    return kind == term.op;
  }
  return info(kind).family == term.family && kind != OpKind::ArgMax && kind != OpKind::ArgMin;
}

bool Matcher::isNumber(const Term &term, ClassId cls) const {
  const Tensor *splat = graph.splat(cls);
  if (!splat || (!term.isInteger && !isFloat(splat->dtype()))) {
    return false;
  }
  Tensor wanted = isFloat(splat->dtype())
                      ? Tensor::scalar(splat->dtype(), term.number)
                      : Tensor::scalarInt(splat->dtype(), static_cast<int64_t>(term.number));
  // Narrow dtypes cannot hold each number: 300 must not match an 8-bit 44.
  bool isExact = isFloat(splat->dtype()) ? wanted.asDouble(0) == term.number
                                         : wanted.asInt(0) == static_cast<int64_t>(term.number);
  return isExact && wanted.identical(*splat);
}

bool Matcher::bindAttrs(const Term &term, NodeId node, std::vector<uint32_t> &bound) {
  for (const auto &[name, pattern] : term.attrs) {
    const AttrValue *value = graph.attrs(node).find(name);
    if (!value) {
      return false;
    }
    if (pattern.kind == Expression::Kind::Literal) {
      if (!identical(pattern.literal, *value)) {
        return false;
      }
    } else if (!isBound(pattern.slot)) {
      bindings[pattern.slot] = *value;
      bound.push_back(pattern.slot);
    } else if (!identical(std::get<AttrValue>(bindings[pattern.slot]), *value)) {
      return false;
    }
  }
  return true;
}

bool Matcher::matchNode(NodeId node, uint32_t place, size_t next) {
  const Term &term = rule.pattern[place];
  if (!isOfKind(term, node)) {
    return true;
  }
  std::vector<uint32_t> bound;
  bool matches = true;
  if (term.kind == Term::Kind::Family) {
    if (!isBound(term.slot)) {
      bindings[term.slot] = OpValue{node};
      bound.push_back(term.slot);
    } else {
      NodeId other = std::get<OpValue>(bindings[term.slot]).node;
      matches =
          graph.kind(other) == graph.kind(node) && graph.attrs(other).identical(graph.attrs(node));
    }
  }
  bool goesOn = true;
  if (matches && bindAttrs(term, node, bound)) {
    goesOn = matchOperands(term, node, /*swapped=*/false, next);
    std::span<const ClassId> operands = graph.engine().children(node);
    bool swaps = goesOn && operands.size() == 2 && info(graph.kind(node)).commutative &&
                 graph.find(operands[0]) != graph.find(operands[1]);
    if (swaps) {
      goesOn = matchOperands(term, node, /*swapped=*/true, next);
    }
  }
  unbind(bound);
  return goesOn;
}

// The two operands of a commutative op may be swapped.
bool Matcher::matchOperands(const Term &term, NodeId node, bool swapped, size_t next) {
  bool hasSequence = std::ranges::any_of(term.operands, [&](uint32_t operand) {
    return rule.pattern[operand].kind == Term::Kind::Sequence;
  });
  if (hasSequence) {
    std::vector<ClassId> operands = graph.operands(node);
    if (swapped) {
      std::swap(operands[0], operands[1]);
    }
    return matchSequence(term, operands, 0, next);
  }
  std::span<const ClassId> operands = graph.engine().children(node);
  if (operands.size() != term.operands.size()) {
    return true;
  }
  size_t before = goals.size();
  for (size_t i = 0; i < operands.size(); ++i) {
    goals.push_back({term.operands[i], graph.find(operands[swapped ? 1 - i : i])});
  }
  bool goesOn = matchGoals(next);
  goals.resize(before);
  return goesOn;
}

// Operand patterns from `place` on against the operands that are left: a sequence takes any number.
bool Matcher::matchSequence(const Term &term, std::span<const ClassId> operands, size_t place,
                            size_t next) {
  if (place == term.operands.size()) {
    return !operands.empty() || matchGoals(next);
  }
  const Term &pattern = rule.pattern[term.operands[place]];
  if (pattern.kind != Term::Kind::Sequence) {
    if (operands.empty()) {
      return true;
    }
    size_t before = goals.size();
    goals.push_back({term.operands[place], operands[0]});
    bool goesOn = matchSequence(term, operands.subspan(1), place + 1, next);
    goals.resize(before);
    return goesOn;
  }
  if (isBound(pattern.slot)) {
    const auto &list = std::get<std::vector<ClassId>>(bindings[pattern.slot]);
    bool same =
        list.size() <= operands.size() && std::equal(list.begin(), list.end(), operands.begin());
    return !same || matchSequence(term, operands.subspan(list.size()), place + 1, next);
  }
  for (size_t count = 0; count <= operands.size(); ++count) {
    bindings[pattern.slot] = std::vector<ClassId>(operands.begin(), operands.begin() + count);
    bool goesOn = matchSequence(term, operands.subspan(count), place + 1, next);
    bindings[pattern.slot] = std::monostate();
    if (!goesOn) {
      return false;
    }
  }
  return true;
}

} // namespace

/// Kinds that the root of a premise can have.
static std::vector<OpKind> rootKinds(const Term &root) {
  if (root.kind == Term::Kind::Op) {
    return {root.op};
  }
  std::vector<OpKind> kinds;
  for (int i = 0; i < numOpKinds(); ++i) {
    if (info(static_cast<OpKind>(i)).family == root.family) {
      kinds.push_back(static_cast<OpKind>(i));
    }
  }
  return kinds;
}

void matchRule(const TensorGraph &graph, const Rule &rule,
               const std::function<bool(const Match &)> &found) {
  Matcher matcher(graph, rule, found);
  for (OpKind kind : rootKinds(rule.pattern[rule.premises[0].root])) {
    for (NodeId node : graph.engine().nodesWithOp(static_cast<uint32_t>(kind))) {
      if (!matcher.matchRoot(node)) {
        return;
      }
    }
  }
}

} // namespace zyxc::rules

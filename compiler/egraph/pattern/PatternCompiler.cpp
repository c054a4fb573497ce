// Turns rules into instructions. A rule of several premises is compiled once for each of them as
// the one that has a new row: those before it have old rows only, those after it any.
#include "compiler/egraph/pattern/Machine.h"
#include <algorithm>
#include <numeric>
#include <optional>

namespace zyxc::egraph {

bool Instruction::sameStep(const Instruction &other) const {
  return kind == other.kind && age == other.age && op == other.op && payload == other.payload &&
         arity == other.arity && in == other.in && out == other.out && position == other.position &&
         rule == other.rule && arguments == other.arguments;
}

std::vector<uint32_t> Machine::columns(const Rule &rule, bool allVariables) {
  std::vector<uint32_t> used;
  if (allVariables) {
    used.resize(rule.numVariables);
    std::iota(used.begin(), used.end(), 0u);
    return used;
  }
  for (const Conclusion &conclusion : rule.conclusions) {
    used.push_back(conclusion.cls);
    for (const PatternTerm &term : conclusion.pattern.terms) {
      if (term.isVariable()) {
        used.push_back(term.variable);
      }
    }
  }
  std::ranges::sort(used);
  used.erase(std::unique(used.begin(), used.end()), used.end());
  return used;
}

/// Copies a term and what is below it to the end of another pattern; returns its place there.
static uint32_t copyTerm(const Pattern &from, uint32_t term, Pattern &to) {
  uint32_t place = to.add(from.terms[term]);
  for (size_t i = 0; i < from.terms[term].children.size(); ++i) {
    uint32_t child = copyTerm(from, from.terms[term].children[i], to);
    to.terms[place].children[i] = child;
  }
  return place;
}

/// Compiles one rule with one premise as the new one, at a time.
class PatternCompiler {
public:
  /// A match of rule number `index` holds the classes of the variables `columns`.
  PatternCompiler(Machine &machine, std::vector<uint32_t> &roots, const Rule &rule, uint32_t index,
                  std::span<const uint32_t> columns)
      : machine(machine), roots(roots), rule(rule), index(index), columns(columns) {}

  Status compile(uint32_t newPremise);

private:
  static constexpr uint32_t unbound = ~0u;
  /// A place of the current premise whose class is in a register, to be matched.
  struct Goal {
    uint32_t term;
    uint32_t reg;
  };

  void compilePremise(const Premise &premise, AgeRule age);
  void enter(const Premise &premise, AgeRule age);
  void readNode(Instruction::Kind kind, const Pattern &pattern, uint32_t term, uint32_t in,
                uint32_t position, AgeRule age);
  void settle(const Pattern &pattern, AgeRule age);
  void lookUp(const Pattern &pattern, const Goal &goal, AgeRule age);
  std::optional<uint32_t> lookUpTerm(const Pattern &pattern, uint32_t term, AgeRule age);
  uint32_t nextPremise() const;

  bool isKnown(const Pattern &pattern, uint32_t term) const;
  uint32_t groundTerm(const Pattern &pattern, uint32_t term);
  void emit(Instruction instruction);
  uint32_t newRegisters(uint32_t count) {
    uint32_t first = numRegisters;
    numRegisters += count;
    return first;
  }

  Machine &machine;
  std::vector<uint32_t> &roots;
  const Rule &rule;
  uint32_t index;
  std::span<const uint32_t> columns;
  std::vector<uint32_t> registerOf; ///< by variable
  std::vector<uint8_t> isDone;      ///< by premise
  std::vector<Goal> goals;
  uint32_t numRegisters = 0;
  uint32_t last = unbound; ///< the instruction that the next one follows
};

Status PatternCompiler::compile(uint32_t newPremise) {
  registerOf.assign(rule.numVariables, unbound);
  isDone.assign(rule.premises.size(), 0);
  numRegisters = 0;
  last = unbound;
  for (uint32_t next = newPremise; next != unbound; next = nextPremise()) {
    isDone[next] = 1;
    compilePremise(rule.premises[next], next == newPremise  ? AgeRule::SomeNew
                                        : next < newPremise ? AgeRule::AllOld
                                                            : AgeRule::Any);
  }
  if (numRegisters > maxRegisters) {
    return makeError(ErrorCode::Unsupported, "rule {}: its premises have too many operands",
                     rule.name);
  }
  Instruction yield = {.kind = Instruction::Kind::Yield, .rule = index};
  for (uint32_t variable : columns) {
    yield.arguments.push_back(registerOf[variable]);
  }
  emit(std::move(yield));
  return Status::ok();
}

/// One that leaves the fewest ways: the hash table answers it, its class is bound, or an operand
/// is. Else it is a product and not a join.
uint32_t PatternCompiler::nextPremise() const {
  uint32_t found = unbound;
  int best = -1;
  for (uint32_t i = 0; i < rule.premises.size(); ++i) {
    const Premise &premise = rule.premises[i];
    bool isJoined = std::ranges::any_of(premise.pattern.terms, [&](const PatternTerm &term) {
      return term.isVariable() && registerOf[term.variable] != unbound;
    });
    int rank = isKnown(premise.pattern, 0)          ? 3
               : registerOf[premise.cls] != unbound ? 2
               : isJoined                           ? 1
                                                    : 0;
    if (!isDone[i] && rank > best) {
      best = rank;
      found = i;
    }
  }
  return found;
}

void PatternCompiler::emit(Instruction instruction) {
  std::vector<uint32_t> &followers = last == unbound ? roots : machine.code[last].successors;
  for (uint32_t follower : followers) {
    if (machine.code[follower].sameStep(instruction)) {
      last = follower;
      return;
    }
  }
  uint32_t place = static_cast<uint32_t>(machine.code.size());
  followers.push_back(place);
  machine.code.push_back(std::move(instruction));
  last = place;
}

bool PatternCompiler::isKnown(const Pattern &pattern, uint32_t term) const {
  const PatternTerm &place = pattern.terms[term];
  if (place.isVariable()) {
    return registerOf[place.variable] != unbound;
  }
  return std::ranges::all_of(place.children,
                             [&](uint32_t child) { return isKnown(pattern, child); });
}

uint32_t PatternCompiler::groundTerm(const Pattern &pattern, uint32_t term) {
  const PatternTerm &place = pattern.terms[term];
  Machine::GroundTerm ground = {place.op, place.payload, {}};
  for (uint32_t child : place.children) {
    ground.children.push_back(groundTerm(pattern, child));
  }
  auto found = std::ranges::find(machine.groundTerms, ground);
  if (found == machine.groundTerms.end()) {
    machine.groundTerms.push_back(ground);
    return static_cast<uint32_t>(machine.groundTerms.size() - 1);
  }
  return static_cast<uint32_t>(found - machine.groundTerms.begin());
}

void PatternCompiler::compilePremise(const Premise &premise, AgeRule age) {
  enter(premise, age);
  const Pattern &pattern = premise.pattern;
  for (settle(pattern, age); !goals.empty(); settle(pattern, age)) {
    // What the hash table can answer comes first: it leaves one way or none.
    auto known =
        std::ranges::find_if(goals, [&](const Goal &goal) { return isKnown(pattern, goal.term); });
    Goal goal = known != goals.end() ? *known : goals.front();
    bool isLookup = known != goals.end();
    goals.erase(isLookup ? known : goals.begin());
    if (isLookup) {
      lookUp(pattern, goal, age);
      continue;
    }
    bool isLeaf = goals.empty() &&
                  std::ranges::all_of(pattern.terms[goal.term].children, [&](uint32_t child) {
                    return pattern.terms[child].isVariable();
                  });
    readNode(Instruction::Kind::Bind, pattern, goal.term, goal.reg, 0,
             isLeaf && age == AgeRule::SomeNew ? AgeRule::SomeNewLast : age);
  }
  if (age == AgeRule::SomeNew && machine.code[last].age != AgeRule::SomeNewLast) {
    emit({.kind = Instruction::Kind::HasNew});
  }
}

/// Reads the root of a premise: from its class or an operand, if one is bound.
void PatternCompiler::enter(const Premise &premise, AgeRule age) {
  const PatternTerm &root = premise.pattern.terms[0];
  bool isFlat = std::ranges::all_of(
      root.children, [&](uint32_t child) { return premise.pattern.terms[child].isVariable(); });
  AgeRule rootAge = isFlat && age == AgeRule::SomeNew ? AgeRule::SomeNewLast : age;
  if (age != AgeRule::SomeNew && isKnown(premise.pattern, 0)) {
    uint32_t found = *lookUpTerm(premise.pattern, 0, age);
    uint32_t &cls = registerOf[premise.cls];
    if (cls == unbound) {
      cls = found;
    } else {
      emit({.kind = Instruction::Kind::Same, .in = cls, .out = found});
    }
    return;
  }
  if (registerOf[premise.cls] != unbound) {
    readNode(Instruction::Kind::Bind, premise.pattern, 0, registerOf[premise.cls], 0, rootAge);
    return;
  }
  uint32_t before = numRegisters;
  for (uint32_t i = 0; i < root.children.size(); ++i) {
    const PatternTerm &child = premise.pattern.terms[root.children[i]];
    if (child.isVariable() && registerOf[child.variable] != unbound) {
      readNode(Instruction::Kind::Users, premise.pattern, 0, registerOf[child.variable], i,
               rootAge);
      registerOf[premise.cls] = before;
      return;
    }
  }
  readNode(Instruction::Kind::Scan, premise.pattern, 0, 0, 0, rootAge);
  registerOf[premise.cls] = before;
}

void PatternCompiler::readNode(Instruction::Kind kind, const Pattern &pattern, uint32_t term,
                               uint32_t in, uint32_t position, AgeRule age) {
  const PatternTerm &place = pattern.terms[term];
  uint32_t arity = static_cast<uint32_t>(place.children.size());
  uint32_t out = newRegisters(arity + 1);
  emit({.kind = kind,
        .age = age,
        .op = place.op,
        .payload = place.payload,
        .arity = arity,
        .in = in,
        .out = out,
        .position = position});
  for (uint32_t i = 0; i < arity; ++i) {
    goals.push_back({place.children[i], out + 1 + i});
  }
}

/// Deals with the goals that read no further row of the graph: variables and ground terms.
void PatternCompiler::settle(const Pattern &pattern, AgeRule age) {
  std::vector<Goal> left;
  for (const Goal &goal : goals) {
    const PatternTerm &place = pattern.terms[goal.term];
    if (place.isVariable()) {
      uint32_t &reg = registerOf[place.variable];
      if (reg == unbound) {
        reg = goal.reg;
      } else {
        emit({.kind = Instruction::Kind::Same, .in = goal.reg, .out = reg});
      }
    } else if (pattern.isGround(goal.term)) {
      emit({.kind = Instruction::Kind::Ground,
            .age = age,
            .in = goal.reg,
            .position = groundTerm(pattern, goal.term)});
    } else {
      left.push_back(goal);
    }
  }
  goals = std::move(left);
}

void PatternCompiler::lookUp(const Pattern &pattern, const Goal &goal, AgeRule age) {
  uint32_t found = *lookUpTerm(pattern, goal.term, age);
  emit({.kind = Instruction::Kind::Same, .in = goal.reg, .out = found});
}

std::optional<uint32_t> PatternCompiler::lookUpTerm(const Pattern &pattern, uint32_t term,
                                                    AgeRule age) {
  const PatternTerm &place = pattern.terms[term];
  if (place.isVariable()) {
    return registerOf[place.variable];
  }
  Instruction step = {.kind = Instruction::Kind::Lookup,
                      .age = age,
                      .op = place.op,
                      .payload = place.payload,
                      .arity = static_cast<uint32_t>(place.children.size())};
  for (uint32_t child : place.children) {
    step.arguments.push_back(*lookUpTerm(pattern, child, age));
  }
  step.out = newRegisters(1);
  uint32_t out = step.out;
  emit(std::move(step));
  return out;
}

/// The same rule with a premise for each node of its patterns, ground terms aside.
static Rule flattened(const Rule &rule) {
  Rule flat = {rule.name, {}, {}, rule.numVariables};
  std::vector<Premise> open(rule.premises.rbegin(), rule.premises.rend());
  while (!open.empty()) {
    Premise premise = std::move(open.back());
    open.pop_back();
    const Pattern &pattern = premise.pattern;
    Premise node = {{}, premise.cls};
    node.pattern.add(pattern.terms[0]);
    for (size_t i = 0; i < pattern.terms[0].children.size(); ++i) {
      uint32_t child = pattern.terms[0].children[i];
      uint32_t place = 0;
      if (pattern.terms[child].isVariable() || pattern.isGround(child)) {
        place = copyTerm(pattern, child, node.pattern);
      } else {
        place = node.pattern.add({flat.numVariables, 0, 0, {}});
        Premise below = {{}, flat.numVariables++};
        copyTerm(pattern, child, below.pattern);
        open.push_back(std::move(below));
      }
      node.pattern.terms[0].children[i] = place;
    }
    flat.premises.push_back(std::move(node));
  }
  return flat;
}

Expected<Machine> Machine::compile(std::span<const Rule> rules, std::span<const uint32_t> indices,
                                   bool allVariables) {
  Machine machine;
  for (uint32_t index : indices) {
    const Rule &rule = rules[index];
    std::vector<uint32_t> columns = Machine::columns(rule, allVariables);
    PatternCompiler compiler(machine, machine.roots, rule, index, columns);
    for (uint32_t premise = 0; premise < rule.premises.size(); ++premise) {
      ZYXC_RETURN_IF_ERROR(compiler.compile(premise));
    }
    Rule flat = flattened(rule);
    PatternCompiler flatCompiler(machine, machine.rootsOfFew, flat, index, columns);
    for (uint32_t premise = 0; premise < flat.premises.size(); ++premise) {
      ZYXC_RETURN_IF_ERROR(flatCompiler.compile(premise));
    }
  }
  return machine;
}

} // namespace zyxc::egraph

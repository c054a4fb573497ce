// Resolves the names of parsed rules and checks them, so that a rule that loads can run.
#include "compiler/rules/Rule.h"
#include <algorithm>
#include <map>

namespace zyxc::rules {

namespace {

class Compiler {
public:
  explicit Compiler(std::string_view file) : file(file) {}
  Expected<Rule> run(const RuleSyntax &syntax);

private:
  Status error(Position at, std::string_view message) const {
    return errorAt(file, at, fmt::format("rule {}: {}", rule.name, message));
  }

  Status addPremise(const PremiseSyntax &syntax);
  /// Orders the premises so that each shares a class with one before it.
  Status joinPremises();
  /// Finds the way from a class that is bound to the root of a premise: the shortest, the first of
  /// equal ones. False if there is none.
  bool findJoin(Premise &premise, const std::vector<bool> &isBound) const;
  Status addConclusion(const ConclusionSyntax &conclusion, const RuleSyntax &syntax);
  Expected<uint32_t> pattern(const Syntax &syntax);
  Expected<uint32_t> result(const Syntax &syntax);
  Status patternAttrs(Term &term, const Syntax &syntax);
  Status resultAttrs(Term &term, const Syntax &syntax);
  Status checkArity(const Term &term, const Syntax &syntax, const std::vector<Term> &terms);
  Status checkNumbers(const Term &term, const Syntax &syntax) const;
  Status resolveOp(Term &term, const Syntax &syntax);
  Status functionArguments(Term &term, const Syntax &syntax);
  Expected<Expression> expression(const Syntax &syntax, bool isPattern);
  /// An expression for a place that takes attributes of a type.
  Expected<Expression> typedExpression(const Syntax &syntax, bool isPattern, AttrType type);
  /// Makes an attribute have a type, or says that it has another one. A variable takes the type of
  /// its first place.
  Status giveType(Expression &expression, const Syntax &syntax, AttrType type);
  Expected<Expression> call(const Syntax &syntax);
  Status checkSignature(const Syntax &syntax, std::string_view signature,
                        std::vector<Expression> &arguments);
  Expected<Constraint> constraint(const Syntax &syntax);
  /// The slot of a variable, new or not, which must have this kind.
  Expected<uint32_t> bind(const std::string &name, Position at, ValueKind kind);
  Expected<uint32_t> bind(const Syntax &syntax, ValueKind kind) {
    return bind(syntax.text, syntax.at, kind);
  }
  /// The slot of a variable that the pattern has bound.
  Expected<uint32_t> use(const Syntax &syntax);

  std::string_view file;
  Rule rule;
  std::map<std::string, uint32_t, std::less<>> slots;
  std::vector<std::optional<AttrType>> slotTypes; ///< by slot, of attributes
  std::map<uint32_t, Position> positionOf;        ///< of premises, by their root
};

/// Parameters of functions by their letters (PayloadFunction::signature).
struct Parameter {
  char letter;
  ValueKind kind;
  std::optional<AttrType> type;
};
constexpr Parameter parameters[] = {
    {'c', ValueKind::Class, {}},
    {'s', ValueKind::Sequence, {}},
    {'a', ValueKind::Attr, {}},
    {'i', ValueKind::Attr, AttrType::Int},
    {'l', ValueKind::Attr, AttrType::Ints},
    {'d', ValueKind::Attr, AttrType::DType},
    {'m', ValueKind::Attr, AttrType::Map},
};

const char *toString(AttrType type) {
  switch (type) {
  case AttrType::Int: return "an integer";
  case AttrType::Float: return "a number";
  case AttrType::Ints: return "a list of integers";
  case AttrType::String: return "a text";
  case AttrType::DType: return "a dtype";
  case AttrType::Tensor: return "a constant";
  case AttrType::Map: return "an index map";
  }
  return "";
}

const char *toString(ValueKind kind) {
  switch (kind) {
  case ValueKind::Class: return "a tensor";
  case ValueKind::Sequence: return "a sequence";
  case ValueKind::Op: return "an op";
  case ValueKind::Attr: return "an attribute";
  }
  return "";
}

std::optional<OpFamily> parseFamily(std::string_view name) {
  static constexpr std::pair<std::string_view, OpFamily> families[] = {
      {"unary", OpFamily::Unary},
      {"binary", OpFamily::Binary},
      {"compare", OpFamily::Compare},
      {"reduce", OpFamily::Reduce},
  };
  for (auto [familyName, family] : families) {
    if (familyName == name) {
      return family;
    }
  }
  return std::nullopt;
}

Expected<Rule> Compiler::run(const RuleSyntax &syntax) {
  rule.name = syntax.name;
  rule.level = syntax.level;
  rule.stratum = syntax.stratum;
  rule.reason = syntax.reason;
  rule.text = syntax.text;
  rule.file = file;
  rule.at = syntax.at;
  for (const PremiseSyntax &premise : syntax.premises) {
    ZYXC_RETURN_IF_ERROR(addPremise(premise));
  }
  ZYXC_RETURN_IF_ERROR(joinPremises());
  for (const ConclusionSyntax &conclusion : syntax.conclusions) {
    ZYXC_RETURN_IF_ERROR(addConclusion(conclusion, syntax));
  }
  for (const Syntax &condition : syntax.conditions) {
    ZYXC_ASSIGN(Expression compiled, expression(condition, false));
    if (compiled.kind != Expression::Kind::Call) {
      return error(condition.at, "a condition must be a function");
    }
    ZYXC_RETURN_IF_ERROR(giveType(compiled, condition, AttrType::Int));
    rule.conditions.push_back(std::move(compiled));
  }
  return std::move(rule);
}

Expected<uint32_t> Compiler::bind(const std::string &name, Position at, ValueKind kind) {
  auto [entry, isNew] = slots.try_emplace(name, static_cast<uint32_t>(slots.size()));
  if (isNew) {
    rule.slotNames.push_back(name);
    rule.slotKinds.push_back(kind);
    slotTypes.emplace_back();
  } else if (rule.slotKinds[entry->second] != kind) {
    return error(at,
                 fmt::format("{} is {} elsewhere", name, toString(rule.slotKinds[entry->second])));
  }
  return entry->second;
}

Expected<uint32_t> Compiler::use(const Syntax &syntax) {
  auto found = slots.find(syntax.text);
  if (found == slots.end()) {
    return error(syntax.at, fmt::format("{} does not occur in the pattern", syntax.text));
  }
  if (!syntax.constraint.empty()) {
    return error(syntax.at, "constraints belong into the pattern");
  }
  return found->second;
}

Expected<Constraint> Compiler::constraint(const Syntax &syntax) {
  static constexpr std::pair<std::string_view, Constraint::Kind> kinds[] = {
      {"", Constraint::Kind::Any},
      {"float", Constraint::Kind::Float},
      {"signed", Constraint::Kind::Signed},
      {"int", Constraint::Kind::Int},
      {"bool", Constraint::Kind::Bool},
      {"splat", Constraint::Kind::Splat},
      {"parameter", Constraint::Kind::Parameter},
  };
  for (auto [name, kind] : kinds) {
    if (syntax.constraint == name) {
      return Constraint{kind, DType::F32};
    }
  }
  if (std::optional<DType> dtype = parseDType(syntax.constraint)) {
    return Constraint{Constraint::Kind::Dtype, *dtype};
  }
  return error(syntax.at, fmt::format("'{}' is no constraint of a variable", syntax.constraint));
}

Status Compiler::resolveOp(Term &term, const Syntax &syntax) {
  if (syntax.text.starts_with('?')) {
    term.kind = Term::Kind::Family;
    return Status::ok();
  }
  std::optional<OpKind> kind = parseOpKind(syntax.text);
  if (!kind) {
    return error(syntax.at, fmt::format("there is no op '{}'", syntax.text));
  }
  term.kind = Term::Kind::Op;
  term.op = *kind;
  return Status::ok();
}

//===- Premises and conclusions ---------------------------------------------------------------===//

Status Compiler::addPremise(const PremiseSyntax &syntax) {
  if (syntax.pattern.kind != Syntax::Kind::Call) {
    return error(syntax.pattern.at, "the pattern must be an op");
  }
  Premise premise;
  ZYXC_ASSIGN(premise.root, pattern(syntax.pattern));
  positionOf[premise.root] = syntax.pattern.at;
  if (!syntax.name.empty()) {
    // The class is known when its premise has matched, and not before.
    if (slots.contains(syntax.name)) {
      return error(syntax.nameAt, fmt::format("{} stands for something else before", syntax.name));
    }
    ZYXC_ASSIGN(premise.name, bind(syntax.name, syntax.nameAt, ValueKind::Class));
  }
  rule.premises.push_back(std::move(premise));
  return Status::ok();
}

/// Calls visit for each class variable below a term, with the terms above it, the root first.
static void forEachVariable(const std::vector<Term> &pattern, uint32_t place,
                            std::vector<uint32_t> &above,
                            const std::function<void(uint32_t slot)> &visit) {
  if (pattern[place].kind == Term::Kind::Variable) {
    visit(pattern[place].slot);
  }
  above.push_back(place);
  for (uint32_t operand : pattern[place].operands) {
    forEachVariable(pattern, operand, above, visit);
  }
  above.pop_back();
}

bool Compiler::findJoin(Premise &premise, const std::vector<bool> &isBound) const {
  if (premise.name && isBound[*premise.name]) { // another premise uses its class
    premise.shared = *premise.name;
    premise.aboveIt.clear();
    return true;
  }
  bool isFound = false;
  std::vector<uint32_t> above;
  forEachVariable(rule.pattern, premise.root, above, [&](uint32_t slot) {
    if (isBound[slot] && (!isFound || above.size() < premise.aboveIt.size())) {
      isFound = true;
      premise.shared = slot;
      premise.aboveIt.assign(above.rbegin(), above.rend());
    }
  });
  return isFound;
}

Status Compiler::joinPremises() {
  std::vector<bool> isBound(rule.slotNames.size());
  auto markBound = [&](const Premise &premise) {
    std::vector<uint32_t> above;
    forEachVariable(rule.pattern, premise.root, above,
                    [&](uint32_t slot) { isBound[slot] = true; });
    if (premise.name) {
      isBound[*premise.name] = true;
    }
  };
  std::vector<Premise> &premises = rule.premises;
  markBound(premises[0]);
  for (auto next = premises.begin() + 1; next != premises.end(); ++next) {
    auto joined =
        std::find_if(next, premises.end(), [&](Premise &p) { return findJoin(p, isBound); });
    if (joined == premises.end()) {
      return error(positionOf[next->root],
                   "this premise has no tensor variable in common with the others");
    }
    markBound(*joined);
    std::rotate(next, joined, joined + 1);
  }
  return Status::ok();
}

Status Compiler::addConclusion(const ConclusionSyntax &conclusion, const RuleSyntax &syntax) {
  Conclusion compiled;
  bool needsName = syntax.premises.size() > 1 || syntax.conclusions.size() > 1;
  if (conclusion.premise.empty() && needsName) {
    return error(conclusion.term.at, "say which premise this is equal to: ?p = TERM");
  }
  if (!conclusion.premise.empty()) {
    auto slot = slots.find(conclusion.premise);
    auto premise = std::ranges::find_if(rule.premises, [&](const Premise &p) {
      return slot != slots.end() && p.name == slot->second;
    });
    if (premise == rule.premises.end()) {
      return error(conclusion.premiseAt, fmt::format("{} names no premise: PATTERN as {}",
                                                     conclusion.premise, conclusion.premise));
    }
    compiled.premise = static_cast<uint32_t>(premise - rule.premises.begin());
  }
  ZYXC_ASSIGN(compiled.root, result(conclusion.term));
  rule.conclusions.push_back(compiled);
  return Status::ok();
}

//===- Patterns -------------------------------------------------------------------------------===//

Expected<uint32_t> Compiler::pattern(const Syntax &syntax) {
  uint32_t place = static_cast<uint32_t>(rule.pattern.size());
  rule.pattern.emplace_back();
  Term term;
  switch (syntax.kind) {
  case Syntax::Kind::Variable: {
    ZYXC_ASSIGN(term.constraint, constraint(syntax));
    ZYXC_ASSIGN(term.slot, bind(syntax, ValueKind::Class));
    break;
  }
  case Syntax::Kind::Sequence: {
    term.kind = Term::Kind::Sequence;
    ZYXC_ASSIGN(term.slot, bind(syntax, ValueKind::Sequence));
    break;
  }
  case Syntax::Kind::Number:
    term.kind = Term::Kind::Number;
    term.number = syntax.number;
    term.isInteger = syntax.isInteger;
    break;
  case Syntax::Kind::Call:
    ZYXC_RETURN_IF_ERROR(resolveOp(term, syntax));
    if (term.kind == Term::Kind::Family) {
      std::optional<OpFamily> family = parseFamily(syntax.constraint);
      if (!family) {
        return error(syntax.at, "an op variable needs a family: unary, binary, compare or reduce");
      }
      term.family = *family;
      ZYXC_ASSIGN(term.slot, bind(syntax, ValueKind::Op));
    }
    for (const Syntax &operand : syntax.operands) {
      ZYXC_ASSIGN(uint32_t child, pattern(operand));
      term.operands.push_back(child);
    }
    ZYXC_RETURN_IF_ERROR(checkArity(term, syntax, rule.pattern));
    ZYXC_RETURN_IF_ERROR(patternAttrs(term, syntax));
    break;
  case Syntax::Kind::Name:
  case Syntax::Kind::List:
    return error(syntax.at, "a pattern is made of ops, variables and numbers");
  }
  rule.pattern[place] = std::move(term);
  return place;
}

Status Compiler::checkArity(const Term &term, const Syntax &syntax,
                            const std::vector<Term> &terms) {
  bool hasSequence = std::ranges::any_of(
      term.operands, [&](uint32_t operand) { return terms[operand].kind == Term::Kind::Sequence; });
  int arity = term.kind == Term::Kind::Op ? info(term.op).arity
              : term.family == OpFamily::Unary || term.family == OpFamily::Reduce ? 1
                                                                                  : 2;
  if (term.kind == Term::Kind::Family && syntax.constraint.empty()) {
    return Status::ok(); // a use: the pattern has fixed the arity
  }
  if (arity < 0) {
    return Status::ok();
  }
  if (hasSequence || term.operands.size() != static_cast<size_t>(arity)) {
    return error(syntax.at,
                 fmt::format("'{}' takes {} operand{}", syntax.text, arity, arity == 1 ? "" : "s"));
  }
  return Status::ok();
}

static const AttrInfo *findAttr(OpKind kind, std::string_view name) {
  for (const AttrInfo &attr : info(kind).attributes) {
    if (attr.name == name) {
      return &attr;
    }
  }
  return nullptr;
}

static bool isGiven(const Term &term, std::string_view name) {
  return std::ranges::any_of(term.attrs, [&](const auto &attr) { return attr.first == name; });
}

Status Compiler::patternAttrs(Term &term, const Syntax &syntax) {
  for (const auto &[name, value] : syntax.named) {
    if (term.kind == Term::Kind::Family ? !(term.family == OpFamily::Reduce && name == "axes")
                                        : !findAttr(term.op, name)) {
      return error(value.at, fmt::format("'{}' has no attribute '{}'", syntax.text, name));
    }
    if (isGiven(term, name)) {
      return error(value.at, fmt::format("attribute '{}' is given twice", name));
    }
    AttrType type =
        term.kind == Term::Kind::Family ? AttrType::Ints : findAttr(term.op, name)->type;
    ZYXC_ASSIGN(Expression compiled, typedExpression(value, true, type));
    term.attrs.emplace_back(name, std::move(compiled));
  }
  std::ranges::sort(term.attrs, {}, [](const auto &attr) { return attr.first; });
  return Status::ok();
}

//===- Results --------------------------------------------------------------------------------===//

Expected<uint32_t> Compiler::result(const Syntax &syntax) {
  uint32_t place = static_cast<uint32_t>(rule.result.size());
  rule.result.emplace_back();
  Term term;
  switch (syntax.kind) {
  case Syntax::Kind::Variable:
  case Syntax::Kind::Sequence: {
    ZYXC_ASSIGN(term.slot, use(syntax));
    bool isSequence = syntax.kind == Syntax::Kind::Sequence;
    ValueKind kind = isSequence ? ValueKind::Sequence : ValueKind::Class;
    if (rule.slotKinds[term.slot] != kind) {
      return error(syntax.at,
                   fmt::format("{} is {}", syntax.text, toString(rule.slotKinds[term.slot])));
    }
    term.kind = isSequence ? Term::Kind::Sequence : Term::Kind::Variable;
    break;
  }
  case Syntax::Kind::Number:
    term.kind = Term::Kind::Number;
    term.number = syntax.number;
    term.isInteger = syntax.isInteger;
    break;
  case Syntax::Kind::Call:
    if (const TermFunction *function = findTermFunction(syntax.text)) {
      term.kind = Term::Kind::Function;
      term.function = function;
      ZYXC_RETURN_IF_ERROR(functionArguments(term, syntax));
      break;
    }
    ZYXC_RETURN_IF_ERROR(resolveOp(term, syntax));
    if (term.kind == Term::Kind::Family) {
      ZYXC_ASSIGN(term.slot, use(syntax));
      if (rule.slotKinds[term.slot] != ValueKind::Op) {
        return error(syntax.at, fmt::format("{} is no op", syntax.text));
      }
    }
    for (const Syntax &operand : syntax.operands) {
      ZYXC_ASSIGN(uint32_t child, result(operand));
      term.operands.push_back(child);
    }
    ZYXC_RETURN_IF_ERROR(checkArity(term, syntax, rule.result));
    ZYXC_RETURN_IF_ERROR(checkNumbers(term, syntax));
    ZYXC_RETURN_IF_ERROR(resultAttrs(term, syntax));
    break;
  case Syntax::Kind::Name:
  case Syntax::Kind::List:
    return error(syntax.at, "a result is made of ops, functions, variables and numbers");
  }
  rule.result[place] = std::move(term);
  return place;
}

// The type of a number is that of a tensor beside it.
Status Compiler::checkNumbers(const Term &term, const Syntax &syntax) const {
  auto isNumber = [&](uint32_t operand) {
    return rule.result[operand].kind == Term::Kind::Number;
  };
  bool isTyped = term.kind == Term::Kind::Op && isBinary(term.op);
  if (std::ranges::any_of(term.operands, isNumber) &&
      (!isTyped || std::ranges::all_of(term.operands, isNumber))) {
    return error(syntax.at, "a number must stand beside a tensor in a binary op");
  }
  return Status::ok();
}

Status Compiler::resultAttrs(Term &term, const Syntax &syntax) {
  for (const auto &[name, value] : syntax.named) {
    bool exists =
        term.kind == Term::Kind::Family ? name == "axes" : findAttr(term.op, name) != nullptr;
    if (!exists) {
      return error(value.at, fmt::format("'{}' has no attribute '{}'", syntax.text, name));
    }
    if (isGiven(term, name)) {
      return error(value.at, fmt::format("attribute '{}' is given twice", name));
    }
    AttrType type =
        term.kind == Term::Kind::Family ? AttrType::Ints : findAttr(term.op, name)->type;
    ZYXC_ASSIGN(Expression compiled, typedExpression(value, false, type));
    term.attrs.emplace_back(name, std::move(compiled));
  }
  std::ranges::sort(term.attrs, {}, [](const auto &attr) { return attr.first; });
  if (term.kind == Term::Kind::Op) {
    for (const AttrInfo &attr : info(term.op).attributes) {
      if (std::ranges::none_of(term.attrs,
                               [&](const auto &given) { return given.first == attr.name; })) {
        return error(syntax.at,
                     fmt::format("'{}' lacks its attribute '{}'", syntax.text, attr.name));
      }
    }
  }
  return Status::ok();
}

Status Compiler::functionArguments(Term &term, const Syntax &syntax) {
  if (!syntax.named.empty()) {
    return error(syntax.at, "functions take no name=value pairs");
  }
  for (const Syntax &operand : syntax.operands) {
    ZYXC_ASSIGN(Expression argument, expression(operand, false));
    term.arguments.push_back(std::move(argument));
  }
  return checkSignature(syntax, term.function->signature, term.arguments);
}

//===- Attribute values -----------------------------------------------------------------------===//

Expected<Expression> Compiler::expression(const Syntax &syntax, bool isPattern) {
  Expression compiled;
  switch (syntax.kind) {
  case Syntax::Kind::Variable:
  case Syntax::Kind::Sequence: {
    compiled.kind = Expression::Kind::Slot;
    if (isPattern) {
      ZYXC_ASSIGN(compiled.slot, bind(syntax, ValueKind::Attr));
    } else {
      ZYXC_ASSIGN(compiled.slot, use(syntax));
    }
    return compiled;
  }
  case Syntax::Kind::Number:
    compiled.literal = syntax.isInteger ? AttrValue(static_cast<int64_t>(syntax.number))
                                        : AttrValue(syntax.number);
    return compiled;
  case Syntax::Kind::Name: {
    std::optional<DType> dtype = parseDType(syntax.text);
    if (!dtype) {
      return error(syntax.at, fmt::format("'{}' is no dtype", syntax.text));
    }
    compiled.literal = *dtype;
    return compiled;
  }
  case Syntax::Kind::List: {
    std::vector<int64_t> list;
    for (const Syntax &element : syntax.operands) {
      if (element.kind != Syntax::Kind::Number || !element.isInteger) {
        return error(element.at, "a list holds integers");
      }
      list.push_back(static_cast<int64_t>(element.number));
    }
    compiled.literal = std::move(list);
    return compiled;
  }
  case Syntax::Kind::Call:
    if (isPattern) {
      return error(syntax.at, "a pattern holds no functions: use a condition");
    }
    return call(syntax);
  }
  return compiled;
}

Expected<Expression> Compiler::typedExpression(const Syntax &syntax, bool isPattern,
                                               AttrType type) {
  ZYXC_ASSIGN(Expression compiled, expression(syntax, isPattern));
  ZYXC_RETURN_IF_ERROR(giveType(compiled, syntax, type));
  return compiled;
}

Status Compiler::giveType(Expression &expression, const Syntax &syntax, AttrType type) {
  std::optional<AttrType> given;
  switch (expression.kind) {
  case Expression::Kind::Slot: {
    ValueKind kind = rule.slotKinds[expression.slot];
    if (kind != ValueKind::Attr) {
      return error(syntax.at, fmt::format("this takes an attribute, and {} is {}", syntax.text,
                                          toString(kind)));
    }
    std::optional<AttrType> &known = slotTypes[expression.slot];
    known = known ? known : type;
    given = known;
    break;
  }
  case Expression::Kind::Literal:
    if (type == AttrType::Float && std::holds_alternative<int64_t>(expression.literal)) {
      expression.literal = syntax.number;
    }
    given = static_cast<AttrType>(expression.literal.index());
    break;
  case Expression::Kind::Call: given = expression.function->result; break;
  }
  if (given != type) {
    return error(syntax.at, fmt::format("this takes {}, not {}", toString(type), toString(*given)));
  }
  return Status::ok();
}

Expected<Expression> Compiler::call(const Syntax &syntax) {
  Expression compiled;
  compiled.kind = Expression::Kind::Call;
  compiled.function = findPayloadFunction(syntax.text);
  if (!compiled.function) {
    return error(syntax.at, fmt::format("there is no function '{}'", syntax.text));
  }
  for (const Syntax &operand : syntax.operands) {
    ZYXC_ASSIGN(Expression argument, expression(operand, false));
    compiled.operands.push_back(std::move(argument));
  }
  ZYXC_RETURN_IF_ERROR(checkSignature(syntax, compiled.function->signature, compiled.operands));
  return compiled;
}

Status Compiler::checkSignature(const Syntax &syntax, std::string_view signature,
                                std::vector<Expression> &arguments) {
  if (arguments.size() != signature.size()) {
    return error(syntax.at, fmt::format("'{}' takes {} arguments", syntax.text, signature.size()));
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Parameter &wanted = *std::ranges::find(parameters, signature[i], &Parameter::letter);
    ValueKind given = arguments[i].kind == Expression::Kind::Slot
                          ? rule.slotKinds[arguments[i].slot]
                          : ValueKind::Attr;
    if (wanted.kind != given) {
      return error(syntax.operands[i].at, fmt::format("'{}' takes {} here, not {}", syntax.text,
                                                      toString(wanted.kind), toString(given)));
    }
    if (wanted.type) {
      ZYXC_RETURN_IF_ERROR(giveType(arguments[i], syntax.operands[i], *wanted.type));
    }
  }
  return Status::ok();
}

} // namespace

Expected<std::vector<Rule>> compileRules(std::string_view text, std::string_view file) {
  ZYXC_ASSIGN(std::vector<RuleSyntax> parsed, parseRules(text, file));
  std::vector<Rule> rules;
  for (const RuleSyntax &syntax : parsed) {
    ZYXC_ASSIGN(Rule rule, Compiler(file).run(syntax));
    auto twin = std::ranges::find(rules, rule.name, &Rule::name);
    if (twin != rules.end()) {
      return errorAt(file, syntax.at, fmt::format("rule {} exists already", rule.name));
    }
    rules.push_back(std::move(rule));
  }
  return rules;
}

} // namespace zyxc::rules

#include "compiler/rules/check/ProveRule.h"
#ifdef ZYXC_HAS_Z3
#include "dialects/zyx/semantics/Scalar.h"
#include <array>
#include <fmt/format.h>
#include <map>
#include <z3++.h>
#endif

namespace zyxc::rules {

#ifdef ZYXC_HAS_Z3

namespace {

/// The dtypes of a rule's operands and of what comparisons in it compare.
struct Dtypes {
  DType operand;
  DType compared;
};

/// The terms of a rule over bit-vectors, for one choice of dtypes. Nothing where an op or a
/// constraint does not take them.
class Translator {
public:
  using Result = std::optional<z3::expr>;

  Translator(z3::context &context, const Rule &rule, const Dtypes &dtypes)
      : context(context), rule(rule), dtypes(dtypes) {}

  /// That each conclusion equals its premise.
  Result claim();
  /// "x = 1, y = -128": the variables in a model of the solver.
  std::string valuesIn(const z3::model &model) const;

private:
  struct Variable {
    DType dtype;
    z3::expr value;
  };

  Result term(const std::vector<Term> &terms, uint32_t place, DType wanted);
  Result variable(const Term &term, DType wanted);
  Result op(const std::vector<Term> &terms, const Term &term, DType wanted);
  Result unary(OpKind kind, DType dtype, const z3::expr &x);
  Result binary(OpKind kind, DType dtype, const z3::expr &x, const z3::expr &y);
  z3::expr compare(OpKind kind, DType dtype, const z3::expr &x, const z3::expr &y);
  z3::expr number(int64_t value, DType dtype) {
    return context.bv_val(value, static_cast<unsigned>(bitWidth(dtype)));
  }

  z3::context &context;
  const Rule &rule;
  Dtypes dtypes;
  std::map<uint32_t, Variable> bound; ///< by slot
};

bool accepts(const Constraint &constraint, DType dtype) {
  switch (constraint.kind) {
  case Constraint::Kind::Float: return false;
  case Constraint::Kind::Int: return isInteger(dtype);
  case Constraint::Kind::Signed: return isSigned(dtype);
  case Constraint::Kind::Bool: return dtype == DType::Bool;
  case Constraint::Kind::Dtype: return constraint.dtype == dtype;
  case Constraint::Kind::Any:
  case Constraint::Kind::Splat:
  case Constraint::Kind::Parameter: break;
  }
  return true;
}

Translator::Result Translator::claim() {
  std::vector<z3::expr> premises;
  for (const Premise &premise : rule.premises) {
    Result left = term(rule.pattern, premise.root, dtypes.operand);
    if (!left) {
      return std::nullopt;
    }
    premises.push_back(*left);
    if (premise.name) {
      bound.insert_or_assign(*premise.name, Variable{dtypes.operand, *left});
    }
  }
  z3::expr all = context.bool_val(true);
  for (const Conclusion &conclusion : rule.conclusions) {
    Result right = term(rule.result, conclusion.root, dtypes.operand);
    if (!right) {
      return std::nullopt;
    }
    all = all && premises[conclusion.premise] == *right;
  }
  return all;
}

Translator::Result Translator::variable(const Term &term, DType wanted) {
  if (!accepts(term.constraint, wanted)) {
    return std::nullopt;
  }
  auto found = bound.find(term.slot);
  if (found != bound.end()) {
    return found->second.dtype == wanted ? Result(found->second.value) : std::nullopt;
  }
  std::string name = rule.slotNames[term.slot].substr(1);
  z3::expr value = context.bv_const(name.c_str(), static_cast<unsigned>(bitWidth(wanted)));
  bound.emplace(term.slot, Variable{wanted, value});
  return value;
}

Translator::Result Translator::term(const std::vector<Term> &terms, uint32_t place, DType wanted) {
  const Term &term = terms[place];
  switch (term.kind) {
  case Term::Kind::Variable: return variable(term, wanted);
  case Term::Kind::Number: {
    auto value = static_cast<int64_t>(term.number);
    bool fits = term.isInteger && wrapToDType(wanted, value) == value;
    return fits ? Result(number(value, wanted)) : std::nullopt;
  }
  case Term::Kind::Op: return op(terms, term, wanted);
  default: return std::nullopt;
  }
}

Translator::Result Translator::op(const std::vector<Term> &terms, const Term &term, DType wanted) {
  bool isCompare = info(term.op).family == OpFamily::Compare;
  bool isKnown = isUnary(term.op) || isBinary(term.op) || term.op == OpKind::Select;
  DType operandType = isCompare ? dtypes.compared : wanted;
  if (!isKnown || !isDefinedOn(term.op, operandType) || (isCompare && wanted != DType::Bool)) {
    return std::nullopt;
  }
  std::vector<z3::expr> operands;
  for (size_t i = 0; i < term.operands.size(); ++i) {
    bool isCondition = term.op == OpKind::Select && i == 0;
    Result operand = this->term(terms, term.operands[i], isCondition ? DType::Bool : operandType);
    if (!operand) {
      return std::nullopt;
    }
    operands.push_back(*operand);
  }
  if (term.op == OpKind::Select) {
    return z3::ite(operands[0] == number(1, DType::Bool), operands[1], operands[2]);
  }
  if (isCompare) {
    return z3::ite(compare(term.op, operandType, operands[0], operands[1]), number(1, wanted),
                   number(0, wanted));
  }
  return isUnary(term.op) ? unary(term.op, operandType, operands[0])
                          : binary(term.op, operandType, operands[0], operands[1]);
}

Translator::Result Translator::unary(OpKind kind, DType dtype, const z3::expr &x) {
  z3::expr zero = number(0, dtype);
  switch (kind) {
  case OpKind::Neg: return -x;
  case OpKind::Not: return ~x;
  case OpKind::Abs: return isSigned(dtype) ? z3::ite(x < zero, -x, x) : x;
  case OpKind::Sign: {
    z3::expr positive = z3::ite(x == zero, zero, number(1, dtype));
    return isSigned(dtype) ? z3::ite(x < zero, number(-1, dtype), positive) : positive;
  }
  default: return std::nullopt;
  }
}

z3::expr Translator::compare(OpKind kind, DType dtype, const z3::expr &x, const z3::expr &y) {
  bool isSignedType = isSigned(dtype);
  switch (kind) {
  case OpKind::Eq: return x == y;
  case OpKind::Ne: return x != y;
  case OpKind::Lt: return isSignedType ? x < y : z3::ult(x, y);
  case OpKind::Le: return isSignedType ? x <= y : z3::ule(x, y);
  case OpKind::Gt: return isSignedType ? x > y : z3::ugt(x, y);
  default: return isSignedType ? x >= y : z3::uge(x, y);
  }
}

Translator::Result Translator::binary(OpKind kind, DType dtype, const z3::expr &x,
                                      const z3::expr &y) {
  bool isSignedType = isSigned(dtype);
  z3::expr zero = number(0, dtype);
  z3::expr minusOne = number(-1, dtype);
  auto remainder = [&] {
    z3::expr rest = isSignedType ? z3::ite(y == minusOne, zero, z3::srem(x, y)) : z3::urem(x, y);
    return z3::ite(y == zero, x, rest);
  };
  switch (kind) {
  case OpKind::Add: return x + y;
  case OpKind::Sub: return x - y;
  case OpKind::Mul: return x * y;
  case OpKind::Div: {
    z3::expr quotient = isSignedType ? z3::ite(y == minusOne, -x, x / y) : z3::udiv(x, y);
    return z3::ite(y == zero, zero, quotient);
  }
  case OpKind::Rem: return remainder();
  case OpKind::Mod: {
    z3::expr rest = remainder();
    z3::expr moves = y != zero && rest != zero && (rest < zero) != (y < zero);
    return isSignedType ? z3::ite(moves, rest + y, rest) : rest;
  }
  case OpKind::Max: return z3::ite(compare(OpKind::Gt, dtype, x, y), x, y);
  case OpKind::Min: return z3::ite(compare(OpKind::Lt, dtype, x, y), x, y);
  case OpKind::And: return x & y;
  case OpKind::Or: return x | y;
  case OpKind::Xor: return x ^ y;
  case OpKind::Shl: return z3::shl(x, y); // amounts beyond the width give 0, or all sign bits
  case OpKind::Shr: return isSignedType ? z3::ashr(x, y) : z3::lshr(x, y);
  default: return std::nullopt;
  }
}

std::string Translator::valuesIn(const z3::model &model) const {
  std::string text;
  for (const auto &[slot, variable] : bound) {
    uint64_t bits = model.eval(variable.value, true).get_numeral_uint64();
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", rule.slotNames[slot].substr(1),
                        wrapToDType(variable.dtype, static_cast<int64_t>(bits)));
  }
  return text;
}

/// Nothing if the rule does not take these dtypes.
std::optional<ProofResult> proveFor(const Rule &rule, const Dtypes &dtypes) {
  // In units of the solver: some seconds at most.
  constexpr unsigned effort = 20'000'000;
  z3::context context;
  Translator translator(context, rule, dtypes);
  Translator::Result claim = translator.claim();
  if (!claim) {
    return std::nullopt;
  }
  z3::solver solver(context);
  z3::params limits(context);
  limits.set("rlimit", effort);
  solver.set(limits);
  solver.add(!*claim);
  ProofResult result;
  switch (solver.check()) {
  case z3::unsat: result.outcome = ProofResult::Outcome::Proved; break;
  case z3::unknown: result.outcome = ProofResult::Outcome::Unknown; break;
  case z3::sat:
    result.outcome = ProofResult::Outcome::Refuted;
    result.counterexample = translator.valuesIn(solver.get_model());
    break;
  }
  return result;
}

} // namespace

ProofResult proveRule(const Rule &rule) {
  using Outcome = ProofResult::Outcome;
  static constexpr std::array all = {DType::Bool, DType::I8, DType::U8};
  ProofResult total;
  try {
    for (DType operand : all) {
      bool isTaken = false;
      for (DType compared : all) {
        std::optional<ProofResult> result = proveFor(rule, {operand, compared});
        if (result && result->outcome == Outcome::Refuted && !rule.conditions.empty()) {
          result->outcome = Outcome::Unknown;
        }
        if (result && result->outcome != Outcome::Proved) {
          result->dtypes = info(operand).name;
          return *result;
        }
        isTaken = isTaken || result;
      }
      if (isTaken) {
        total.outcome = Outcome::Proved;
        total.dtypes += total.dtypes.empty() ? "" : ", ";
        total.dtypes += info(operand).name;
      }
    }
  } catch (const z3::exception &) {
    total.outcome = Outcome::Unknown; // Z3 reports what it cannot do by exceptions
  }
  return total;
}

#else

ProofResult proveRule(const Rule &) {
  return {ProofResult::Outcome::NoSolver, {}, {}};
}

#endif

} // namespace zyxc::rules

#include "test/unit/rules/Mutants.h"
#include "dialects/zyx/semantics/OpKind.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <set>

namespace zyxc::rules {

//===- Text -----------------------------------------------------------------------------------===//

static std::string numberText(const Syntax &term) {
  std::string text = fmt::format("{}", term.number);
  bool isPlain = text.find_first_of(".ein") == text.npos;
  return !term.isInteger && isPlain ? text + ".0" : text;
}

std::string toText(const Syntax &term) {
  std::string text;
  for (const Syntax &operand : term.operands) {
    text += (text.empty() ? "" : ", ") + toText(operand);
  }
  for (const NamedSyntax &named : term.named) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", named.name, toText(named.value));
  }
  std::string constraint = term.constraint.empty() ? "" : ":" + term.constraint;
  switch (term.kind) {
  case Syntax::Kind::Number: return numberText(term);
  case Syntax::Kind::List: return "[" + text + "]";
  case Syntax::Kind::Sequence: return term.text + "...";
  case Syntax::Kind::Call: return term.text + constraint + "(" + text + ")";
  case Syntax::Kind::Variable:
  case Syntax::Kind::Name: break;
  }
  return term.text + constraint;
}

std::string toText(const RuleSyntax &rule) {
  std::string text =
      fmt::format("rule {} {} {}: ", rule.name, toString(rule.level), toString(rule.stratum));
  std::string_view before;
  for (const PremiseSyntax &premise : rule.premises) {
    text += fmt::format("{}{}{}{}", before, toText(premise.pattern),
                        premise.name.empty() ? "" : " as ", premise.name);
    before = ", ";
  }
  before = " => ";
  for (const ConclusionSyntax &conclusion : rule.conclusions) {
    text += fmt::format("{}{}{}{}", before, conclusion.premise,
                        conclusion.premise.empty() ? "" : " = ", toText(conclusion.term));
    before = ", ";
  }
  for (size_t i = 0; i < rule.conditions.size(); ++i) {
    text += (i == 0 ? " if " : ", ") + toText(rule.conditions[i]);
  }
  return text;
}

//===- Mistakes -------------------------------------------------------------------------------===//

namespace {

/// Ops and functions that people take for each other.
constexpr std::array<std::string_view, 9> arithmetic = {"add", "sub", "mul", "div", "max",
                                                        "min", "pow", "rem", "mod"};
constexpr std::array<std::string_view, 3> logic = {"and", "or", "xor"};
constexpr std::array<std::string_view, 4> rounding = {"floor", "ceil", "trunc", "round"};
constexpr std::array<std::string_view, 6> functions = {"neg",  "abs",   "recip",
                                                       "sqrt", "rsqrt", "exp"};
constexpr std::array<std::string_view, 4> reductions = {"reduce_sum", "reduce_prod", "reduce_max",
                                                        "reduce_min"};
constexpr std::array<std::string_view, 2> logicReductions = {"reduce_and", "reduce_or"};
constexpr std::array<std::string_view, 2> scans = {"scan_sum", "scan_prod"};
constexpr std::array<std::string_view, 2> reciprocals = {"reciprocal", "exact_reciprocal"};
constexpr std::array<std::span<const std::string_view>, 8> families = {
    arithmetic, logic, rounding, functions, reductions, logicReductions, scans, reciprocals};

class Mutator {
public:
  explicit Mutator(const RuleSyntax &original) : original(original) {
    seen.insert(toText(original));
  }
  std::vector<Mutant> run();

private:
  using Change = std::function<void(Syntax &)>;
  /// Adds the rule in which the term at a place is changed.
  void add(size_t place, const std::string &what, const Change &change);
  void add(const std::string &what, const RuleSyntax &mutant);
  void changeTerm(size_t place, const Syntax &term);
  void changeVariable(size_t place, const Syntax &term);
  void changeNumber(size_t place, const Syntax &term);

  const RuleSyntax &original;
  bool isInResult = false; ///< the place that is changed
  std::set<std::string> seen;
  std::vector<Mutant> mutants;
};

/// Calls visit for a term and all below it.
void forEachTerm(Syntax &term, const std::function<void(Syntax &)> &visit) {
  visit(term);
  for (Syntax &operand : term.operands) {
    forEachTerm(operand, visit);
  }
  for (NamedSyntax &named : term.named) {
    forEachTerm(named.value, visit);
  }
}

void forEachTerm(RuleSyntax &rule, const std::function<void(Syntax &)> &visit) {
  for (PremiseSyntax &premise : rule.premises) {
    forEachTerm(premise.pattern, visit);
  }
  for (ConclusionSyntax &conclusion : rule.conclusions) {
    forEachTerm(conclusion.term, visit);
  }
  for (Syntax &condition : rule.conditions) {
    forEachTerm(condition, visit);
  }
}

void Mutator::add(const std::string &what, const RuleSyntax &mutant) {
  std::string text = toText(mutant);
  if (seen.insert(text).second) {
    mutants.push_back({original.name, what, text});
  }
}

void Mutator::add(size_t place, const std::string &what, const Change &change) {
  RuleSyntax mutant = original;
  size_t at = 0;
  forEachTerm(mutant, [&](Syntax &term) {
    if (at++ == place) {
      change(term);
    }
  });
  add(what, mutant);
}

void Mutator::changeVariable(size_t place, const Syntax &term) {
  if (!term.constraint.empty()) {
    add(place, fmt::format("drop :{} of {}", term.constraint, term.text),
        [](Syntax &t) { t.constraint.clear(); });
  }
  if (!isInResult) {
    return;
  }
  std::set<std::string> others;
  RuleSyntax copy = original;
  for (PremiseSyntax &premise : copy.premises) {
    forEachTerm(premise.pattern, [&](Syntax &t) {
      if (t.kind == Syntax::Kind::Variable && t.text != term.text) {
        others.insert(t.text);
      }
    });
    if (!premise.name.empty() && premise.name != term.text) {
      others.insert(premise.name);
    }
  }
  for (const std::string &other : others) {
    add(place, fmt::format("variable {} for {}", other, term.text), [&](Syntax &t) {
      t.text = other;
      t.constraint.clear();
    });
  }
}

void Mutator::changeNumber(size_t place, const Syntax &term) {
  auto become = [&](double value) {
    Syntax changed = term;
    changed.number = value;
    changed.isInteger = term.isInteger && !(value == 0 && std::signbit(value));
    add(place, fmt::format("number {} for {}", numberText(changed), numberText(term)),
        [&](Syntax &t) { t = changed; });
  };
  become(term.number + 1);
  become(-term.number);
}

void Mutator::changeTerm(size_t place, const Syntax &term) {
  if (term.kind == Syntax::Kind::Variable) {
    return changeVariable(place, term);
  }
  if (term.kind == Syntax::Kind::Number) {
    return changeNumber(place, term);
  }
  if (term.kind != Syntax::Kind::Call) {
    return;
  }
  std::optional<OpKind> kind = parseOpKind(term.text);
  for (size_t i = 0; i + 1 < term.operands.size(); ++i) {
    if (!kind || !info(*kind).commutative) {
      add(place, fmt::format("swap operands {} and {} of {}", i, i + 1, term.text),
          [&](Syntax &t) { std::swap(t.operands[i], t.operands[i + 1]); });
    }
  }
  for (std::span<const std::string_view> family : families) {
    if (std::ranges::find(family, term.text) == family.end()) {
      continue;
    }
    for (std::string_view other : family) {
      add(place, fmt::format("op {} for {}", other, term.text), [&](Syntax &t) { t.text = other; });
    }
  }
}

std::vector<Mutant> Mutator::run() {
  RuleSyntax copy = original;
  size_t place = 0;
  auto change = [&](Syntax &term) {
    changeTerm(place++, term);
  };
  for (PremiseSyntax &premise : copy.premises) {
    forEachTerm(premise.pattern, change);
  }
  isInResult = true;
  for (ConclusionSyntax &conclusion : copy.conclusions) {
    forEachTerm(conclusion.term, change);
  }
  isInResult = false;
  for (Syntax &condition : copy.conditions) {
    forEachTerm(condition, change);
  }
  for (size_t i = 0; i < original.conditions.size(); ++i) {
    RuleSyntax mutant = original;
    mutant.conditions.erase(mutant.conditions.begin() + static_cast<std::ptrdiff_t>(i));
    add("drop if " + toText(original.conditions[i]), mutant);
  }
  for (size_t i = 0; i + 1 < original.conclusions.size(); ++i) {
    RuleSyntax mutant = original;
    std::swap(mutant.conclusions[i].premise, mutant.conclusions[i + 1].premise);
    add(fmt::format("swap premises of conclusions {} and {}", i, i + 1), mutant);
  }
  RuleSyntax mutant = original;
  mutant.level = Numerics::Exact;
  add("level exact", mutant);
  return std::move(mutants);
}

} // namespace

std::vector<Mutant> mutantsOf(const RuleSyntax &rule) {
  return Mutator(rule).run();
}

} // namespace zyxc::rules

// Rules with one small mistake each, made mechanically from rules that hold: what a test of rules
// must find. Test code only.
#pragma once
#include "compiler/rules/RuleText.h"

namespace zyxc::rules {

/// A rule with a mistake.
struct Mutant {
  std::string rule;   ///< that it was made of
  std::string change; ///< "swap operands of sub", "drop if variable(?x)"
  std::string text;   ///< as a rule file has it, in one line
};

/// All mutants of a rule, each other than the rule and than the others. The kinds of mistakes:
/// - `swap`: two operands of an op that does not commute, or two arguments of a function;
/// - `drop if`: a condition;
/// - `drop :`: a constraint of a variable;
/// - `level`: the numerics level is exact;
/// - `op`: another op of a family;
/// - `number`: another constant, as an operand or in an attribute;
/// - `variable`: another variable, in the result.
std::vector<Mutant> mutantsOf(const RuleSyntax &rule);

/// The text of a rule or a term, in one line.
std::string toText(const RuleSyntax &rule);
std::string toText(const Syntax &term);

} // namespace zyxc::rules

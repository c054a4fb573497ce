// Proofs of rules about scalar integers by Z3, an SMT solver: elementwise ops become terms over
// bit-vectors of 8 bits. Where zyxc was built without Z3 nothing is proved.
#pragma once
#include "compiler/rules/Rule.h"

namespace zyxc::rules {

/// What the solver said of a rule.
struct ProofResult {
  enum class Outcome : uint8_t {
    NotScalar, ///< an op that is not elementwise, or no integer dtype
    Proved,
    Refuted,
    Unknown,  ///< the solver gave up
    NoSolver, ///< zyxc was built without one
  };
  Outcome outcome = Outcome::NotScalar;
  std::string dtypes;         ///< "bool, i8, u8": for which it was proved or refuted
  std::string counterexample; ///< "x = 1, y = -128", where it was refuted
};

/// Proves that both sides of a rule are equal for all operands, for bool and integers of 8 bits,
/// signed and unsigned, as far as the constraints admit them (docs/semantics.md says what the ops
/// do). Conditions are not assumed: a rule that needs one is Unknown. The solver's effort is
/// counted, so that the answer is always the same.
ProofResult proveRule(const Rule &rule);

} // namespace zyxc::rules

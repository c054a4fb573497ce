// The test of a rule against the reference interpreter: random small tensors, both sides compared.
#pragma once
#include "compiler/rules/check/ProveRule.h"
#include "compiler/rules/check/SampleNumbers.h"

namespace zyxc::rules {

/// How much a rule is tested.
struct CheckOptions {
  uint64_t seed = 1;
  int instances = 100;      ///< of each arithmetic
  int maxAttempts = 20'000; ///< terms that are made for them
  int maxShrinks = 4000;    ///< simpler instances that are tried when one has failed
  bool prove = true;        ///< ask Z3, too, where it is there
};

/// An instance in which a rule does not hold, as text.
struct Counterexample {
  std::string left;  ///< the term that the rule matched
  std::string right; ///< what it made of it
  std::string type;  ///< of both: "f32[2]"
  /// "x: f32[2] = [1, nan]", a line an input.
  std::vector<std::string> inputs;
  std::string leftValue;
  std::string rightValue;
  std::string difference; ///< "element [0]: 1 and 2", "the element: 1 and 2", or why the two cannot
                          ///< be compared
  std::string arithmetic; ///< "modulo 2147483647"; empty: that of the dtypes

  /// Some lines, indented by two spaces.
  std::string toText() const;
};

/// How much a rule was tested, and whether it holds.
struct CheckResult {
  int instances = 0; ///< random instances on which the rule did something
  int attempts = 0;  ///< random terms that were made for them
  int floats = 0;    ///< instances whose result has a float dtype
  int integers = 0;  ///< an integer dtype or bool
  int field = 0;     ///< instances over the finite field, beside the others
  ProofResult proof; ///< by Z3, where the rule is about scalar integers
  std::optional<Counterexample> counterexample;

  bool holds() const { return !counterexample; }
  /// False if the rule did nothing on all terms that were tried.
  bool isTested() const { return instances > 0; }
  /// "100 instances: 60 of floats within rounding, 40 of integers; 100 modulo 2147483647; proved
  /// for i8, u8".
  std::string toText(Numerics level) const;
};

/// Tests a rule on random instances of its pattern. The values of both sides must agree as the
/// rule's level says: bit for bit (any NaN for NaN) at `exact`, within 4 units in the last place at
/// `approx`, and within rounding of the largest element at `reorder` and `algebra`, integers always
/// exactly. Rules of arithmetic and movement are tested over a finite field, too, where nothing is
/// rounded (FieldEvaluator.h). The counterexample is the simplest that was found. The same options
/// give the same result. An error means that the reference interpreter refused an op.
Expected<CheckResult> checkRule(const Rule &rule, const CheckOptions &options);

} // namespace zyxc::rules

// One random instance of a rule, and whether the rule holds on it.
#pragma once
#include "compiler/rules/check/Soundness.h"

namespace zyxc::rules {

/// What came of an instance.
struct InstanceResult {
  bool applied = false; ///< the rule did something whose results can be compared
  bool isFloat = false; ///< the dtype of its result
  std::optional<Counterexample> counterexample;
};

/// Makes an instance of the rule's pattern from choices, applies the rule, and compares. An
/// instance fails to be made where choices do not fit together: then nothing was applied.
Expected<InstanceResult> testInstance(const Rule &rule, SampleNumbers &numbers);

} // namespace zyxc::rules

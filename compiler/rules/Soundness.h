// The test of a rule against the reference interpreter: random small tensors, both sides compared.
#pragma once
#include "compiler/rules/Rule.h"

namespace zyxc::rules {

/// How much a rule was tested.
struct SoundnessResult {
  int instances = 0; ///< random instances on which the rule did something
  int attempts = 0;  ///< random terms that were made for them
};

/// Tests a rule on up to `instances` random instances of its pattern; gives up making more after
/// `maxAttempts` terms. The values of both sides must agree as the rule's level says: bit for bit
/// (any NaN for NaN) at `exact`, within 4 units in the last place at `approx`, and within rounding
/// of the largest element at `reorder` and `algebra`, integers always exactly. A Verification error
/// shows the first difference. The same seed gives the same test.
Expected<SoundnessResult> checkRule(const Rule &rule, uint64_t seed, int instances,
                                    int maxAttempts);

} // namespace zyxc::rules

// Ops of a body that GPU families take as others: what a thread keeps in registers is read twice
// for nothing, so that one pass over a row has no advantage there.
#pragma once
#include "dialects/zyxk/IR/ZyxkOps.h"

namespace zyxc {

/// Replaces contractions by products and sums.
void expandContractions(zyxk::KernelOp kernel);

/// Replaces each welford by a mean and a sum of squared deviations from it, and each expsum by a
/// maximum and sums. All axes have constant bounds.
void expandTuples(zyxk::KernelOp kernel);

} // namespace zyxc

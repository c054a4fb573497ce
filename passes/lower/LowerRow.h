// The row family on the host: softmax, norms, arg reductions, global pooling, dot products. Rows
// are split into tasks; within a row each reduction is one vectorized loop that recomputes its
// operand, then the stores follow.
#pragma once
#include "passes/lower/emit/AccessTable.h"

namespace zyxc {

/// Replaces a kernel without contractions by its host function. `vectorBits` is the width of the
/// target's vectors.
void lowerRow(AccessTable &table, unsigned vectorBits);

} // namespace zyxc

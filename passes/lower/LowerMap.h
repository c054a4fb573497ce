// The map family on the host: elementwise ops, gather, scatter, concatenation, padding, windows.
// Lanes run along an axis of the stores; reductions are loops around vector accumulators.
#pragma once
#include "passes/lower/emit/AccessTable.h"

namespace zyxc {

/// Replaces a kernel without contractions by its host function. `vectorBits` is the width of the
/// target's vectors.
void lowerMap(AccessTable &table, unsigned vectorBits);

} // namespace zyxc

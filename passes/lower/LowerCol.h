// The col family on the host: reductions whose result keeps the contiguous axis (column sums, bias
// gradients, norms over rows). A task owns a strip of columns; the rows pass over accumulators that
// stay in the first cache, several rows at a time, so that memory is read in order.
#pragma once
#include "passes/lower/emit/AccessTable.h"

namespace zyxc {

/// True if the kernel is of this family and gains from it: reductions over the same rows, none
/// inside another, and stores of columns only.
bool isColumns(AccessTable table, unsigned vectorBits);

/// Tasks of a kernel for which isColumns() holds.
int64_t columnTasks(AccessTable table, unsigned vectorBits);

/// Replaces a kernel for which isColumns() holds by its host function.
void lowerCol(AccessTable &table, unsigned vectorBits);

} // namespace zyxc

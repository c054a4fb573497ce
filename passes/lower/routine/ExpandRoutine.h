// Routines as plain kernels, for targets that cannot call functions of the runtime.
#pragma once
#include "dialects/zyxk/IR/ZyxkOps.h"

namespace zyxc {

/// Replaces a kernel of static sizes that runs a routine by one of the same name and ports whose
/// body computes the same, and returns it. Sorts count for each element those before it: n^2 steps
/// a row of n. Scatters look at all updates for each row: their sums are not rounded at each step.
/// Fails with a diagnostic for what has no such body (top-k, and combining 8-bit floats or bools).
mlir::FailureOr<zyxk::KernelOp> expandRoutine(zyxk::KernelOp kernel);

} // namespace zyxc

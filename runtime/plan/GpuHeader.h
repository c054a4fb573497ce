// The code of GPU programs in the header of a saved plan.
#pragma once
#include "runtime/plan/HeaderChecks.h"
#include "runtime/plan/PlanHeader.h"

namespace zyxc::rt {

/// Reads what `stored` says of the code of `program`, whose launches are read, in a segment of
/// `segmentBytes` bytes. Input errors if a number is not within what it refers to, or the plan is
/// none that a GPU runs.
Status decodeGpuCode(const file::Program &stored, uint64_t segmentBytes, HeaderBudget &budget,
                     PlanProgram &program);

} // namespace zyxc::rt

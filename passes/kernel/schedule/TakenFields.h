// Which fields of a schedule a lowering takes: one table, so that none is ignored in silence.
#pragma once
#include "dialects/zyxk/IR/ZyxkOps.h"

namespace zyxc {

/// Fails with a diagnostic that names the field if the kernel's schedule has a value, other than
/// the default, that the family's lowering for the host, or for GPUs, does not take; also if the
/// family has no lowering there. A number is taken up to what the sizes allow (vec = 4 along 6
/// elements is 2). Fine without a schedule.
llvm::LogicalResult checkTakenFields(zyxk::KernelOp kernel, bool isGpu);

} // namespace zyxc

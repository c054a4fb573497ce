// What schedules ask for that no GPU family does: said, not ignored.
#pragma once
#include "dialects/zyxk/IR/ZyxkOps.h"

namespace zyxc {

/// Fails with a diagnostic that names the field and what to use instead.
llvm::LogicalResult checkSupported(zyxk::KernelOp kernel);

} // namespace zyxc

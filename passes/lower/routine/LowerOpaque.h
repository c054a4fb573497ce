// Kernels that run a routine on whole ports (zyxk.opaque), for the host; ExpandRoutine.h has them
// for GPUs.
#pragma once
#include "dialects/zyxk/IR/ZyxkOps.h"
#include "runtime/core/DType.h"

namespace zyxc {

/// The routine of a kernel, if it runs one.
zyxk::OpaqueOp opaqueOf(zyxk::KernelOp kernel);

/// The type of a port's elements, as far as a port tells it: integers are signed.
DType elementDType(mlir::Type type);

/// Fails with a diagnostic if there is no such routine, or it does not take these ports.
mlir::LogicalResult checkRoutine(zyxk::OpaqueOp opaque);

/// Replaces the kernel by a host function that calls the routine, a task per some rows. The routine
/// is an external function named `zyxc_routine_NAME`. Fails with a diagnostic if dims are not
/// bound, there is no such routine, or it does not take these ports.
mlir::LogicalResult lowerOpaque(zyxk::KernelOp kernel);

} // namespace zyxc

// Long reductions of few results on the host: a kernel that would be one task, or a few, is split
// into parts (transformation split-reduction), whose results wait in memory that all threads share,
// and a join that combines them in order. The number of parts follows from sizes alone, so results
// do not depend on the number of threads.
#pragma once
#include "passes/lower/emit/AccessTable.h"

namespace zyxc {

/// Parts that make enough tasks of a legal kernel's only reduction; 0 if it has enough, is too
/// short, or has a form that cannot be split.
int64_t partsForTasks(const AccessTable &table, unsigned vectorBits);

using LowerOne = llvm::function_ref<mlir::LogicalResult(zyxk::KernelOp)>;

/// Replaces the kernel by its host function and the one that joins (HostFunction.h). `lower` lowers
/// each of the two kernels between. Nothing happens, and `isSplit` stays false, if the kernel has
/// another form than expected.
mlir::LogicalResult lowerInParts(zyxk::KernelOp kernel, int64_t parts, LowerOne lower,
                                 bool &isSplit);

} // namespace zyxc

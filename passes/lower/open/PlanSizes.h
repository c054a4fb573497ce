// Plans of loop nests whose extents are known at run time only.
#pragma once
#include "passes/lower/LoopNest.h"

namespace zyxc {

/// Fills the task fields of a plan whose lane and width are chosen: a unit for each point of the
/// shared axes, and for each chunk of the lane axis, and a task for each unit. Numbers of units are
/// sizes over the kernel's dims.
void planSizedTasks(const AccessTable &table, NestPlan &plan, bool isOneTask);

/// The reduction of a kernel that has one, beside counts, and no fold or scan; else null.
zyxk::ReduceOp onlyReduction(const AccessTable &table);

/// Where vectors of reductions along the lane axis share loads between points of another axis, as a
/// product of matrices does between its rows: that axis, so that some of its points are computed at
/// once.
std::optional<unsigned> rowAxisFor(const AccessTable &table, unsigned lane);

/// Scans along an axis without a size on which the values of some stores depend, in order.
llvm::SmallVector<zyxk::ScanOp> sizedScansBelow(const AccessTable &table,
                                                llvm::ArrayRef<zyxk::StoreOp> stores);

/// Fails with a diagnostic if such scans have a form for which there is no loop: their prefixes can
/// only be stored, and those of one store run along one axis in one direction.
llvm::LogicalResult checkSizedScans(const AccessTable &table);

} // namespace zyxc

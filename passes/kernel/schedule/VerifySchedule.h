// Schedules against the limits of a machine.
#pragma once
#include "dialects/zyxk/IR/ZyxkOps.h"
#include "dialects/zyxk/target/Target.h"
#include <string>

namespace zyxc {

/// Checks that a target can run a kernel with its schedule: threads, registers of a thread, shared
/// memory of stages, width of accesses, matrix unit. The diagnostic names the limit and both
/// numbers. Sizes that depend on unbound dims are not checked. A kernel without a schedule is fine.
llvm::LogicalResult verifySchedule(zyxk::KernelOp kernel, const Target &target);

/// The families of schedules that fit a body, without that of its schedule: "#zyxk.row, #zyxk.map".
/// Empty if it takes no schedule, or only that.
std::string fittingFamilies(zyxk::KernelOp kernel, bool isGpu);

} // namespace zyxc

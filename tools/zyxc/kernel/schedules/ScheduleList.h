// The schedules of a kernel that a target can run, ranked by the model.
#pragma once
#include "runtime/support/Status.h"
#include "tools/zyxc/kernel/schedules/ScheduleModel.h"

namespace zyxc::tool {

struct RankedSchedule {
  mlir::Attribute schedule;
  ScheduleEstimate estimate;
  bool isDefault = false; ///< gives the code that the kernel has without a schedule
};

/// The schedules of one family.
struct ScheduleList {
  std::vector<RankedSchedule> schedules; ///< best first
  ScheduleFamily family = ScheduleFamily::Map;
  int refused = 0; ///< of the space: over a limit of the target, or not lowered by the family
  std::string firstRefusal; ///< the first of these and why: "#zyxk.row<..>: needs .."
  int equal = 0;            ///< of the space: give the same code as one before
  bool hasDefault = false;  ///< one of them is the default
};

/// Lists the schedules of a kernel with bound dims: those of its space that pass verifySchedule and
/// are lowered, one for each code. One list: of the likeliest family that is lowered; of
/// contractions without rows or without columns one for each family that is, that of the default
/// first. The kernel's context must allow the dialects of the lowering to be loaded. Unsupported,
/// with the reason of the first refusal, if the target lowers none.
Expected<std::vector<ScheduleList>> listSchedules(zyxk::KernelOp kernel, const Target &target);

} // namespace zyxc::tool

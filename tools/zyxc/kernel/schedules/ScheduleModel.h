// What a schedule is expected to cost: a coarse model that orders schedules of one kernel.
//
// Memory-bound families: time = passes over memory / (share of the machine in use x share of the
// latency that is hidden x efficiency of accesses of this width). Workgroups come in waves of as
// many as fit; a wave that is not full counts as one. Latency is hidden by bytes in flight: 40 KiB
// a multiprocessor (bandwidth times latency of an H200) or 1 KiB a core of the host.
// Contractions and attention: time = waves x tile / (reuse of a tile's operands x overlap of its
// stages), reuse being m n / (m + n) against the largest tile's.
#pragma once
#include "tools/zyxc/kernel/schedules/ScheduleSpace.h"

namespace zyxc::tool {

struct ScheduleEstimate {
  double time = 0;        ///< in units that only compare within one kernel
  std::string_view limit; ///< what the model says bounds it: "memory", "latency", "waves", "reuse"
};

ScheduleEstimate estimateSchedule(mlir::Attribute schedule, zyxk::KernelOp kernel,
                                  const Target &target);

} // namespace zyxc::tool

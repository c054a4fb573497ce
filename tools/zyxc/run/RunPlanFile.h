// Running a saved plan, without LLVM: `zyxc run plan.zyxp` and `zyxc-run plan.zyxp`.
#pragma once
#include "tools/zyxc/run/RunOptions.h"

namespace zyxc::tool {

/// Opens the plan, runs it and delivers its outputs. Errors name the file.
Status runPlanFile(const RunOptions &run);

} // namespace zyxc::tool

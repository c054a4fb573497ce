#include "tools/zyxc/kernel/KernelUnits.h"
#include "compiler/interp/kernel/KernelProgramInterpreter.h"

using namespace zyxc::zyxk;

namespace zyxc::tool {

Expected<KernelUnits> unitsOf(KernelFile &file, const KernelLine &line) {
  KernelUnits units;
  ZYXC_ASSIGN(units.kernels, file.freeKernels(line.kernel));
  units.programs = file.programs(line.kernel);
  if (!units.programs.empty() && !line.schedule.empty()) {
    return makeError(ErrorCode::Usage,
                     "--schedule: {}: @{} is a program, its kernels have schedules of their own; "
                     "name one of them by --kernel",
                     line.file, units.programs.front().getSymName().str());
  }
  for (KernelOp kernel : units.kernels) {
    ZYXC_RETURN_IF_ERROR(file.setSchedule(kernel, line.schedule));
  }
  return units;
}

Expected<std::vector<LaunchedKernel>> launchedKernels(ProgramOp program,
                                                      std::span<const int64_t> dims) {
  std::vector<LaunchedKernel> launched;
  for (auto launch : program.getBlock().getOps<LaunchOp>()) {
    ZYXC_ASSIGN(std::vector<int64_t> values, launchDims(launch, dims));
    KernelOp kernel = launch.lookUpKernel();
    bool known = llvm::any_of(launched, [&](const LaunchedKernel &other) {
      return other.kernel == kernel && other.dims == values;
    });
    if (!known) {
      launched.push_back({kernel, std::move(values)});
    }
  }
  return launched;
}

} // namespace zyxc::tool

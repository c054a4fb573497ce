// What an action of `zyxc kernel` works on: the programs of a file, and the kernels that none of
// them launches.
#pragma once
#include "tools/zyxc/kernel/KernelCommand.h"
#include "tools/zyxc/kernel/KernelFile.h"

namespace zyxc::tool {

struct KernelUnits {
  std::vector<zyxk::KernelOp> kernels; ///< with the schedule of the line
  std::vector<zyxk::ProgramOp> programs;
};

/// All units of a file, or the one that the line names. A Usage error where a schedule is given for
/// a program: its kernels have schedules of their own.
Expected<KernelUnits> unitsOf(KernelFile &file, const KernelLine &line);

/// A kernel at the dims that some launch of a program gives it.
struct LaunchedKernel {
  zyxk::KernelOp kernel;
  std::vector<int64_t> dims;
};

/// The kernels of a program's launches in order, with the program's dims; each once per dims.
Expected<std::vector<LaunchedKernel>> launchedKernels(zyxk::ProgramOp program,
                                                      std::span<const int64_t> dims);

} // namespace zyxc::tool

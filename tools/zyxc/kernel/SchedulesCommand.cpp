// `zyxc kernel schedules`.
#include "compiler/codegen/cpu/HostTarget.h"
#include "tools/zyxc/kernel/DimGrid.h"
#include "tools/zyxc/kernel/KernelCommand.h"
#include "tools/zyxc/kernel/KernelUnits.h"
#include "tools/zyxc/kernel/schedules/ScheduleList.h"
#include <fmt/core.h>

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc::tool {

/// The target's numbers; those of the host are this machine's.
static Expected<Target> targetOf(const std::string &name) {
  std::optional<Target> target = findTarget(name);
  if (!target) {
    return makeError(ErrorCode::Usage, "--target={}: use one of {}", name, targetNames());
  }
  if (name == "host") {
    target->vectorBits = HostTarget::detect().vectorBits;
  }
  return *target;
}

/// Dims that are not given are 1024.
static std::map<std::string, int64_t> completeDims(const DimSpace &space,
                                                   std::map<std::string, int64_t> dims) {
  constexpr int64_t assumed = 1024;
  for (const std::string &name : space.dims) {
    dims.emplace(name, assumed);
  }
  return dims;
}

static void printList(const std::string &name, const std::string &target,
                      const ScheduleList &list) {
  fmt::print("{} on {}: family {}, {} schedules, {} refused, {} with the code of another; times "
             "are the model's, against the best; * is the default\n",
             name, target, familyName(list.family), list.schedules.size(), list.refused,
             list.equal);
  double best = list.schedules.front().estimate.time;
  int rank = 0;
  for (const RankedSchedule &entry : list.schedules) {
    std::string text;
    llvm::raw_string_ostream(text) << entry.schedule;
    fmt::print("{:4} {} {:6.2f}  {:9} {}\n", ++rank, entry.isDefault ? '*' : ' ',
               entry.estimate.time / best, entry.estimate.limit, text);
  }
}

/// Lists the schedules of one kernel with bound dims.
static Status printKernel(KernelFile &file, const LaunchedKernel &unit, const KernelLine &line,
                          const Target &target, const std::string &launchedBy) {
  KernelOp kernel = unit.kernel;
  std::string name = launchedBy + "@" + kernel.getSymName().str();
  name += unit.dims.empty() ? "" : " " + describeDims(kernel, unit.dims);
  ZYXC_ASSIGN(BoundKernel bound, file.bind(kernel, unit.dims));
  if (!bound.kernel.getBlock().getOps<OpaqueOp>().empty()) {
    fmt::print("{} on {}: runs a routine, which has no schedules\n", name, line.target);
    return Status::ok();
  }
  auto lists = listSchedules(bound.kernel, target);
  if (!lists) {
    return std::move(lists).error().withContext(line.file);
  }
  for (const ScheduleList &list : *lists) {
    printList(name, line.target, list);
  }
  if (!lists->front().hasDefault) {
    fmt::print("   - *               none: what the family's lowering chooses itself\n");
  }
  return Status::ok();
}

Status printSchedules(const KernelLine &line) {
  ZYXC_ASSIGN(KernelFile file, KernelFile::load(line.file));
  ZYXC_ASSIGN(KernelUnits units, unitsOf(file, line));
  ZYXC_ASSIGN(Target target, targetOf(line.target));
  for (KernelOp kernel : units.kernels) {
    auto dims = givenDims(kernel, completeDims(kernel, line.dims));
    if (!dims) {
      return std::move(dims).error().withContext(line.file);
    }
    ZYXC_RETURN_IF_ERROR(printKernel(file, {kernel, *dims}, line, target, ""));
  }
  for (ProgramOp program : units.programs) {
    auto dims = givenDims(program, completeDims(program, line.dims));
    if (!dims) {
      return std::move(dims).error().withContext(line.file);
    }
    ZYXC_ASSIGN(std::vector<LaunchedKernel> launched, launchedKernels(program, *dims));
    std::string launchedBy = "@" + program.getSymName().str() + ": ";
    for (const LaunchedKernel &unit : launched) {
      ZYXC_RETURN_IF_ERROR(printKernel(file, unit, line, target, launchedBy));
    }
  }
  return Status::ok();
}

} // namespace zyxc::tool

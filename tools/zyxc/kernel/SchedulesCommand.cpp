// `zyxc kernel schedules`.
#include "compiler/codegen/cpu/HostTarget.h"
#include "tools/zyxc/kernel/DimGrid.h"
#include "tools/zyxc/kernel/KernelCommand.h"
#include "tools/zyxc/kernel/KernelFile.h"
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
static std::map<std::string, int64_t> completeDims(KernelOp kernel,
                                                   std::map<std::string, int64_t> dims) {
  constexpr int64_t assumed = 1024;
  for (auto name : kernel.getDimNames().getAsValueRange<StringAttr>()) {
    dims.emplace(name.str(), assumed);
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
  if (!list.hasDefault) {
    fmt::print("   - *               none: what the family's lowering chooses itself\n");
  }
}

Status printSchedules(const KernelLine &line) {
  ZYXC_ASSIGN(KernelFile file, KernelFile::load(line.file));
  ZYXC_ASSIGN(std::vector<KernelOp> kernels, file.kernels(line.kernel));
  ZYXC_ASSIGN(Target target, targetOf(line.target));
  for (KernelOp kernel : kernels) {
    auto dims = givenDims(kernel, completeDims(kernel, line.dims));
    if (!dims) {
      return std::move(dims).error().withContext(line.file);
    }
    ZYXC_ASSIGN(BoundKernel bound, file.bind(kernel, *dims));
    auto list = listSchedules(bound.kernel, target);
    if (!list) {
      return std::move(list).error().withContext(line.file);
    }
    std::string name = "@" + kernel.getSymName().str();
    name += dims->empty() ? "" : " " + describeDims(kernel, *dims);
    printList(name, line.target, *list);
  }
  return Status::ok();
}

} // namespace zyxc::tool

// `zyxc kernel schedules`.
#include "compiler/codegen/cpu/HostTarget.h"
#include "tools/zyxc/kernel/DimGrid.h"
#include "tools/zyxc/kernel/KernelCommand.h"
#include "tools/zyxc/kernel/KernelUnits.h"
#include "tools/zyxc/kernel/PortData.h"
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

/// What the ports of a kernel hold at most where its dims are not given.
static constexpr double mostPortBytes = 0x1p30;

template <class Op> static double portBytes(Op op, const DimValues &dims) {
  double bytes = 0;
  for (unsigned i = 0; i < op.getNumPorts(); ++i) {
    double bits = op.getPortType(i).getElementType().getIntOrFloatBitWidth();
    bytes += static_cast<double>(portElements(op.getPortType(i), dims)) * bits / 8;
  }
  return bytes;
}

/// The kernels that an op runs at these dims.
static Expected<std::vector<LaunchedKernel>> kernelsOf(KernelOp kernel, const DimValues &dims) {
  return std::vector<LaunchedKernel>{{kernel, dims}};
}
static Expected<std::vector<LaunchedKernel>> kernelsOf(ProgramOp program, const DimValues &dims) {
  return launchedKernels(program, dims);
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

/// Lists the schedules of one kernel with bound dims. `chosen` names dims that are not the user's.
static Status printKernel(KernelFile &file, const LaunchedKernel &unit, const KernelLine &line,
                          const Target &target, const std::string &launchedBy,
                          const std::string &chosen) {
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
    return makeError(lists.error().code(), "{}: {}: {}{}", line.file, name, lists.error().message(),
                     chosen);
  }
  for (const ScheduleList &list : *lists) {
    printList(name, line.target, list);
  }
  if (!lists->front().hasDefault) {
    fmt::print("   - *               none: what the family's lowering chooses itself\n");
  }
  return Status::ok();
}

/// Lists the schedules of a kernel, or of those that a program launches.
template <class Op>
static Status printUnit(KernelFile &file, Op op, const KernelLine &line, const Target &target,
                        const std::string &launchedBy) {
  DimValues least;
  for (const std::string &name : DimSpace(op).dims) {
    auto given = line.dims.find(name);
    least.push_back(given == line.dims.end() ? 1 : given->second);
  }
  double mostBytes = std::max(mostPortBytes, portBytes(op, least));
  auto bindAll = [&](const DimValues &dims) -> Status {
    if (double bytes = portBytes(op, dims); bytes > mostBytes) {
      return makeError(ErrorCode::Input, "ports would hold {:.3g} bytes (with {})", bytes,
                       describeDims(op, dims));
    }
    ZYXC_ASSIGN(std::vector<LaunchedKernel> kernels, kernelsOf(op, dims));
    for (const LaunchedKernel &unit : kernels) {
      ZYXC_ASSIGN(BoundKernel bound, file.bind(unit.kernel, unit.dims));
    }
    return Status::ok();
  };
  auto dims = completedDims(op, line.dims, bindAll);
  if (!dims) {
    bool named = dims.error().message().starts_with(line.file);
    return named ? std::move(dims).error() : std::move(dims).error().withContext(line.file);
  }
  std::vector<std::string> others = DimSpace(op).dims;
  std::erase_if(others, [&](const std::string &name) { return line.dims.contains(name); });
  std::string chosen = others.empty() ? ""
                                      : fmt::format(" ({}: by default; --dim gives other sizes)",
                                                    fmt::join(others, ", "));
  ZYXC_ASSIGN(std::vector<LaunchedKernel> kernels, kernelsOf(op, *dims));
  for (const LaunchedKernel &unit : kernels) {
    ZYXC_RETURN_IF_ERROR(printKernel(file, unit, line, target, launchedBy, chosen));
  }
  return Status::ok();
}

Status printSchedules(const KernelLine &line) {
  ZYXC_ASSIGN(KernelFile file, KernelFile::load(line.file));
  ZYXC_ASSIGN(KernelUnits units, unitsOf(file, line));
  ZYXC_ASSIGN(Target target, targetOf(line.target));
  for (KernelOp kernel : units.kernels) {
    ZYXC_RETURN_IF_ERROR(printUnit(file, kernel, line, target, ""));
  }
  for (ProgramOp program : units.programs) {
    std::string launchedBy = "@" + program.getSymName().str() + ": ";
    ZYXC_RETURN_IF_ERROR(printUnit(file, program, line, target, launchedBy));
  }
  return Status::ok();
}

} // namespace zyxc::tool

// `zyxc kernel time`: speed beside a copy of the same bytes, measured in turns.
#include "tools/zyxc/kernel/CheckUnit.h"
#include "tools/zyxc/kernel/KernelCommand.h"
#include "tools/zyxc/kernel/KernelUnits.h"
#include "tools/zyxc/kernel/KernelWork.h"
#include <algorithm>
#include <fmt/core.h>

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc::tool {

/// Inputs rotate through this much memory, more than caches hold.
static constexpr uint64_t coldBytes = uint64_t(256) << 20;

static double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

static void printTimes(const std::string &name, const KernelLine &line, const KernelWork &work,
                       const KernelTimes &times) {
  double middle = median(times.kernel);
  double least = *std::min_element(times.kernel.begin(), times.kernel.end());
  double copy = median(times.copy);
  double gigabytes = work.bytes / middle * 1e-3;
  double gigaflops = work.flops / middle * 1e-3;
  double ofPeak = times.peakFlops > 0 ? gigaflops * 1e9 / times.peakFlops : 0;
  if (line.tsv) {
    fmt::print("{}\t{}\t{:.3f}\t{:.3f}\t{:.3f}\t{:.3f}\t{:.3f}\t{:.4f}\t{:.4f}\n", name,
               line.target, middle, least, copy, gigabytes, gigaflops, copy / middle, ofPeak);
    return;
  }
  fmt::print("{}: median {:.1f} us, least {:.1f} us; {:.1f} GB/s, {:.1f} GFLOP/s; {:.2f} of a copy "
             "of {:.3g} bytes ({:.1f} us)",
             name, middle, least, gigabytes, gigaflops, copy / middle, work.bytes, copy);
  if (ofPeak > 0) {
    fmt::print("; {:.2f} of the peak of {:.1f} GFLOP/s", ofPeak, times.peakFlops * 1e-9);
  }
  fmt::print("\n");
}

/// What all launches do together.
static KernelWork workOf(CheckUnit &unit) {
  KernelWork total;
  for (size_t i = 0; i < unit.kernels.size(); ++i) {
    std::vector<KernelPort> ports;
    for (unsigned port : unit.portsOf[i]) {
      ports.push_back(unit.ports[port]);
      // In a program each launch reads or writes a port, whatever it is to the program.
      ports.back().mode = unit.kernels[i].kernel.getPortType(ports.size() - 1).getMode();
    }
    KernelWork work = workOf(unit.kernels[i].kernel, ports);
    total.bytes += work.bytes;
    total.flops += work.flops;
    total.contracts |= work.contracts;
  }
  return total;
}

static std::vector<TimedLaunch> launchesOf(const CheckUnit &unit, bool isOpen) {
  std::vector<TimedLaunch> launches;
  for (size_t i = 0; i < unit.runners.size(); ++i) {
    TimedLaunch launch = {unit.runners[i].get(), unit.portsOf[i], {}, {}};
    if (isOpen) {
      launch.dims = unit.dims[i];
    }
    for (unsigned port : launch.ports) {
      launch.isConstant.push_back(unit.ports[port].mode == PortMode::In);
    }
    launches.push_back(std::move(launch));
  }
  return launches;
}

/// Times a kernel, or the launches of a program as one.
template <class Op>
static Status timeOne(KernelFile &file, Op op, const KernelLine &line, KernelTarget &target) {
  ZYXC_ASSIGN(DimValues dims, givenDims(op, line.dims));
  std::string name = "@" + op.getSymName().str();
  name += dims.empty() ? "" : " " + describeDims(op, dims);
  ZYXC_ASSIGN(CheckUnit unit, makeUnit(file, op, dims, line.target));
  OpenKernels opened(file, target);
  Status compiled = line.open ? opened.compileUnit(unit) : compileUnit(unit, target);
  if (Status status = std::move(compiled); !status.isOk()) {
    return std::move(status).withContext(name);
  }
  ZYXC_ASSIGN(std::vector<Tensor> tensors, makePorts(name, unit.ports, unit.uses, line.seed));
  PortBytes memory;
  for (size_t i = 0; i < tensors.size(); ++i) {
    memory.push_back(toMemory(unit.types[i], tensors[i]));
  }
  KernelWork work = workOf(unit);
  TimeRequest request;
  request.samples = line.repeat;
  request.copyBytes = static_cast<uint64_t>(work.bytes);
  request.coldBytes = coldBytes;
  request.measurePeak = work.contracts;
  ZYXC_ASSIGN(KernelTimes times, target.time(launchesOf(unit, line.open), memory, request));
  printTimes(name, line, work, times);
  return Status::ok();
}

Status timeKernels(const KernelLine &line) {
  ZYXC_ASSIGN(KernelFile file, KernelFile::load(line.file));
  ZYXC_ASSIGN(KernelUnits units, unitsOf(file, line));
  ZYXC_ASSIGN(auto target, KernelTarget::open(line.target, {line.threads, false}));
  if (std::string missing = target->deviceMissing(); !missing.empty()) {
    return makeError(ErrorCode::NotRun, "{}: not timed: {}", line.file, missing);
  }
  if (line.tsv) {
    fmt::print("kernel\ttarget\tmedian_us\tleast_us\tcopy_us\tGB/s\tGFLOP/s\tof_copy\tof_peak\n");
  } else {
    fmt::print("{}\n", target->describe());
  }
  auto inFile = [&](Status status) {
    return status.isOk() ? std::move(status) : std::move(status).withContext(line.file);
  };
  for (KernelOp kernel : units.kernels) {
    ZYXC_RETURN_IF_ERROR(inFile(timeOne(file, kernel, line, *target)));
  }
  for (ProgramOp program : units.programs) {
    ZYXC_RETURN_IF_ERROR(inFile(timeOne(file, program, line, *target)));
  }
  return Status::ok();
}

} // namespace zyxc::tool

// `zyxc kernel time`: speed beside a copy of the same bytes, measured in turns.
#include "tools/zyxc/kernel/DimGrid.h"
#include "tools/zyxc/kernel/KernelCommand.h"
#include "tools/zyxc/kernel/KernelFile.h"
#include "tools/zyxc/kernel/KernelWork.h"
#include "tools/zyxc/kernel/PortData.h"
#include "tools/zyxc/kernel/targets/KernelRunner.h"
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

static Status timeKernel(KernelFile &file, KernelOp kernel, const KernelLine &line,
                         KernelTarget &target) {
  ZYXC_RETURN_IF_ERROR(file.setSchedule(kernel, line.schedule));
  ZYXC_ASSIGN(DimValues dims, givenDims(kernel, line.dims));
  std::string name = "@" + kernel.getSymName().str();
  name += dims.empty() ? "" : " " + describeDims(kernel, dims);
  ZYXC_ASSIGN(KernelInterpreter interpreter, KernelInterpreter::create(kernel, dims));
  ZYXC_ASSIGN(BoundKernel bound, file.bind(kernel, dims, line.target));
  auto runner = target.compile(bound.text, bound.kernel);
  if (!runner) {
    return std::move(runner).error().withContext(name);
  }
  ZYXC_ASSIGN(std::vector<Tensor> tensors,
              makePorts(name, interpreter.ports(), portUses(bound.kernel), line.seed));
  PortBytes memory;
  for (size_t i = 0; i < tensors.size(); ++i) {
    memory.push_back(toMemory(bound.kernel.getPortType(i), tensors[i]));
  }
  KernelWork work = workOf(bound.kernel, interpreter.ports());
  TimeRequest request;
  request.samples = line.repeat;
  request.copyBytes = static_cast<uint64_t>(work.bytes);
  request.coldBytes = coldBytes;
  request.measurePeak = work.contracts;
  ZYXC_ASSIGN(KernelTimes times, (*runner)->time(memory, request));
  printTimes(name, line, work, times);
  return Status::ok();
}

Status timeKernels(const KernelLine &line) {
  ZYXC_ASSIGN(KernelFile file, KernelFile::load(line.file));
  ZYXC_ASSIGN(std::vector<KernelOp> kernels, file.kernels(line.kernel));
  ZYXC_ASSIGN(auto target, KernelTarget::open(line.target, {line.threads, false}));
  if (std::string missing = target->deviceMissing(); !missing.empty()) {
    return makeError(ErrorCode::NotRun, "{}: not timed: {}", line.file, missing);
  }
  if (line.tsv) {
    fmt::print("kernel\ttarget\tmedian_us\tleast_us\tcopy_us\tGB/s\tGFLOP/s\tof_copy\tof_peak\n");
  } else {
    fmt::print("{}\n", target->describe());
  }
  for (KernelOp kernel : kernels) {
    Status status = timeKernel(file, kernel, line, *target);
    if (!status.isOk()) {
      return std::move(status).withContext(line.file);
    }
  }
  return Status::ok();
}

} // namespace zyxc::tool

// `zyxc kernel compile`: where the time from a kernel's text to machine code goes.
#include "compiler/codegen/cuda/PtxCompiler.h"
#include "runtime/devices/cuda/CudaDevice.h"
#include "tools/zyxc/kernel/DimGrid.h"
#include "tools/zyxc/kernel/KernelCommand.h"
#include "tools/zyxc/kernel/KernelFile.h"
#include <algorithm>
#include <fmt/core.h>
#include <fmt/ranges.h>

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc::tool {

namespace {

struct Step {
  const char *name;
  double PtxCompileTimes::*time;
};

} // namespace

static constexpr Step steps[] = {
    {"parse", &PtxCompileTimes::parse},       {"lower", &PtxCompileTimes::lower},
    {"convert", &PtxCompileTimes::convert},   {"translate", &PtxCompileTimes::translate},
    {"optimize", &PtxCompileTimes::optimize}, {"emit", &PtxCompileTimes::emit},
    {"assemble", &PtxCompileTimes::assemble},
};

static double totalOf(const PtxCompileTimes &times) {
  double total = 0;
  for (const Step &step : steps) {
    total += times.*step.time;
  }
  return total;
}

/// Times of all samples, by their total.
static Expected<std::vector<PtxCompileTimes>> sample(PtxCompiler &compiler, const std::string &text,
                                                     int samples) {
  std::vector<PtxCompileTimes> times;
  for (int i = 0; i < samples; ++i) {
    ZYXC_ASSIGN(PtxKernel kernel, compiler.compile(text));
    times.push_back(kernel.times);
  }
  std::sort(times.begin(), times.end(), [](const PtxCompileTimes &a, const PtxCompileTimes &b) {
    return totalOf(a) < totalOf(b);
  });
  return times;
}

static void print(const KernelLine &line, const std::string &name,
                  const std::vector<PtxCompileTimes> &times) {
  const PtxCompileTimes &least = times.front();
  double median = totalOf(times[times.size() / 2]);
  std::vector<std::string> parts;
  for (const Step &step : steps) {
    parts.push_back(line.tsv ? fmt::format("{:.2f}", least.*step.time)
                             : fmt::format("{} {:.1f}", step.name, least.*step.time));
  }
  if (line.tsv) {
    fmt::print("{}\t{}\t{:.2f}\t{:.2f}\t{}\n", name, line.target, totalOf(least), median,
               fmt::join(parts, "\t"));
    return;
  }
  fmt::print("{}: least {:.1f} ms, median {:.1f} ms; {}\n", name, totalOf(least), median,
             fmt::join(parts, ", "));
}

Status timeCompilation(const KernelLine &line) {
  std::optional<Target> target = findTarget(line.target);
  if (!target || target->kind != TargetKind::Ptx) {
    return makeError(ErrorCode::Unsupported,
                     "--target={}: the steps of NVIDIA GPUs (sm_90a, ..) are timed", line.target);
  }
  PtxOptions options;
  options.architecture = line.assembleFor;
  ZYXC_ASSIGN(KernelFile file, KernelFile::load(line.file));
  ZYXC_ASSIGN(std::vector<KernelOp> kernels, file.kernels(line.kernel));
  ZYXC_ASSIGN(auto compiler, PtxCompiler::create(*target, options));
  if (line.tsv) {
    fmt::print("kernel\ttarget\tleast_ms\tmedian_ms");
    for (const Step &step : steps) {
      fmt::print("\t{}", step.name);
    }
    fmt::print("\n");
  }
  for (KernelOp kernel : kernels) {
    ZYXC_RETURN_IF_ERROR(file.setSchedule(kernel, line.schedule));
    ZYXC_ASSIGN(DimValues dims, givenDims(kernel, line.dims));
    ZYXC_ASSIGN(BoundKernel bound, file.bind(kernel, dims));
    std::string name = "@" + kernel.getSymName().str();
    name += dims.empty() ? "" : " " + describeDims(kernel, dims);
    // Compiled once before: at first dialects and the code generator are loaded.
    auto first = compiler->compile(bound.text);
    if (!first) {
      return std::move(first).error().withContext(fmt::format("{}: {}", line.file, name));
    }
    ZYXC_ASSIGN(std::vector<PtxCompileTimes> times, sample(*compiler, bound.text, line.repeat));
    print(line, name, times);
  }
  return Status::ok();
}

} // namespace zyxc::tool

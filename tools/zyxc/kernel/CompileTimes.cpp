// `zyxc kernel compile`: where the time from a kernel's text to machine code goes.
#include "compiler/codegen/cpu/HostCompiler.h"
#include "compiler/codegen/cuda/Assembler.h"
#include "compiler/codegen/cuda/PtxCompiler.h"
#include "runtime/devices/cuda/CudaDevice.h"
#include "tools/zyxc/kernel/DimGrid.h"
#include "tools/zyxc/kernel/KernelCommand.h"
#include "tools/zyxc/kernel/KernelFile.h"
#include "tools/zyxc/kernel/targets/KernelRunner.h"
#include <algorithm>
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <functional>
#include <numeric>

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc::tool {

namespace {

/// One compilation: the milliseconds of each step, and what else the report says of the code.
struct Sample {
  std::vector<double> steps;
  std::string size;
  double total() const { return std::accumulate(steps.begin(), steps.end(), 0.0); }
};

/// Compiles texts for one target.
struct StepTimer {
  std::vector<std::string_view> steps; ///< their names, in order
  std::function<Expected<Sample>(const std::string &text)> compile;
};

/// A step by its name, and where a compiler counts its time.
template <class Times> struct Step {
  std::string_view name;
  double Times::*time;
};

} // namespace

static constexpr Step<PtxCompileTimes> ptxSteps[] = {
    {"parse", &PtxCompileTimes::parse},       {"lower", &PtxCompileTimes::lower},
    {"convert", &PtxCompileTimes::convert},   {"translate", &PtxCompileTimes::translate},
    {"optimize", &PtxCompileTimes::optimize}, {"emit", &PtxCompileTimes::emit},
    {"assemble", &PtxCompileTimes::assemble},
};

static constexpr Step<HostCompileTimes> hostSteps[] = {
    {"parse", &HostCompileTimes::parse},       {"lower", &HostCompileTimes::lower},
    {"convert", &HostCompileTimes::convert},   {"translate", &HostCompileTimes::translate},
    {"optimize", &HostCompileTimes::optimize}, {"emit", &HostCompileTimes::emit},
    {"link", &HostCompileTimes::link},
};

template <class Times, size_t size>
static std::vector<std::string_view> namesOf(const Step<Times> (&steps)[size]) {
  std::vector<std::string_view> names;
  for (const Step<Times> &step : steps) {
    names.push_back(step.name);
  }
  return names;
}

/// The times of each step between two states of the counters.
template <class Times, size_t size>
static std::vector<double> timesBetween(const Step<Times> (&steps)[size], const Times &before,
                                        const Times &after) {
  std::vector<double> times;
  for (const Step<Times> &step : steps) {
    times.push_back(after.*step.time - before.*step.time);
  }
  return times;
}

/// A Usage error if ptxas takes no code of a target for another architecture.
static Status checkAssembles(const Target &target, const std::string &assembleFor) {
  CudaToolkit toolkit = CudaToolkit::find();
  if (assembleFor.empty() || toolkit.ptxas.empty()) {
    return Status::ok();
  }
  std::string empty = fmt::format(".version 8.0\n.target {}\n.address_size 64\n", target.name);
  ZYXC_ASSIGN(auto assembler, Assembler::start(toolkit, assembleFor));
  if (auto image = assembler->assemble(empty); !image) {
    return makeError(ErrorCode::Usage,
                     "--assemble-for={}: code for --target={} does not assemble for it: {}",
                     assembleFor, target.name, image.error().message());
  }
  return Status::ok();
}

static Expected<StepTimer> openPtx(const Target &target, const std::string &assembleFor) {
  ZYXC_RETURN_IF_ERROR(checkAssembles(target, assembleFor));
  PtxOptions options;
  options.architecture = assembleFor;
  ZYXC_ASSIGN(std::shared_ptr<PtxCompiler> compiler, PtxCompiler::create(target, options));
  auto compile = [compiler](const std::string &text) -> Expected<Sample> {
    ZYXC_ASSIGN(PtxKernel kernel, compiler->compile(text));
    return Sample{timesBetween(ptxSteps, {}, kernel.times), ""};
  };
  return StepTimer{namesOf(ptxSteps), compile};
}

static Expected<StepTimer> openHost(const std::string &name) {
  ZYXC_ASSIGN(HostTarget target, HostTarget::named(name));
  ZYXC_ASSIGN(std::shared_ptr<HostCompiler> compiler, HostCompiler::create(target));
  auto compile = [compiler](const std::string &text) -> Expected<Sample> {
    HostCompileTimes before = compiler->times();
    ZYXC_ASSIGN(std::vector<CompiledKernel> kernels, compiler->compile(std::span(&text, 1), 1));
    const CompiledKernel &kernel = kernels.front();
    return Sample{timesBetween(hostSteps, before, compiler->times()),
                  fmt::format("; {} instructions of LLVM, {} bytes of code", kernel.numInstructions,
                              kernel.object->size())};
  };
  return StepTimer{namesOf(hostSteps), compile};
}

static Expected<StepTimer> openTimer(const KernelLine &line) {
  std::optional<Target> target = findTarget(line.target);
  if (target && target->kind == TargetKind::Host) {
    return openHost(line.target);
  }
  if (target && target->kind == TargetKind::Ptx) {
    return openPtx(*target, line.assembleFor);
  }
  return makeError(ErrorCode::Unsupported,
                   "--target={}: the steps of the host and of NVIDIA GPUs (sm_90a, ..) are timed",
                   line.target);
}

/// Times of all samples, by their total.
static Expected<std::vector<Sample>> sample(const StepTimer &timer, const std::string &text,
                                            int count) {
  std::vector<Sample> samples;
  for (int i = 0; i < count; ++i) {
    ZYXC_ASSIGN(Sample next, timer.compile(text));
    samples.push_back(std::move(next));
  }
  std::sort(samples.begin(), samples.end(),
            [](const Sample &a, const Sample &b) { return a.total() < b.total(); });
  return samples;
}

static void print(const KernelLine &line, const std::string &name, const StepTimer &timer,
                  const std::vector<Sample> &samples) {
  const Sample &least = samples.front();
  double median = samples[samples.size() / 2].total();
  std::vector<std::string> parts;
  parts.reserve(timer.steps.size());
  for (size_t i = 0; i < timer.steps.size(); ++i) {
    parts.push_back(line.tsv ? fmt::format("{:.2f}", least.steps[i])
                             : fmt::format("{} {:.1f}", timer.steps[i], least.steps[i]));
  }
  if (line.tsv) {
    fmt::print("{}\t{}\t{:.2f}\t{:.2f}\t{}\n", name, line.target, least.total(), median,
               fmt::join(parts, "\t"));
    return;
  }
  fmt::print("{}: least {:.1f} ms, median {:.1f} ms; {}{}\n", name, least.total(), median,
             fmt::join(parts, ", "), least.size);
}

Status timeCompilation(const KernelLine &line) {
  ZYXC_ASSIGN(StepTimer timer, openTimer(line));
  ZYXC_ASSIGN(KernelFile file, KernelFile::load(line.file));
  ZYXC_ASSIGN(std::vector<KernelOp> kernels, file.kernels(line.kernel));
  if (line.tsv) {
    fmt::print("kernel\ttarget\tleast_ms\tmedian_ms\t{}\n", fmt::join(timer.steps, "\t"));
  }
  for (KernelOp kernel : kernels) {
    ZYXC_RETURN_IF_ERROR(file.setSchedule(kernel, line.schedule));
    ZYXC_ASSIGN(DimValues dims, givenDims(kernel, line.dims));
    ZYXC_ASSIGN(BoundKernel bound, file.bind(kernel, dims));
    std::string name = "@" + kernel.getSymName().str();
    name += dims.empty() ? "" : " " + describeDims(kernel, dims);
    // Compiled once before: at first dialects and the code generator are loaded.
    auto first = timer.compile(bound.text);
    if (!first) {
      return makeError(first.error().code(), "{}: {}: {}", line.file, name,
                       withoutKernel(first.error().message()));
    }
    ZYXC_ASSIGN(std::vector<Sample> samples, sample(timer, bound.text, line.repeat));
    print(line, name, timer, samples);
  }
  return Status::ok();
}

} // namespace zyxc::tool

#include "compiler/driver/CustomUses.h"
#include "compiler/driver/LoadCompiled.h"
#include "tools/zyxc/Commands.h"
#include "tools/zyxc/Results.h"
#include "tools/zyxc/compare/Compare.h"
#include "tools/zyxc/run/Inputs.h"
#include "tools/zyxc/run/Progress.h"
#include <fmt/core.h>

namespace zyxc::tool {

/// Where the target runs; null: the host.
using Device = std::shared_ptr<rt::GpuDevice>;

/// Runs the model on the target that is verified.
static Expected<std::vector<Tensor>> runTarget(const Model &model, std::span<const Tensor> inputs,
                                               const CommandLine &line, const Device &device) {
  ZYXC_ASSIGN(Compiled compiled, compileGuarded(model, line));
  rt::ExecutorOptions options{
      line.compile.threads, line.compile.memoryLimit, {}, line.libraries, line.blas};
  ZYXC_ASSIGN(auto executor, loadCompiled(compiled, options, device));
  return executedResults(*executor, inputs);
}

static Status compareAll(const Model &model, const CommandLine &line,
                         const std::vector<Tensor> &actual, const std::vector<Tensor> &expected,
                         std::string_view what) {
  double largest = 0;
  std::vector<std::string> names = resultNames(model, what);
  Tolerance tolerance = toleranceOf(line);
  for (size_t i = 0; i < names.size(); ++i) {
    ElementDifference comparison = compareTensors(actual[i], expected[i], tolerance);
    if (comparison.mismatches) {
      return makeError(ErrorCode::Verification, "{}: {} {} ({} against the interpreter)",
                       line.model, names[i], comparison.text, line.target);
    }
    largest = std::max(largest, comparison.largest);
  }
  fmt::print("verified {} {}s of {} on {}: all agree with the interpreter ({}, largest "
             "difference {:.3g})\n",
             names.size(), what, line.model, line.target, describe(tolerance), largest);
  return Status::ok();
}

static Status verifyModel(const Model &model, std::span<const Tensor> inputs,
                          const CommandLine &line, const Device &device, std::string_view what) {
  std::vector<Tensor> expected;
  {
    Progress progress("interpreting");
    ZYXC_ASSIGN(expected, interpretedResults(model, inputs, line.compile.memoryLimit));
  }
  ZYXC_ASSIGN(std::vector<Tensor> actual, runTarget(model, inputs, line, device));
  return compareAll(model, line, actual, expected, what);
}

/// Custom kernels beside their decompositions, each alone, on random operands: in the model another
/// candidate may have been cheaper, and what follows may hide an element. On the host only where
/// libraries are given.
static Status verifyCustomKernels(const Model &model, const CommandLine &line,
                                  const Device &device) {
  if (!device && line.libraries.empty()) {
    return Status::ok();
  }
  CustomSource::Target target = !device                           ? CustomSource::Target::Host
                                : line.target.starts_with("cuda") ? CustomSource::Target::Cuda
                                                                  : CustomSource::Target::Vulkan;
  ZYXC_ASSIGN(std::vector<CustomUse> uses, customUses(model, target));
  for (const CustomUse &use : uses) {
    std::vector<std::optional<Tensor>> none(use.model.inputs().size());
    ZYXC_ASSIGN(std::vector<Tensor> operands, makeInputs(use.model.inputs(), none, {}, line.seed));
    ZYXC_ASSIGN(std::vector<Tensor> expected,
                use.model.interpret(operands, line.compile.memoryLimit));
    ZYXC_ASSIGN(std::vector<Tensor> actual, runTarget(use.model, operands, line, device));
    for (size_t i = 0; i < expected.size(); ++i) {
      ElementDifference difference = compareTensors(actual[i], expected[i], toleranceOf(line));
      if (difference.mismatches) {
        return makeError(ErrorCode::Verification, "{}: result {} {} ({} against its decomposition)",
                         use.name, i, difference.text, line.target);
      }
    }
    fmt::print("verified {} on {}: it agrees with its decomposition\n", use.name, line.target);
  }
  return Status::ok();
}

Status verifyCommand(const CommandLine &line) {
  if (line.target == "interp") {
    return makeError(ErrorCode::Usage, "--target=interp: the interpreter is what targets are "
                                       "compared with; use --target=cpu");
  }
  if (isPlanFile(line.model)) {
    return makeError(ErrorCode::Usage, "{} is compiled already: give the model that it was made of",
                     line.model);
  }
  CommandLine here = line;
  ZYXC_ASSIGN(Device device, openTarget(here));
  if (line.open && line.perNode) {
    return makeError(ErrorCode::Usage, "--open and --per-node cannot be given together");
  }
  if (line.open && device) {
    return makeError(ErrorCode::Usage, "--open: code for GPUs needs sizes: use --target=cpu");
  }
  if (line.open) {
    return namingModel(verifyOpen(line), line);
  }
  ZYXC_ASSIGN(Job job, prepareJob(line));
  if (Status status = verifyCustomKernels(job.model, here, device); !status.isOk()) {
    return namingModel(std::move(status), line);
  }
  // The fused plan first: that is what a user runs. With node outputs every value is stored, so
  // the first node that differs can be named.
  if (Status status = verifyModel(job.model, job.inputs, here, device, "output"); !status.isOk()) {
    return namingModel(std::move(status), line);
  }
  if (!line.perNode) {
    return Status::ok();
  }
  ZYXC_ASSIGN(Model perNode, job.model.withNodeOutputs());
  return namingModel(verifyModel(perNode, job.inputs, here, device, "node"), line);
}

} // namespace zyxc::tool

#include "tools/zyxc/run/RunPlanFile.h"
#include "runtime/devices/open/OpenGpu.h"
#include "runtime/exec/Executor.h"
#include "runtime/exec/GpuExecutor.h"
#include "runtime/plan/BindPlan.h"
#include "runtime/plan/PlanFile.h"
#include "runtime/support/Stopwatch.h"
#include "tools/zyxc/run/Inputs.h"
#include "tools/zyxc/run/Outputs.h"

namespace zyxc::tool {

/// An error of the plan, with its file named.
static Status namingPlan(Status status, const RunOptions &run) {
  bool named = status.isOk() || status.message().starts_with(run.model);
  bool ofCommandLine = status.code() == ErrorCode::Usage;
  return named || ofCommandLine ? status : std::move(status).withContext(run.model);
}

/// The values of all inputs. Those that are given as files, and --dim, say what symbolic sizes are.
static Expected<std::vector<Tensor>> inputsOf(const rt::Plan &plan, const RunOptions &run) {
  ZYXC_ASSIGN(auto specs, resolveNames(run.inputs, namesOf(plan.inputs), "input"));
  ZYXC_ASSIGN(auto given, readInputs(plan.inputs, specs, run.files));
  std::vector<std::optional<Shape>> shapes;
  for (const std::optional<Tensor> &tensor : given) {
    shapes.push_back(tensor ? std::optional(tensor->shape()) : std::nullopt);
  }
  ZYXC_ASSIGN(dim::Bindings sizes, rt::solveSizes(plan, shapes, run.dims));
  ZYXC_ASSIGN(std::vector<rt::NamedType> inputs, rt::bindTypes(plan.inputs, sizes));
  ZYXC_RETURN_IF_ERROR(
      namingPlan(rt::checkMemory(bytesOf(inputs), run.memoryLimit, "holding the inputs"), run));
  return makeInputs(inputs, given, specs, run.seed);
}

namespace {

/// The program of a file that runs, and what it runs on.
struct Chosen {
  size_t target = 0;
  std::shared_ptr<rt::GpuDevice> device; ///< null: the host
};

} // namespace

/// What to do where a device is missing: run the code for the host, if the file has some.
static std::string remedyOf(const rt::PlanFile &file) {
  return file.has(rt::PlanKind::X86)
             ? "use --target=cpu, for which the file has code, too"
             : fmt::format("the file has code for {} alone: run it where there is such a device, "
                           "or compile the model with --target=cpu, too",
                           file.names());
}

/// The program that a GPU runs, by the name of its target.
static Expected<Chosen> chooseOnGpu(const rt::PlanFile &file, std::string_view name,
                                    const RunOptions &run) {
  std::string remedy = remedyOf(file);
  auto opened = rt::openGpu(name, {run.validate, run.simulate, remedy});
  if (!opened) {
    return namingPlan(std::move(opened).error(), run);
  }
  std::shared_ptr<rt::GpuDevice> device = *std::move(opened);
  ZYXC_ASSIGN(size_t target, file.choose(device->info(), name));
  return Chosen{target, std::move(device)};
}

/// The program that --target names. Without it that of the host, and in a file that has none the
/// first one whose device is here.
static Expected<Chosen> chooseProgram(const rt::PlanFile &file, const RunOptions &run) {
  if (rt::isGpuTarget(run.target)) {
    return chooseOnGpu(file, run.target, run);
  }
  if (!run.target.empty() || file.has(rt::PlanKind::X86)) {
    ZYXC_RETURN_IF_ERROR(checkGpuOptions(run));
    std::string name = run.target == "cpu" ? "" : run.target;
    ZYXC_ASSIGN(size_t target, file.choose(CpuFeatures::detect(), name));
    return Chosen{target, nullptr};
  }
  Status missing;
  for (size_t i = 0; i < file.numTargets(); ++i) {
    auto chosen = chooseOnGpu(file, file.target(i).name, run);
    if (chosen) {
      return chosen;
    }
    missing = missing.isOk() ? std::move(chosen).error() : missing;
  }
  return missing;
}

/// The program with its code, memory and constants where it runs; it uses the file's pages.
static Expected<std::unique_ptr<rt::Runner>>
loadChosen(const rt::PlanFile &file, const Chosen &chosen, const RunOptions &run) {
  if (chosen.device) {
    ZYXC_ASSIGN(rt::GpuPlan plan, file.loadGpu(chosen.target, chosen.device->info()));
    ZYXC_ASSIGN(auto runner,
                rt::GpuExecutor::load(std::move(plan), chosen.device, run.memoryLimit));
    return std::unique_ptr<rt::Runner>(std::move(runner));
  }
  ZYXC_ASSIGN(rt::LoadedPlan loaded, file.load(chosen.target));
  ZYXC_ASSIGN(auto runner,
              rt::Executor::load(std::move(loaded.plan), {run.threads, run.memoryLimit, run.dims,
                                                          run.libraries, run.blas}));
  return std::unique_ptr<rt::Runner>(std::move(runner));
}

Status runPlanFile(const RunOptions &run) {
  double loadTime = 0;
  std::optional<rt::PlanFile> file;
  Chosen chosen;
  {
    Stopwatch watch(loadTime);
    ZYXC_ASSIGN(file, rt::PlanFile::open(run.model));
    ZYXC_ASSIGN(chosen, chooseProgram(*file, run));
  }
  ZYXC_ASSIGN(Outputs outputs, Outputs::of(run, file->outputs(), file->inputs()));
  ZYXC_ASSIGN(std::vector<Tensor> inputs, inputsOf(file->plan(chosen.target), run));
  std::unique_ptr<rt::Runner> runner;
  {
    Stopwatch watch(loadTime);
    auto loaded = loadChosen(*file, chosen, run);
    if (!loaded) {
      return namingPlan(std::move(loaded).error(), run);
    }
    runner = *std::move(loaded);
  }
  if (run.showPlan) {
    fmt::print("{}", runner->plan().toText());
  }
  auto ran = runPlan(*runner, inputs, run);
  if (!ran) {
    return namingPlan(std::move(ran).error(), run);
  }
  Runs runs = *std::move(ran);
  std::string name = file->target(chosen.target).name;
  fmt::print("load: {:.3f} ms, {}, {} kernels, {} launches\n", loadTime,
             chosen.device ? name + " on " + chosen.device->info().name : name,
             runner->plan().kernels.size(), runner->plan().steps.size());
  outputs.printWritten();
  printRunTimes(std::move(runs.milliseconds));
  if (run.timeSteps) {
    printKernelTimes(*runner);
  }
  return outputs.deliver(std::move(runs.outputs), inputs);
}

} // namespace zyxc::tool

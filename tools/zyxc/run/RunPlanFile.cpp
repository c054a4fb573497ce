#include "tools/zyxc/run/RunPlanFile.h"
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

Status runPlanFile(const RunOptions &run) {
  double loadTime = 0;
  std::optional<rt::PlanFile> file;
  rt::LoadedPlan loaded;
  size_t target = 0;
  {
    Stopwatch watch(loadTime);
    ZYXC_ASSIGN(file, rt::PlanFile::open(run.model));
    std::string name = run.target == "cpu" ? "" : run.target;
    ZYXC_ASSIGN(target, file->choose(CpuFeatures::detect(), name));
    ZYXC_ASSIGN(loaded, file->load(target));
  }
  ZYXC_ASSIGN(Outputs outputs, Outputs::of(run, file->outputs()));
  ZYXC_ASSIGN(std::vector<Tensor> inputs, inputsOf(loaded.plan, run));
  std::unique_ptr<rt::Executor> executor;
  {
    Stopwatch watch(loadTime);
    auto prepared =
        rt::Executor::load(std::move(loaded.plan), {run.threads, run.memoryLimit, run.dims});
    if (!prepared) {
      return namingPlan(std::move(prepared).error(), run);
    }
    executor = *std::move(prepared);
  }
  if (run.showPlan) {
    fmt::print("{}", executor->plan().toText());
  }
  auto ran = runPlan(*executor, inputs, run);
  if (!ran) {
    return namingPlan(std::move(ran).error(), run);
  }
  Runs runs = *std::move(ran);
  fmt::print("load: {:.3f} ms, {}, {} kernels, {} launches\n", loadTime, file->target(target).name,
             executor->plan().kernels.size(), executor->plan().steps.size());
  printRunTimes(std::move(runs.milliseconds));
  if (run.timeSteps) {
    printKernelTimes(*executor);
  }
  return outputs.deliver(runs.outputs);
}

} // namespace zyxc::tool

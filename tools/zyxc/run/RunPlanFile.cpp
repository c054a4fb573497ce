#include "tools/zyxc/run/RunPlanFile.h"
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
  ZYXC_ASSIGN(auto specs, resolveNames(run.inputs, namesOf(file->inputs()), "input"));
  ZYXC_ASSIGN(Outputs outputs, Outputs::of(run, file->outputs()));
  ZYXC_RETURN_IF_ERROR(namingPlan(
      rt::checkMemory(bytesOf(file->inputs()), run.memoryLimit, "holding the inputs"), run));
  ZYXC_ASSIGN(std::vector<Tensor> inputs, makeInputs(file->inputs(), specs, run.seed, run.files));
  std::unique_ptr<rt::Executor> executor;
  {
    Stopwatch watch(loadTime);
    auto prepared = rt::Executor::load(std::move(loaded.plan), {run.threads, run.memoryLimit});
    if (!prepared) {
      return namingPlan(std::move(prepared).error(), run);
    }
    executor = *std::move(prepared);
  }
  if (run.showPlan) {
    fmt::print("{}", executor->plan().toText());
  }
  ZYXC_ASSIGN(Runs runs, runPlan(*executor, inputs, run));
  fmt::print("load: {:.3f} ms, {}, {} kernels, {} launches\n", loadTime, file->target(target).name,
             executor->plan().kernels.size(), executor->plan().steps.size());
  printRunTimes(std::move(runs.milliseconds));
  if (run.timeSteps) {
    printKernelTimes(*executor);
  }
  return outputs.deliver(runs.outputs);
}

} // namespace zyxc::tool

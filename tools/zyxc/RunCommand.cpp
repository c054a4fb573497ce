#include "compiler/driver/LoadCompiled.h"
#include "tools/zyxc/Commands.h"
#include "tools/zyxc/run/Outputs.h"
#include "tools/zyxc/run/Progress.h"
#include "tools/zyxc/run/RunPlanFile.h"
#include <algorithm>
#include <chrono>
#include <fmt/core.h>

namespace zyxc::tool {

using Clock = std::chrono::steady_clock;

static double millisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// The model is read once, whatever it is compiled for.
static bool isBefore(const StepTiming &step) {
  return step.step == "import";
}

void printCompileTimes(const Compiled &compiled) {
  for (const StepTiming &step : compiled.timings) {
    fmt::print("  {:12} {:9.3f} ms{}\n", step.step, step.seconds * 1e3,
               isBefore(step) ? ", before it" : "");
  }
}

/// Milliseconds of all steps from the model in memory on.
static double compiledIn(const Compiled &compiled) {
  double sum = 0;
  for (const StepTiming &step : compiled.timings) {
    sum += isBefore(step) ? 0 : step.seconds * 1e3;
  }
  return sum;
}

/// Runs on the reference interpreter; written inputs become what they are after the run.
static Expected<std::vector<Tensor>> runInterpreter(Job &job, const CommandLine &line) {
  Progress progress("interpreting");
  std::vector<double> times;
  std::vector<Tensor> outputs;
  for (int i = 0; i < line.repeat; ++i) {
    auto start = Clock::now();
    std::vector<Tensor> contents;
    ZYXC_ASSIGN(outputs, job.model.interpret(job.inputs, line.compile.memoryLimit, {}, &contents));
    job.inputs = std::move(contents);
    times.push_back(millisecondsSince(start));
  }
  if (line.repeat > 1 || line.timing) {
    printRunTimes(times);
  }
  return outputs;
}

/// Compiles and runs; nothing is returned in `outputs` when --stop-after ended the pipeline.
static Status runCompiled(const Job &job, const CommandLine &line, const Outputs &wanted,
                          std::vector<Tensor> &outputs) {
  CommandLine here = line;
  ZYXC_ASSIGN(auto device, openTarget(here));
  auto start = Clock::now();
  ZYXC_ASSIGN(Compiled compiled, compileGuarded(job.model, here));
  if (!compiled.finished) {
    return Status::ok();
  }
  auto loadStart = Clock::now();
  rt::ExecutorOptions options{line.threads, line.memoryLimit, {}, line.libraries, line.blas};
  ZYXC_ASSIGN(auto executor, loadCompiled(compiled, options, device));
  compiled.timings.push_back({"load", millisecondsSince(loadStart) * 1e-3});
  double compileTime = millisecondsSince(start);
  if (line.showPlan) {
    fmt::print("{}", compiled.planText);
  }
  if (line.compile.explain) {
    fmt::print("{}", explain::toText(compiled.explanation));
  }
  ZYXC_ASSIGN(Runs runs, runPlan(*executor, job.inputs, line));
  outputs = std::move(runs.outputs);
  fmt::print("compile: {:.3f} ms, {} kernels, {} launches\n", compileTime,
             compiled.plan.kernels.size(), compiled.plan.steps.size());
  if (line.timing) {
    printCompileTimes(compiled);
    fmt::print("  {:12} {:9.3f} ms\n", "other", compileTime - compiledIn(compiled));
  }
  wanted.printWritten();
  printRunTimes(std::move(runs.milliseconds));
  if (line.timeSteps) {
    printKernelTimes(*executor);
  }
  return Status::ok();
}

/// A plan takes the options of runs only.
static Status runSavedPlan(const CommandLine &line) {
  RunOptions run = line;
  std::vector<Option> taken = runOptions(run);
  for (std::string_view name : line.given) {
    if (std::none_of(taken.begin(), taken.end(), [&](const Option &o) { return o.name == name; })) {
      return makeError(ErrorCode::Usage,
                       "--{}: it is about how a model is compiled, which {} is already: give the "
                       "model that it was made of",
                       name, line.model);
    }
  }
  if (line.target == "interp") {
    return makeError(ErrorCode::Usage,
                     "--target=interp: {} holds machine code: give the model that "
                     "it was made of",
                     line.model);
  }
  return runPlanFile(run);
}

/// The interpreter compiles nothing: options about that would be ignored.
static Status checkInterpreterOptions(const CommandLine &line) {
  for (std::string_view name : {"plan", "explain", "explain-rules", "time-kernels", "stop-after",
                                "dump-after", "disable", "validate", "simulate", "rules"}) {
    if (isGiven(line, name)) {
      return makeError(ErrorCode::Usage,
                       "--{}: --target=interp compiles nothing: leave out one of the two", name);
    }
  }
  return Status::ok();
}

Status runCommand(const CommandLine &line) {
  if (isPlanFile(line.model)) {
    return runSavedPlan(line);
  }
  if (line.target == "interp") {
    ZYXC_RETURN_IF_ERROR(checkInterpreterOptions(line));
  }
  ZYXC_ASSIGN(Job job, prepareJob(line));
  ZYXC_ASSIGN(Outputs wanted, Outputs::of(line, job.model.outputs(), job.model.inputs()));
  std::vector<Tensor> outputs;
  if (line.target == "interp") {
    auto interpreted = runInterpreter(job, line);
    if (!interpreted) {
      return namingModel(std::move(interpreted).error(), line);
    }
    outputs = *std::move(interpreted);
  } else {
    if (Status status = runCompiled(job, line, wanted, outputs); !status.isOk()) {
      return namingModel(std::move(status), line);
    }
    if (outputs.empty()) {
      return Status::ok(); // stopped on purpose
    }
  }
  return wanted.deliver(std::move(outputs), job.inputs);
}

} // namespace zyxc::tool

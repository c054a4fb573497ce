#include "runtime/exec/Executor.h"
#include "tools/zyxc/Commands.h"
#include "tools/zyxc/Inputs.h"
#include "tools/zyxc/PrintTensor.h"
#include "tools/zyxc/Progress.h"
#include "tools/zyxc/compare/Compare.h"
#include <algorithm>
#include <chrono>
#include <fmt/core.h>
#include <numeric>

namespace zyxc::tool {

using Clock = std::chrono::steady_clock;

static double millisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

static void printRunTimes(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  double sum = std::accumulate(times.begin(), times.end(), 0.0);
  fmt::print("run: min {:.3f} ms, median {:.3f} ms, mean {:.3f} ms over {} runs\n", times.front(),
             times[times.size() / 2], sum / static_cast<double>(times.size()), times.size());
}

static void printCompileTimes(const Compiled &compiled) {
  for (const StepTiming &step : compiled.timings) {
    fmt::print("  {:12} {:9.3f} ms\n", step.step, step.seconds * 1e3);
  }
}

static void printKernelTimes(const rt::Executor &executor) {
  double total = 0;
  for (const rt::StepTime &step : executor.stepTimes()) {
    total += step.seconds / static_cast<double>(std::max<int64_t>(step.runs, 1));
  }
  for (const rt::StepTime &step : executor.stepTimes()) {
    double seconds = step.seconds / static_cast<double>(std::max<int64_t>(step.runs, 1));
    fmt::print("  {:9.3f} ms {:5.1f} %  {:28} {}\n", seconds * 1e3,
               total > 0 ? 100 * seconds / total : 0, step.kernel, step.label);
  }
}

/// Runs on the reference interpreter.
static Expected<std::vector<Tensor>> runInterpreter(const Job &job, const CommandLine &line) {
  Progress progress("interpreting");
  std::vector<double> times;
  std::vector<Tensor> outputs;
  for (int i = 0; i < line.repeat; ++i) {
    auto start = Clock::now();
    ZYXC_ASSIGN(outputs, job.model.interpret(job.inputs, line.compile.memoryLimit));
    times.push_back(millisecondsSince(start));
  }
  if (line.repeat > 1 || line.timing) {
    printRunTimes(times);
  }
  return outputs;
}

/// Compiles and runs; nothing is returned in `outputs` when --stop-after ended the pipeline.
static Status runCompiled(const Job &job, const CommandLine &line, std::vector<Tensor> &outputs) {
  auto start = Clock::now();
  ZYXC_ASSIGN(Compiled compiled, compileGuarded(job.model, line));
  if (!compiled.finished) {
    return Status::ok();
  }
  ZYXC_ASSIGN(auto executor,
              rt::Executor::load(compiled.plan, {line.compile.threads, line.compile.memoryLimit}));
  double compileTime = millisecondsSince(start);
  if (line.showPlan) {
    fmt::print("{}", compiled.planText);
  }
  if (line.explain) {
    fmt::print("{}", compiled.explanation);
  }
  std::vector<double> times;
  for (int i = 0; i < line.repeat; ++i) {
    auto runStart = Clock::now();
    ZYXC_ASSIGN(outputs,
                line.timeSteps ? executor->runTimed(job.inputs) : executor->run(job.inputs));
    times.push_back(millisecondsSince(runStart));
  }
  fmt::print("compile: {:.3f} ms, {} kernels, {} launches\n", compileTime,
             compiled.plan.kernels.size(), compiled.plan.steps.size());
  if (line.timing) {
    printCompileTimes(compiled);
  }
  printRunTimes(times);
  if (line.timeSteps) {
    printKernelTimes(*executor);
  }
  return Status::ok();
}

static Status checkExpected(const Job &job, const CommandLine &line,
                            const std::vector<Tensor> &outputs,
                            const std::map<std::string, std::string> &expects) {
  std::string failures;
  std::vector<rt::NamedType> types = job.model.outputs();
  for (size_t i = 0; i < types.size(); ++i) {
    auto expected = expects.find(types[i].name);
    if (expected == expects.end()) {
      continue;
    }
    ZYXC_ASSIGN(Tensor tensor, readTensorFile(expected->second, types[i].type.dtype));
    ElementDifference comparison = compareTensors(outputs[i], tensor, {line.rtol, line.atol});
    if (comparison.mismatches) {
      failures += fmt::format("{}output {} {}", failures.empty() ? "" : "; ", types[i].name,
                              comparison.text);
    } else {
      fmt::print("output {} as expected (largest difference {:.3g})\n", types[i].name,
                 comparison.largest);
    }
  }
  return failures.empty() ? Status::ok()
                          : makeError(ErrorCode::Mismatch, "{}: {}", line.model, failures);
}

Status runCommand(const CommandLine &line) {
  ZYXC_ASSIGN(Job job, prepareJob(line));
  std::vector<std::string> names;
  for (const rt::NamedType &output : job.model.outputs()) {
    names.push_back(output.name);
  }
  ZYXC_ASSIGN(auto expects, resolveNames(line.expects, names, "output"));
  ZYXC_ASSIGN(auto saves, resolveNames(line.saves, names, "output"));
  std::vector<Tensor> outputs;
  if (line.target == "interp") {
    auto interpreted = runInterpreter(job, line);
    if (!interpreted) {
      return namingModel(std::move(interpreted).error(), line);
    }
    outputs = *std::move(interpreted);
  } else {
    if (Status status = runCompiled(job, line, outputs); !status.isOk()) {
      return namingModel(std::move(status), line);
    }
    if (outputs.empty()) {
      return Status::ok(); // stopped on purpose
    }
  }
  // Files first: they are written even when nobody reads what is printed.
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (auto save = saves.find(names[i]); save != saves.end()) {
      bool marked = save->second.starts_with("@");
      ZYXC_RETURN_IF_ERROR(
          writeTensorFile(save->second.substr(marked ? 1 : 0), names[i], outputs[i]));
    }
  }
  for (size_t i = 0; i < outputs.size() && !line.quiet; ++i) {
    fmt::print("{}: {}\n{}\n", names[i], toString(outputs[i].type()), formatTensor(outputs[i]));
  }
  return checkExpected(job, line, outputs, expects);
}

} // namespace zyxc::tool

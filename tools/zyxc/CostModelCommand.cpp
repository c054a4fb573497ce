#include "compiler/driver/LoadCompiled.h"
#include "runtime/support/File.h"
#include "tools/zyxc/Commands.h"
#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <numeric>

namespace zyxc::tool {

namespace {

/// One launch of the plan.
struct Launch {
  std::string kernel;
  std::string label;
  double estimated = 0; ///< seconds
  double measured = 0;  ///< the least of all runs
  MeasurableProgram program = {};
};

struct Measured {
  std::string target;
  std::vector<Launch> launches;
};

} // namespace

/// Ranks from 1 on; equal values share the mean of theirs.
static std::vector<double> ranksOf(const std::vector<double> &values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (size_t first = 0; first < order.size();) {
    size_t end = first;
    while (end < order.size() && values[order[end]] == values[order[first]]) {
      ++end;
    }
    for (size_t i = first; i < end; ++i) {
      ranks[order[i]] = static_cast<double>(first + end + 1) / 2;
    }
    first = end;
  }
  return ranks;
}

/// Spearman's rank correlation: Pearson's of the ranks. 1 where one of them has no order.
static double rankCorrelation(const std::vector<double> &x, const std::vector<double> &y) {
  std::vector<double> a = ranksOf(x);
  std::vector<double> b = ranksOf(y);
  double mean = static_cast<double>(a.size() + 1) / 2;
  double ab = 0;
  double aa = 0;
  double bb = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean) * (b[i] - mean);
    aa += (a[i] - mean) * (a[i] - mean);
    bb += (b[i] - mean) * (b[i] - mean);
  }
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 1;
}

static Expected<Measured> measure(const Job &job, const CommandLine &line) {
  CommandLine here = line;
  ZYXC_ASSIGN(auto device, openTarget(here));
  ZYXC_ASSIGN(Compiled compiled, compileGuarded(job.model, here));
  rt::ExecutorOptions options{line.threads, line.memoryLimit, {}, line.libraries, line.blas};
  ZYXC_ASSIGN(auto runner, loadCompiled(compiled, options, device));
  Measured result{compiled.target.name, {}};
  std::vector<Launch> &launches = result.launches;
  for (const rt::Launch &step : compiled.plan.steps) {
    const rt::Kernel &kernel = compiled.plan.kernels[step.kernel];
    launches.push_back(
        {kernel.name, step.label, static_cast<double>(kernel.picoseconds) * 1e-12, HUGE_VAL});
    if (kernel.picoseconds > 0) {
      launches.back().program = compiled.programs[step.kernel];
    }
  }
  std::vector<double> before(launches.size(), 0);
  for (int run = 0; run < line.repeat; ++run) {
    ZYXC_ASSIGN([[maybe_unused]] std::vector<Tensor> outputs, runner->runTimed(job.inputs));
    const std::vector<rt::StepTime> &times = runner->stepTimes();
    for (size_t i = 0; i < launches.size(); ++i) {
      launches[i].measured = std::min(launches[i].measured, times[i].seconds - before[i]);
      before[i] = times[i].seconds;
    }
  }
  return result;
}

/// Adds the times to those that the model was compiled with.
static Status save(const Measured &measured, const CommandLine &line) {
  cost::MeasuredCosts costs(measured.target);
  if (line.compile.measuredCosts) {
    costs = *line.compile.measuredCosts;
  }
  cost::MeasuredCosts now(measured.target);
  for (const Launch &launch : measured.launches) {
    if (launch.program.hash != 0) {
      now.note(launch.program.hash, launch.program.estimated,
               std::max<int64_t>(1, std::llround(launch.measured * 1e12)), launch.kernel);
    }
  }
  if (now.size() == 0) {
    return makeError(ErrorCode::Usage, "--save: no kernel of {} has an estimate", line.model);
  }
  costs.addAll(now);
  return writeFile(line.costsFile, costs.text());
}

static void print(const std::vector<Launch> &launches) {
  fmt::print("  estimated us  measured us  measured/estimated  kernel\n");
  double estimated = 0;
  double measured = 0;
  std::vector<double> x;
  std::vector<double> y;
  std::vector<double> ratios;
  for (const Launch &launch : launches) {
    double ratio = launch.estimated > 0 ? launch.measured / launch.estimated : 0;
    fmt::print("  {:12.3f} {:12.3f} {:19.2f}  {:24} {}\n", launch.estimated * 1e6,
               launch.measured * 1e6, ratio, launch.kernel, launch.label);
    estimated += launch.estimated;
    measured += launch.measured;
    if (launch.estimated > 0) { // copies that the plan adds have no estimate
      x.push_back(launch.estimated);
      y.push_back(launch.measured);
      ratios.push_back(ratio);
    }
  }
  std::sort(ratios.begin(), ratios.end());
  auto part = [&](double share) {
    return ratios[static_cast<size_t>(share * static_cast<double>(ratios.size() - 1))];
  };
  fmt::print("{} launches: estimated {:.3f} ms, measured {:.3f} ms\n", launches.size(),
             estimated * 1e3, measured * 1e3);
  if (ratios.size() > 1) {
    fmt::print("measured/estimated: median {:.2f}, from {:.2f} to {:.2f} for 8 of 10; rank "
               "correlation {:.3f}\n",
               part(0.5), part(0.1), part(0.9), rankCorrelation(x, y));
  }
}

Status costModelCommand(const CommandLine &line) {
  if (line.target == "interp") {
    return makeError(ErrorCode::Usage, "--target=interp: the interpreter has no kernels to time; "
                                       "use --target=cpu");
  }
  if (isPlanFile(line.model)) {
    return makeError(ErrorCode::Usage, "{} is compiled already: give the model that it was made of",
                     line.model);
  }
  if (!line.costsFile.empty() && line.threads != 1) {
    return makeError(ErrorCode::Usage, "--save: costs are times on one thread: add --threads 1");
  }
  ZYXC_ASSIGN(Job job, prepareJob(line));
  auto measured = measure(job, line);
  if (!measured) {
    return namingModel(std::move(measured).error(), line);
  }
  print(measured->launches);
  return line.costsFile.empty() ? Status::ok() : save(*measured, line);
}

} // namespace zyxc::tool

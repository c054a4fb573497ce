#include "tools/zyxc/run/Outputs.h"
#include "runtime/support/Stopwatch.h"
#include "tools/zyxc/compare/Compare.h"
#include "tools/zyxc/run/Inputs.h"
#include "tools/zyxc/run/PrintTensor.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <numeric>

namespace zyxc::tool {

/// The file of --output: "@" may stand before it.
static std::string pathOf(const std::string &spec) {
  return spec.substr(spec.starts_with("@") ? 1 : 0);
}

/// Input, as writing the file would give later, if its folder is missing.
static Status checkFolder(const std::string &path) {
  std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code unknown;
  if (folder.empty() || std::filesystem::is_directory(folder, unknown)) {
    return Status::ok();
  }
  return makeError(ErrorCode::Input, "cannot write '{}': there is no folder {}", path,
                   folder.string());
}

Expected<Outputs> Outputs::of(const RunOptions &run, std::vector<rt::NamedType> types,
                              const std::vector<rt::NamedType> &inputs) {
  Outputs result(run);
  result.names = namesOf(types);
  result.types = std::move(types);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].written) {
      bool isTaken =
          std::find(result.names.begin(), result.names.end(), inputs[i].name) != result.names.end();
      result.names.push_back((isTaken ? "input " : "") + inputs[i].name);
      result.types.push_back(inputs[i]);
      result.writtenInputs.push_back(i);
    }
  }
  ZYXC_ASSIGN(auto expects, resolveNames(run.expects, result.names, "output"));
  ZYXC_ASSIGN(result.saves, resolveNames(run.saves, result.names, "output"));
  for (auto save = result.saves.begin(); save != result.saves.end(); ++save) {
    for (auto other = std::next(save); other != result.saves.end(); ++other) {
      if (save->second == other->second) {
        return makeError(ErrorCode::Usage, "outputs '{}' and '{}' are both saved to {}",
                         save->first, other->first, save->second);
      }
    }
  }
  for (size_t i = 0; i < result.names.size(); ++i) {
    if (auto spec = expects.find(result.names[i]); spec != expects.end()) {
      ZYXC_ASSIGN(Tensor tensor, run.files.read(spec->second, result.types[i].type.dtype));
      result.expects.emplace(result.names[i], std::move(tensor));
    }
  }
  for (const auto &[name, spec] : result.saves) {
    ZYXC_RETURN_IF_ERROR(checkFolder(pathOf(spec)));
  }
  return result;
}

Status Outputs::compare(const std::vector<Tensor> &outputs) const {
  std::string failures;
  for (size_t i = 0; i < types.size(); ++i) {
    auto expected = expects.find(names[i]);
    if (expected == expects.end()) {
      continue;
    }
    ElementDifference comparison =
        compareTensors(outputs[i], expected->second, {run.rtol, run.atol});
    if (comparison.mismatches) {
      failures +=
          fmt::format("{}output {} {}", failures.empty() ? "" : "; ", names[i], comparison.text);
    } else {
      fmt::print("output {} as expected (largest difference {:.3g})\n", names[i],
                 comparison.largest);
    }
  }
  return failures.empty() ? Status::ok()
                          : makeError(ErrorCode::Mismatch, "{}: {}", run.model, failures);
}

Status Outputs::deliver(std::vector<Tensor> outputs, std::span<const Tensor> inputs) const {
  for (size_t input : writtenInputs) {
    outputs.push_back(inputs[input]);
  }
  // Files first: they are written even when nobody reads what is printed.
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (auto save = saves.find(names[i]); save != saves.end()) {
      ZYXC_RETURN_IF_ERROR(run.files.write(pathOf(save->second), names[i], outputs[i]));
    }
  }
  for (size_t i = 0; i < outputs.size() && !run.quiet; ++i) {
    bool isInput = i + writtenInputs.size() >= outputs.size();
    fmt::print("{}: {}{}\n{}\n", names[i], toString(outputs[i].type()),
               isInput ? " after the run" : "", formatTensor(outputs[i]));
  }
  return compare(outputs);
}

void Outputs::printWritten() const {
  std::span written(names.end() - static_cast<ptrdiff_t>(writtenInputs.size()), names.end());
  if (!written.empty()) {
    fmt::print("writes: {}\n", fmt::join(written, ", "));
  }
}

Expected<Runs> runPlan(rt::Runner &runner, std::span<const Tensor> inputs, const RunOptions &run) {
  Runs runs;
  for (int i = 0; i < run.repeat; ++i) {
    double &spent = runs.milliseconds.emplace_back(0);
    Stopwatch watch(spent);
    ZYXC_ASSIGN(runs.outputs, run.timeSteps ? runner.runTimed(inputs) : runner.run(inputs));
  }
  return runs;
}

void printRunTimes(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  double sum = std::accumulate(times.begin(), times.end(), 0.0);
  fmt::print("run: min {:.3f} ms, median {:.3f} ms, mean {:.3f} ms over {} runs\n", times.front(),
             times[times.size() / 2], sum / static_cast<double>(times.size()), times.size());
}

void printKernelTimes(const rt::Runner &runner) {
  double total = 0;
  for (const rt::StepTime &step : runner.stepTimes()) {
    total += step.seconds / static_cast<double>(std::max<int64_t>(step.runs, 1));
  }
  for (const rt::StepTime &step : runner.stepTimes()) {
    double seconds = step.seconds / static_cast<double>(std::max<int64_t>(step.runs, 1));
    fmt::print("  {:9.3f} ms {:5.1f} %  {:28} {}\n", seconds * 1e3,
               total > 0 ? 100 * seconds / total : 0, step.kernel, step.label);
  }
}

} // namespace zyxc::tool

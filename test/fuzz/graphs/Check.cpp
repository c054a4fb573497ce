#include "compiler/driver/SavePlan.h"
#include "test/fuzz/graphs/CheckParts.h"
#include "tools/dev/isolate/Isolated.h"
#include <algorithm>
#include <filesystem>
#include <unistd.h>

namespace zyxc::fuzz {

static std::string firstDifference(const std::vector<Tensor> &actual,
                                   const std::vector<Expectation> &expected) {
  for (size_t i = 0; i < expected.size(); ++i) {
    std::string text = expected[i].compare(actual[i]);
    if (!text.empty()) {
      return fmt::format("output {}: {}", i, text);
    }
  }
  return "";
}

Expected<std::string> difference(const Graph &graph, const std::vector<Tensor> &actual,
                                 std::vector<Expectation> &expected, int &runs) {
  constexpr int most = 256;
  std::string text = firstDifference(actual, expected);
  while (!text.empty() && runs < most) {
    runs = std::min(4 * runs, most);
    ZYXC_ASSIGN(expected, expectations(graph, runs));
    text = firstDifference(actual, expected);
  }
  return text;
}

Status checkText(const std::vector<Tensor> &values, const std::vector<Expectation> &expected) {
  for (size_t i = 0; i < expected.size(); ++i) {
    if (!values[i].identical(expected[i].value)) {
      return makeError(ErrorCode::Mismatch, "output {} of the module's text has another value", i);
    }
  }
  return Status::ok();
}

Expected<SavedPlan> loadSaved(const Compiled &compiled, const std::string &blas) {
  std::string path =
      std::filesystem::temp_directory_path() / fmt::format("zyxc-fuzz-graph-{}.zyxp", getpid());
  ZYXC_RETURN_IF_ERROR(savePlan(path, std::span(&compiled, 1)));
  auto file = rt::PlanFile::open(path);
  std::filesystem::remove(path); // its pages stay mapped
  if (!file) {
    return file.error();
  }
  ZYXC_ASSIGN(size_t target, file->choose(CpuFeatures::detect()));
  ZYXC_ASSIGN(rt::LoadedPlan loaded, file->load(target));
  ZYXC_ASSIGN(auto executor, rt::Executor::load(std::move(loaded.plan), {1, 0, {}, {}, blas}));
  return SavedPlan{*std::move(file), std::move(loaded.code), std::move(executor)};
}

Status checkSaved(const SavedPlan &saved, std::span<const Tensor> inputs,
                  const std::vector<Tensor> &expected) {
  ZYXC_ASSIGN(std::vector<Tensor> actual, saved.executor->run(inputs));
  for (size_t i = 0; i < expected.size(); ++i) {
    if (!actual[i].identical(expected[i])) {
      return makeError(ErrorCode::Mismatch, "output {} of the saved plan has other bytes", i);
    }
  }
  return Status::ok();
}

Graph spoiled(Graph graph, const Fault &fault) {
  for (Node &node : graph.nodes) {
    std::vector<TensorType> operands;
    operands.reserve(node.operands.size());
    for (uint32_t operand : node.operands) {
      operands.push_back(graph.nodes[operand].type);
    }
    Expected<TensorType> type = inferType(fault.to, node.attrs, operands);
    if (node.kind == fault.from && type && *type == node.type) {
      node.kind = fault.to;
    }
  }
  return graph;
}

CompileOptions compileOptions(Numerics numerics, std::string_view target,
                              const CheckOptions &options) {
  CompileOptions result;
  result.numerics = numerics;
  result.target = target;
  if (!options.blas.empty()) {
    result.blas = kernelize::LibraryUse::Always;
  }
  return result;
}

/// Steps that an answer does not need: one target is compiled with each subset of them in turn.
static std::vector<std::string> disabledSteps(const Graph &graph, std::string_view target) {
  std::vector<std::string> steps;
  size_t subset = target == "cpu" ? 0 : graph.nodes.size();
  for (const char *step : {"rules", "outputs", "borders"}) {
    if (subset & 1) {
      steps.emplace_back(step);
    }
    subset >>= 1;
  }
  return steps;
}

static Status checkCompiled(const Graph &graph, const CheckOptions &checks) {
  int runs = 8;
  std::vector<Tensor> inputs = graph.inputs();
  ZYXC_ASSIGN(std::vector<Expectation> expected, expectations(graph, runs));
  ZYXC_ASSIGN(Model model, Model::parse(moduleText(graph), "program"));
  ZYXC_ASSIGN(std::vector<Tensor> values, model.interpret(inputs, 0));
  ZYXC_RETURN_IF_ERROR(checkText(values, expected));
  if (checks.fault) {
    ZYXC_ASSIGN(model, Model::parse(moduleText(spoiled(graph, *checks.fault)), "program"));
  }
  constexpr std::pair<Numerics, const char *> ways[] = {
      {Numerics::Approx, "cpu"}, {Numerics::Exact, "cpu"}, {Numerics::Approx, "cpu:x86-64-v3"}};
  for (size_t number = 0; number < std::size(ways); ++number) {
    if (!checks.takes(number, std::size(ways))) {
      continue;
    }
    const auto &[numerics, target] = ways[number];
    CompileOptions options = compileOptions(numerics, target, checks);
    options.disable = disabledSteps(graph, target);
    std::string without =
        options.disable.empty() ? "" : fmt::format(" without {}", fmt::join(options.disable, ", "));
    std::string way = fmt::format("{} on {}{}", rules::toString(numerics), target, without);
    Expected<Compiled> compiled = compile(model, options);
    if (!compiled) {
      return std::move(compiled).error().withContext(way);
    }
    for (int threads : {1, 3}) {
      ZYXC_ASSIGN(auto executor,
                  rt::Executor::load(compiled->plan, {threads, 0, {}, {}, checks.blas}));
      ZYXC_ASSIGN(std::vector<Tensor> actual, executor->run(inputs));
      if (threads == 1) {
        ZYXC_ASSIGN(SavedPlan saved, loadSaved(*compiled, checks.blas));
        if (Status status = checkSaved(saved, inputs, actual); !status.isOk()) {
          return std::move(status).withContext(way);
        }
      }
      ZYXC_ASSIGN(std::string text, difference(graph, actual, expected, runs));
      if (!text.empty()) {
        return makeError(ErrorCode::Mismatch, "{}, {} threads: {}", way, threads, text);
      }
    }
  }
  return Status::ok();
}

/// The plan of a program with all that a BLAS library can compute.
static Expected<std::string> planWithBlas(const Graph &graph) {
  ZYXC_ASSIGN(Model model, Model::parse(moduleText(graph), "program"));
  CompileOptions options = compileOptions(Numerics::Approx, "cpu", {{}, "auto"});
  options.stopAfter = "plan";
  ZYXC_ASSIGN(Compiled compiled, compile(model, options));
  return std::move(compiled.planText);
}

bool usesBlas(const Graph &graph) {
  constexpr int seconds = 120;
  Isolated child = runIsolated(
      [&]() -> std::string {
        auto plan = planWithBlas(graph);
        return plan && plan->find(" library cblas ") == std::string::npos ? "no" : "";
      },
      seconds);
  return child.text != "no"; // what fails here is to fail in the check
}

std::string check(const Graph &graph, const CheckOptions &options) {
  constexpr int seconds = 120;
  Isolated child = runIsolated(
      [&] {
        return (graph.sizes.empty() ? checkCompiled(graph, options) : checkOpen(graph, options))
            .message();
      },
      seconds);
  return child.text;
}

} // namespace zyxc::fuzz

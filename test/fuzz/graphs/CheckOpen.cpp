#include "test/fuzz/graphs/CheckParts.h"
#include "test/fuzz/graphs/program/Open.h"
#include <algorithm>
#include <random>

namespace zyxc::fuzz {

namespace {
/// One plan for all sizes.
struct OpenPlan {
  const Graph &graph;
  const Model &model;
  std::vector<std::unique_ptr<rt::Executor>> executors; ///< with 1 and with more threads
  SavedPlan saved;

  /// At some sizes, which all must refuse or none.
  Status check(const dim::Bindings &sizes) const;
  Status compare(std::span<const Tensor> inputs, const Graph &numbers) const;
};
} // namespace

static std::string textOf(const dim::Bindings &sizes) {
  std::string text;
  for (const auto &[name, size] : sizes) {
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, size);
  }
  return text;
}

Status OpenPlan::compare(std::span<const Tensor> inputs, const Graph &numbers) const {
  int runs = 4;
  ZYXC_ASSIGN(std::vector<Expectation> expected, expectations(numbers, runs));
  ZYXC_ASSIGN(std::vector<Tensor> values, model.interpret(inputs, 0));
  ZYXC_RETURN_IF_ERROR(checkText(values, expected));
  for (const std::unique_ptr<rt::Executor> &executor : executors) {
    ZYXC_ASSIGN(std::vector<Tensor> actual, executor->run(inputs));
    if (executor == executors.front()) {
      ZYXC_RETURN_IF_ERROR(checkSaved(saved, inputs, actual));
    }
    ZYXC_ASSIGN(std::string text, difference(numbers, actual, expected, runs));
    if (!text.empty()) {
      bool isFirst = executor == executors.front();
      return makeError(ErrorCode::Mismatch, "{}: {}", isFirst ? "1 thread" : "3 threads", text);
    }
  }
  return Status::ok();
}

Status OpenPlan::check(const dim::Bindings &sizes) const {
  Expected<Graph> numbers = bound(graph, sizes);
  if (!numbers && numbers.error().code() == ErrorCode::OutOfMemory) {
    return Status::ok();
  }
  Expected<std::vector<Tensor>> inputs = inputsAt(graph, sizes);
  if (!inputs) {
    return Status::ok(); // no such inputs
  }
  bool isAccepted = static_cast<bool>(model.interpret(*inputs, 0));
  if (!numbers && isAccepted) {
    return makeError(ErrorCode::Mismatch, "the open module is accepted, but: {}",
                     numbers.error().message());
  }
  if (isAccepted || (numbers && sizes == graph.sizes && findsSizes(graph))) {
    return compare(*inputs, *numbers);
  }
  for (rt::Executor *executor : {executors.front().get(), saved.executor.get()}) {
    if (executor->run(*inputs)) {
      return makeError(ErrorCode::Mismatch, "only the interpreter refuses");
    }
  }
  return Status::ok();
}

/// The program's own sizes first, then all alike, then each one special, then random ones.
static std::vector<dim::Bindings> sizesToTry(const dim::Bindings &original) {
  constexpr int numRandom = 3;
  constexpr int64_t mostRandom = 9;
  std::vector<dim::Bindings> list = {original};
  for (int64_t size : {0, 1, 2, 7}) {
    list.push_back(original);
    for (auto &[name, value] : list.back()) {
      value = size;
    }
  }
  for (const auto &[name, value] : original) {
    for (int64_t size : {int64_t(0), int64_t(1), value + 1, int64_t(19)}) {
      list.push_back(original);
      list.back()[name] = size;
    }
  }
  std::mt19937_64 engine(original.size());
  for (int i = 0; i < numRandom; ++i) {
    list.push_back(original);
    for (auto &[name, value] : list.back()) {
      value = static_cast<int64_t>(engine() % (mostRandom + 1));
    }
  }
  list.push_back(original); // bound again after others
  return list;
}

Status checkOpen(const Graph &graph, const CheckOptions &checks) {
  ZYXC_ASSIGN(Model model, Model::parse(moduleText(graph), "program"));
  Graph compiledGraph = checks.fault ? spoiled(graph, *checks.fault) : graph;
  ZYXC_ASSIGN(Model source, Model::parse(moduleText(compiledGraph), "program"));
  constexpr std::pair<Numerics, const char *> ways[] = {{Numerics::Approx, "cpu"},
                                                        {Numerics::Exact, "cpu:x86-64-v3"}};
  for (size_t number = 0; number < std::size(ways); ++number) {
    if (!checks.takes(number, std::size(ways))) {
      continue;
    }
    const auto &[numerics, target] = ways[number];
    CompileOptions options = compileOptions(numerics, target, checks);
    std::string way = fmt::format("{} on {}", rules::toString(numerics), target);
    Expected<Compiled> compiled = compile(source, options);
    if (!compiled) {
      return std::move(compiled).error().withContext(way);
    }
    ZYXC_ASSIGN(SavedPlan saved, loadSaved(*compiled, checks.blas));
    OpenPlan plan{graph, model, {}, std::move(saved)};
    for (int threads : {1, 3}) {
      ZYXC_ASSIGN(auto executor,
                  rt::Executor::load(compiled->plan, {threads, 0, {}, {}, checks.blas}));
      plan.executors.push_back(std::move(executor));
    }
    for (const dim::Bindings &sizes : sizesToTry(graph.sizes)) {
      if (Status status = plan.check(sizes); !status.isOk()) {
        return std::move(status).withContext(fmt::format("{}, {}", way, textOf(sizes)));
      }
    }
  }
  return Status::ok();
}

} // namespace zyxc::fuzz

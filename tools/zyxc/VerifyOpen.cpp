// zyxc verify --open: one plan for all sizes, compared with the interpreter at many of them.
#include "runtime/exec/Executor.h"
#include "runtime/plan/BindPlan.h"
#include "tools/zyxc/Commands.h"
#include "tools/zyxc/Results.h"
#include "tools/zyxc/compare/Compare.h"
#include "tools/zyxc/run/Inputs.h"
#include "tools/zyxc/run/Progress.h"
#include <fmt/core.h>

namespace zyxc::tool {

/// Sizes that differ in what code does with them: vectors and tails, one element, and none.
static constexpr int64_t mixed[] = {7, 16, 3, 33, 5, 12};
static constexpr int64_t special[] = {0, 1, 2, 17};

/// Values of the variables, by name: all different, then each one special, then all of them.
static std::vector<dim::Bindings> sizesToTry(const std::set<std::string> &names) {
  dim::Bindings base;
  size_t next = 0;
  for (const std::string &name : names) {
    base[name] = mixed[next++ % std::size(mixed)];
  }
  std::vector<dim::Bindings> list = {base};
  for (const std::string &name : names) {
    for (int64_t size : special) {
      list.push_back(base);
      list.back()[name] = size;
    }
  }
  for (int64_t size : special) {
    list.emplace_back();
    for (const std::string &name : names) {
      list.back()[name] = size;
    }
  }
  return list;
}

static std::string textOf(const dim::Bindings &sizes) {
  std::string text;
  for (const auto &[name, size] : sizes) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", name, size);
  }
  return text;
}

namespace {

/// The model, compiled once.
struct OpenRun {
  const CommandLine &line;
  const LoadedModel &loaded;
  rt::Executor &executor;
  int64_t agreed = 0;
  int64_t refused = 0;
  double largest = 0;

  Status check(const dim::Bindings &sizes);
  Status compare(const std::vector<Tensor> &actual, const std::vector<Tensor> &expected,
                 const dim::Bindings &sizes);
};

} // namespace

Status OpenRun::compare(const std::vector<Tensor> &actual, const std::vector<Tensor> &expected,
                        const dim::Bindings &sizes) {
  std::vector<std::string> names = resultNames(loaded.model);
  for (size_t i = 0; i < names.size(); ++i) {
    ElementDifference difference = compareTensors(actual[i], expected[i], {line.rtol, line.atol});
    if (difference.mismatches) {
      return makeError(ErrorCode::Verification,
                       "{}: {} {} at --dim {} (one plan for all sizes against the interpreter)",
                       line.model, names[i], difference.text, textOf(sizes));
    }
    largest = std::max(largest, difference.largest);
  }
  return Status::ok();
}

Status OpenRun::check(const dim::Bindings &sizes) {
  auto types = rt::bindTypes(loaded.model.inputs(), sizes);
  if (!types) {
    ++refused; // such as a size that would be negative
    return Status::ok();
  }
  ZYXC_ASSIGN(auto given, readInputs(*types, {}, line.files));
  ZYXC_ASSIGN(std::vector<Tensor> inputs, makeInputs(*types, given, loaded.inputs, line.seed));
  auto expected = interpretedResults(loaded.model, inputs, line.compile.memoryLimit);
  auto actual = executedResults(executor, inputs);
  if (!expected && !actual) {
    ++refused;
    return Status::ok();
  }
  if (!expected || !actual) {
    const Status &error = expected ? actual.error() : expected.error();
    return makeError(ErrorCode::Verification, "{}: at --dim {} only {} fails: {}", line.model,
                     textOf(sizes), expected ? "the plan" : "the interpreter", error.message());
  }
  ++agreed;
  return compare(*actual, *expected, sizes);
}

Status verifyOpen(const CommandLine &line) {
  CommandLine open = line;
  open.dims.clear();
  ZYXC_ASSIGN(LoadedModel loaded, loadModel(open));
  std::set<std::string> names = loaded.model.variables();
  if (names.empty()) {
    return makeError(ErrorCode::Usage, "--open: all dims of {} have a size", line.model);
  }
  std::vector<dim::Bindings> list = {line.dims};
  if (line.dims.empty()) {
    list = sizesToTry(names);
  }
  ZYXC_ASSIGN(Compiled compiled, compileGuarded(loaded.model, open));
  ZYXC_ASSIGN(
      auto executor,
      rt::Executor::load(compiled.plan,
                         {line.compile.threads, line.compile.memoryLimit, {}, line.libraries}));
  OpenRun run{open, loaded, *executor};
  Progress progress("comparing");
  for (const dim::Bindings &sizes : list) {
    ZYXC_RETURN_IF_ERROR(run.check(sizes));
  }
  if (run.agreed == 0) {
    return makeError(ErrorCode::Verification, "{}: none of {} sets of sizes is valid for the model",
                     line.model, list.size());
  }
  fmt::print("verified {} outputs of {} with open dims at {} sets of sizes ({} refused by both): "
             "all agree with the interpreter (rtol {:g}, largest difference {:.3g})\n",
             resultNames(loaded.model).size(), line.model, run.agreed, run.refused, line.rtol,
             run.largest);
  return Status::ok();
}

} // namespace zyxc::tool

// zyxc verify --open: one plan for all sizes, compared with the interpreter at many of them.
#include "runtime/exec/Executor.h"
#include "runtime/plan/BindPlan.h"
#include "runtime/support/Memory.h"
#include "tools/zyxc/Commands.h"
#include "tools/zyxc/Results.h"
#include "tools/zyxc/compare/Compare.h"
#include "tools/zyxc/run/Inputs.h"
#include "tools/zyxc/run/Progress.h"
#include <algorithm>
#include <fmt/ranges.h>

namespace zyxc::tool {

/// Sizes that differ in what code does with them: vectors and tails, one element, and none. The
/// second and third list are for models with so many dims that the first makes too many elements.
static const std::vector<int64_t> mixed[] = {{7, 16, 3, 33, 5, 12}, {3, 2, 5, 4}, {2, 1, 3}};
static constexpr int64_t special[] = {0, 1, 2, 17};
/// Above what tiles and blocks hold, with a tail.
static constexpr int64_t large[] = {130, 1025};

/// What sets of sizes may take that --dim does not give: bytes of one (its inputs, outputs and
/// arena), of all together, and how many there are. An interpreter reads some 100 MB in a second.
static constexpr uint64_t mostBytes = uint64_t(32) << 20;
static constexpr uint64_t mostBytesOfAll = uint64_t(256) << 20;
static constexpr size_t mostSets = 64;

/// A value for each of the variables, from a list.
static dim::Bindings mixedSizes(const std::set<std::string> &names,
                                const std::vector<int64_t> &values) {
  dim::Bindings sizes;
  for (const std::string &name : names) {
    sizes[name] = values[sizes.size() % values.size()];
  }
  return sizes;
}

/// Values of the variables, by name: those of `base`, each special one for all and for one of them,
/// then each large one.
static std::vector<dim::Bindings> sizesToTry(const std::set<std::string> &names,
                                             const dim::Bindings &base) {
  std::vector<dim::Bindings> list = {base};
  auto add = [&](std::span<const int64_t> values) {
    for (int64_t size : values) {
      list.push_back(mixedSizes(names, {size}));
    }
    for (const std::string &name : names) {
      for (int64_t size : values) {
        list.push_back(base);
        list.back()[name] = size;
      }
    }
  };
  add(special);
  add(large);
  std::vector<dim::Bindings> distinct;
  for (dim::Bindings &sizes : list) {
    if (std::find(distinct.begin(), distinct.end(), sizes) == distinct.end()) {
      distinct.push_back(std::move(sizes));
    }
  }
  return distinct;
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
  size_t leftOut = 0;
  uint64_t bytes = 0; ///< of the sets so far
  double largest = 0;
  std::map<std::string, int64_t> refusals = {}; ///< how often, by what refuses

  Status checkMany(const std::set<std::string> &names);
  Status check(const dim::Bindings &sizes);
  Status compare(const std::vector<Tensor> &actual, const std::vector<Tensor> &expected,
                 const dim::Bindings &sizes);

private:
  uint64_t bytesAt(const dim::Bindings &sizes) const;
  void countRefusal(const dim::Bindings &sizes, const Status &error);
};

} // namespace

Status OpenRun::compare(const std::vector<Tensor> &actual, const std::vector<Tensor> &expected,
                        const dim::Bindings &sizes) {
  std::vector<std::string> names = resultNames(loaded.model);
  for (size_t i = 0; i < names.size(); ++i) {
    ElementDifference difference = compareTensors(actual[i], expected[i], toleranceOf(line));
    if (difference.mismatches) {
      return makeError(ErrorCode::Verification,
                       "{}: {} {} at --dim {} (one plan for all sizes against the interpreter)",
                       line.model, names[i], difference.text, textOf(sizes));
    }
    largest = std::max(largest, difference.largest);
  }
  return Status::ok();
}

/// Bytes of inputs, outputs and arena; of inputs, for sizes that the plan refuses.
uint64_t OpenRun::bytesAt(const dim::Bindings &sizes) const {
  auto inputs = rt::bindTypes(executor.plan().inputs, sizes);
  if (!inputs) {
    return inputs.error().code() == ErrorCode::OutOfMemory ? UINT64_MAX : 0;
  }
  auto bound = rt::bind(executor.plan(), sizes);
  if (!bound) {
    return bound.error().code() == ErrorCode::OutOfMemory ? UINT64_MAX : bytesOf(*inputs);
  }
  uint64_t arena = 0;
  for (const rt::Plan *part : rt::wholePlan(*bound)) {
    arena += part->arenaBytes;
  }
  return bytesOf(*inputs) + bytesOf(bound->outputs) + arena;
}

/// The guard of the plan that these sizes break; else what the error says.
void OpenRun::countRefusal(const dim::Bindings &sizes, const Status &error) {
  ++refused;
  for (const rt::SizeGuard &guard : executor.plan().guards) {
    auto number = dim::evaluate(guard.size, sizes);
    if (number && *number < 0) {
      ++refusals[fmt::format("{}: {} needs {} >= 0", guard.origin, guard.text,
                             dim::toString(guard.size))];
      return;
    }
  }
  ++refusals[error.message()];
}

/// At the sizes of sizesToTry, as far as they are not too large.
Status OpenRun::checkMany(const std::set<std::string> &names) {
  dim::Bindings base;
  for (const std::vector<int64_t> &values : mixed) {
    base = mixedSizes(names, values);
    if (bytesAt(base) <= mostBytes) {
      break;
    }
  }
  std::vector<dim::Bindings> list = sizesToTry(names, base);
  for (size_t i = 0; i < list.size(); ++i) {
    uint64_t needed = bytesAt(list[i]);
    if (i >= mostSets || needed > mostBytes || needed > mostBytesOfAll - bytes) {
      ++leftOut;
      continue;
    }
    bytes += needed;
    ZYXC_RETURN_IF_ERROR(check(list[i]));
  }
  return Status::ok();
}

Status OpenRun::check(const dim::Bindings &sizes) {
  auto types = rt::bindTypes(loaded.model.inputs(), sizes);
  if (!types) {
    countRefusal(sizes, types.error()); // such as a size that would be negative
    return Status::ok();
  }
  ZYXC_ASSIGN(auto given, readInputs(*types, {}, line.files));
  ZYXC_ASSIGN(std::vector<Tensor> inputs, makeInputs(*types, given, loaded.inputs, line.seed));
  auto expected = interpretedResults(loaded.model, inputs, line.compile.memoryLimit);
  auto actual = executedResults(executor, inputs);
  if (!expected && !actual) {
    countRefusal(sizes, actual.error());
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

/// The sizes that --dim gives to the variables of the model. Usage, if one is left.
static Expected<dim::Bindings> givenSizes(const CommandLine &line,
                                          const std::set<std::string> &names) {
  auto closed = loadModel(line); // whether there are such dims, and the sizes fit
  if (!closed) {
    return std::move(closed).error();
  }
  dim::Bindings sizes;
  std::set<std::string> missing;
  for (const std::string &name : names) {
    auto given = line.dims.find(name);
    if (given == line.dims.end()) {
      missing.insert(name);
    } else {
      sizes.insert(*given);
    }
  }
  if (!missing.empty()) {
    return makeError(
        ErrorCode::Usage,
        "--open: --dim gives no size to {}: add {}=SIZE, or leave out --dim to compare "
        "at many sizes",
        fmt::join(missing, ", "), fmt::join(missing, "=SIZE,"));
  }
  return sizes;
}

/// Nothing was compared: says why, and what to do.
static Status nothingCompared(const OpenRun &run, const std::set<std::string> &names) {
  std::string remedy = fmt::format("--dim {}=SIZE", fmt::join(names, "=SIZE,"));
  if (run.refused == 0) {
    return makeError(ErrorCode::Usage,
                     "{}: each of {} sets of sizes needs more than {}: give smaller ones, {}",
                     run.line.model, run.leftOut, formatBytes(mostBytes), remedy);
  }
  auto most = std::max_element(run.refusals.begin(), run.refusals.end(),
                               [](auto &a, auto &b) { return a.second < b.second; });
  return makeError(ErrorCode::Usage,
                   "{}: none of {} sets of sizes is valid for the model; {} of "
                   "them: {}: give others, {}",
                   run.line.model, run.refused, most->second, most->first, remedy);
}

Status verifyOpen(const CommandLine &line) {
  CommandLine open = line;
  open.dims.clear();
  ZYXC_ASSIGN(LoadedModel loaded, loadModel(open));
  std::set<std::string> names = loaded.model.variables();
  if (names.empty()) {
    return makeError(ErrorCode::Usage, "--open: all dims of {} have a size: leave out --open",
                     line.model);
  }
  dim::Bindings given;
  if (!line.dims.empty()) {
    ZYXC_ASSIGN(given, givenSizes(line, names));
  }
  ZYXC_ASSIGN(Compiled compiled, compileGuarded(loaded.model, open));
  ZYXC_ASSIGN(auto executor,
              rt::Executor::load(
                  compiled.plan,
                  {line.compile.threads, line.compile.memoryLimit, {}, line.libraries, line.blas}));
  OpenRun run{open, loaded, *executor};
  {
    Progress progress("comparing");
    ZYXC_RETURN_IF_ERROR(given.empty() ? run.checkMany(names) : run.check(given));
  }
  if (run.agreed == 0) {
    return nothingCompared(run, names);
  }
  fmt::print(
      "verified {} outputs of {} with open dims at {} sets of sizes ({} tried, {} refused by "
      "both, {} left out as too large): all agree with the interpreter ({}, largest "
      "difference {:.3g})\n",
      resultNames(loaded.model).size(), line.model, run.agreed, run.agreed + run.refused,
      run.refused, run.leftOut, describe(toleranceOf(line)), run.largest);
  return Status::ok();
}

} // namespace zyxc::tool

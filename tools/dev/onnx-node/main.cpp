// zyxc-onnx-node: imports the models of ONNX's own backend test data, runs each through the
// reference interpreter or the whole compiler and compares the outputs with the recorded ones.
//
// usage: zyxc-onnx-node FOLDER [FILTER] [--target=interp|cpu|vulkan|..] [--shard=I/N] [--verbose]
//                       [--open-dims=all|first] [--validate] [--simulate]
//        zyxc-onnx-node --operators
// FOLDER holds one folder per case (model.onnx, test_data_set_N/{input,output}_N.pb), or networks
// X.onnx with X_output_0.pb, whose input is arange(n) / n. FILTER: part of the names to run.
// --shard: only every N-th case, from the I-th on. --verbose: a line for each case, with its
// operator. tools/dev/onnx-node-tests runs shards at once and knows which cases are expected to
// pass. Exit status: 0 if no case failed; cases with operators that zyxc does not have are skipped.
// A target of a GPU may refuse a model: it is skipped then. --validate and --simulate are those of
// `zyxc verify`.
// --open-dims: the model is imported as if its inputs (all dims, or the first of each) had no
// sizes, then bound to those of the case; what does not take open dims is skipped.
// --operators prints the operator table of the importer in the form of docs/operators.md.
#include "compiler/import/ops/OnnxOps.h"
#include "tools/dev/isolate/Isolated.h"
#include "tools/dev/onnx-node/RunCase.h"
#include <algorithm>
#include <cstdlib>
#include <fmt/core.h>
#include <functional>
#include <map>
#include <set>
#include <sstream>

using namespace zyxc;
using namespace zyxc::onnxnode;
namespace fs = std::filesystem;

/// A line of text for a verdict, and back.
static std::string toLine(const Verdict &verdict) {
  std::string text = verdict.text;
  std::replace(text.begin(), text.end(), '\n', ' ');
  return fmt::format("{}{}\t{}\n", static_cast<int>(verdict.outcome), verdict.op, text);
}

static Verdict fromLine(const std::string &line) {
  size_t tab = line.find('\t');
  return {static_cast<Outcome>(line[0] - '0'), line.substr(tab + 1), line.substr(1, tab - 1)};
}

/// Opens the device of a GPU's target.
static Status openDevice(Mode &mode) {
  if (rt::isGpuTarget(mode.target)) {
    ZYXC_ASSIGN(mode.device, rt::openGpu(mode.target, mode.gpu));
  }
  return Status::ok();
}

/// Runs cases one after the other in a process of their own, which opens the device once. Ends
/// before a case that fails: what is wrong may be the state that others left.
static std::vector<Verdict> runTogether(std::span<const Case *const> cases, Mode mode) {
  constexpr int seconds = 120;
  Isolated child = runIsolated(
      [&] {
        std::string lines;
        if (!openDevice(mode).isOk()) {
          return lines;
        }
        for (const Case *test : cases) {
          Verdict verdict = runCase(*test, mode);
          if (verdict.outcome == Outcome::Fail) {
            break;
          }
          lines += toLine(verdict);
        }
        return lines;
      },
      seconds);
  std::vector<Verdict> verdicts;
  if (child.end == Isolated::End::Returned) {
    std::istringstream lines(child.text);
    for (std::string line; std::getline(lines, line);) {
      verdicts.push_back(fromLine(line));
    }
  }
  return verdicts;
}

/// Runs a case in a process of its own: a crash fails this case alone.
static Verdict runAlone(const Case &test, Mode mode) {
  constexpr int caseSeconds = 60;
  Isolated child = runIsolated(
      [&] {
        Status opened = openDevice(mode);
        Verdict verdict = opened.isOk() ? runCase(test, mode) : verdictOf(opened);
        return toLine(verdict);
      },
      caseSeconds);
  if (child.end != Isolated::End::Returned || child.text.find('\t') == std::string::npos) {
    return {Outcome::Fail, child.text};
  }
  return fromLine(child.text.substr(0, child.text.find('\n')));
}

/// Runs all cases, and calls `done` for each. On a GPU some share a process, since it takes longer
/// to open the device than to run them.
static void runAll(std::span<const Case *const> cases, const Mode &mode,
                   const std::function<void(const Case &, const Verdict &)> &done) {
  constexpr size_t together = 32;
  bool isGpu = rt::isGpuTarget(mode.target);
  for (size_t i = 0; i < cases.size();) {
    std::vector<Verdict> verdicts;
    if (isGpu) {
      verdicts = runTogether(cases.subspan(i, std::min(together, cases.size() - i)), mode);
    }
    for (const Verdict &verdict : verdicts) {
      done(*cases[i++], verdict);
    }
    if (verdicts.size() < together && i < cases.size()) {
      done(*cases[i], runAlone(*cases[i], mode));
      ++i;
    }
  }
}

/// "| Add | 1 | yes |" or "| Clip | 1 to 10, 11 |  |", sorted by name; yes: it takes open dims.
static void printOperators() {
  std::map<std::string, std::string> versions;
  std::set<std::string> takeOpenDims;
  importer::forEachOnnxOp([&](const importer::OnnxOp &row) {
    std::string &text = versions[row.name];
    bool open = row.until == importer::newest;
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", row.since,
                        open ? "" : fmt::format(" to {}", row.until));
    if (row.dims == importer::Dims::Open) {
      takeOpenDims.insert(row.name);
    }
  });
  for (const auto &[name, text] : versions) {
    fmt::print("| {} | {} | {} |\n", name, text, takeOpenDims.contains(name) ? "yes" : "");
  }
}

namespace {
struct Arguments {
  std::string folder, filter;
  Mode mode;
  size_t shard = 0, numShards = 1;
  bool verbose = false;
  bool operators = false;
};
} // namespace

/// "I/N"; no shards at all where the text is not that.
static void parseShard(const std::string &text, Arguments &result) {
  char *end = nullptr;
  result.shard = std::strtoul(text.c_str(), &end, 10);
  bool divided = end != text.c_str() && *end == '/';
  result.numShards = divided ? std::strtoul(end + 1, &end, 10) : 0;
  result.numShards = *end == '\0' ? result.numShards : 0;
}

static Arguments parseArguments(std::span<char *const> list) {
  constexpr std::string_view openFlag = "--open-dims=";
  constexpr std::string_view targetFlag = "--target=";
  constexpr std::string_view shardFlag = "--shard=";
  Arguments result;
  for (std::string_view argument : list) {
    if (argument == "--operators") {
      result.operators = true;
    } else if (argument.starts_with(openFlag)) {
      result.mode.openDims = argument.substr(openFlag.size());
    } else if (argument == "--validate") {
      result.mode.gpu.validate = true;
    } else if (argument == "--simulate") {
      result.mode.gpu.simulate = true;
    } else if (argument == "--verbose") {
      result.verbose = true;
    } else if (argument.starts_with(targetFlag)) {
      result.mode.target = argument.substr(targetFlag.size());
    } else if (argument.starts_with(shardFlag)) {
      parseShard(std::string(argument.substr(shardFlag.size())), result);
    } else {
      (result.folder.empty() ? result.folder : result.filter) = argument;
    }
  }
  return result;
}

int main(int argc, char **argv) {
  Arguments arguments = parseArguments({argv + 1, argv + argc});
  if (arguments.operators) {
    printOperators();
    return 0;
  }
  std::error_code error;
  const std::string &target = arguments.mode.target;
  bool knownTarget = target == "interp" || target == "cpu" || rt::isGpuTarget(target);
  if (arguments.folder.empty() || !fs::is_directory(arguments.folder, error) || !knownTarget ||
      arguments.shard >= arguments.numShards) {
    fmt::print(stderr, "usage: zyxc-onnx-node FOLDER [FILTER] [--target=interp|cpu|vulkan|..] "
                       "[--shard=I/N] [--verbose] [--open-dims=all|first] [--validate] "
                       "[--simulate]\n");
    return static_cast<int>(ErrorCode::Usage);
  }
  int counts[3] = {0, 0, 0};
  std::vector<Case> cases = findCases(arguments.folder, arguments.filter);
  std::vector<const Case *> mine;
  for (size_t i = arguments.shard; i < cases.size(); i += arguments.numShards) {
    mine.push_back(&cases[i]);
  }
  runAll(mine, arguments.mode, [&](const Case &test, const Verdict &verdict) {
    ++counts[static_cast<int>(verdict.outcome)];
    const char *labels[] = {"pass", "FAIL", "unsupported"};
    if (arguments.verbose || verdict.outcome == Outcome::Fail) {
      fmt::print("{}: {} ({}){}{}\n", labels[static_cast<int>(verdict.outcome)], test.name,
                 verdict.op, verdict.text.empty() ? "" : ": ", verdict.text);
    }
  });
  fmt::print("{} passed, {} failed, {} skipped\n", counts[0], counts[1], counts[2]);
  return counts[1] == 0 ? 0 : 1;
}

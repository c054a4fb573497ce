// zyxc-fuzz-graphs: random programs through the whole compiler, compared with the interpreter.
//
// usage: zyxc-fuzz-graphs [--count N] [--seed S] [--op OP] [--open] [--in-turn] [--keep]
//                         [--blas PATH|auto]
//                         [--print | --coverage | --tolerances | --fault FROM=TO]
// Program i has seed S + i. Each has this OP, where one is named. With --open sizes of inputs
// become variables: the program is compiled once and compared at many sizes. Each program is
// compiled in several ways (numerics, targets); with --in-turn in one of them, the next one each
// time. A program that fails is made smaller (--keep: is not) and printed as a module with its
// inputs. --print shows each program and runs none; --coverage runs none either, and prints how
// often each op occurs on each dtype: what is valid and occurs never is a failure. --tolerances
// runs none, too: it prints how many elements of the outputs must be equal, how many may differ and
// by how much, and how many are not compared.
// With --blas a BLAS library computes each product that it can, and a program for which it computes
// nothing is left out.
// --fault max=min compiles every max as a min: the programs that have one must fail.
// Exit status: 0 if all agree.
#include "test/fuzz/graphs/Check.h"
#include "test/fuzz/graphs/oracle/Tolerances.h"
#include "test/fuzz/graphs/program/Coverage.h"
#include "test/fuzz/graphs/program/Generate.h"
#include "test/fuzz/graphs/program/Open.h"
#include <charconv>
#include <cstdio>

using namespace zyxc;

namespace {
struct Arguments {
  uint64_t count = 100;
  uint64_t seed = 1;
  bool open = false;
  bool inTurn = false;
  bool keep = false;
  bool print = false;
  bool coverage = false;
  bool tolerances = false;
  std::optional<OpKind> op;
  fuzz::CheckOptions check;
};
} // namespace

static bool parseNumber(std::string_view text, uint64_t &number) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

static bool parseFault(std::string_view text, std::optional<fuzz::Fault> &fault) {
  size_t middle = std::min(text.find('='), text.size());
  std::optional<OpKind> from = parseOpKind(text.substr(0, middle));
  std::optional<OpKind> to = parseOpKind(text.substr(std::min(middle + 1, text.size())));
  if (from && to) {
    fault = {*from, *to};
  }
  return from && to;
}

static bool parse(std::span<char *const> list, Arguments &arguments) {
  for (size_t i = 0; i < list.size(); ++i) {
    std::string_view flag = list[i];
    bool hasValue = i + 1 < list.size();
    if (flag == "--count" && hasValue && parseNumber(list[i + 1], arguments.count)) {
      ++i;
    } else if (flag == "--seed" && hasValue && parseNumber(list[i + 1], arguments.seed)) {
      ++i;
    } else if (flag == "--open") {
      arguments.open = true;
    } else if (flag == "--in-turn") {
      arguments.inTurn = true;
    } else if (flag == "--keep") {
      arguments.keep = true;
    } else if (flag == "--print") {
      arguments.print = true;
    } else if (flag == "--coverage") {
      arguments.coverage = true;
    } else if (flag == "--tolerances") {
      arguments.tolerances = true;
    } else if (flag == "--op" && hasValue && parseOpKind(list[i + 1])) {
      arguments.op = parseOpKind(list[i + 1]);
      ++i;
    } else if (flag == "--blas" && hasValue) {
      arguments.check.blas = list[++i];
    } else if (flag == "--fault" && hasValue && parseFault(list[i + 1], arguments.check.fault)) {
      ++i;
    } else {
      return false;
    }
  }
  return true;
}

/// The program of a seed.
static fuzz::Graph programOf(uint64_t seed, const Arguments &arguments) {
  return arguments.open ? fuzz::generateOpen(seed, arguments.op)
                        : fuzz::generate(seed, arguments.op);
}

/// The first elements of each input.
static void printInputs(const fuzz::Graph &graph) {
  constexpr int64_t most = 16;
  int number = 0;
  for (const Tensor &input : graph.inputs()) {
    fmt::print("// arg{}:", number++);
    for (int64_t i = 0; i < std::min(most, input.numElements()); ++i) {
      fmt::print(" {:.9g}", input.asDouble(i));
    }
    fmt::print("{}\n", input.numElements() > most ? " ..." : "");
  }
}

/// Counts the ops of all programs; 0 if none is missing.
static int printCoverage(const Arguments &arguments) {
  fuzz::Coverage coverage;
  for (uint64_t i = 0; i < arguments.count; ++i) {
    coverage.add(programOf(arguments.seed + i, arguments));
  }
  fmt::print("{}{}", coverage.table(), arguments.open ? coverage.openTable() : "");
  std::vector<std::string> gaps = coverage.gaps();
  for (const std::string &gap : gaps) {
    fmt::print("never: {}\n", gap);
  }
  fmt::print("{} programs, {} gaps\n", arguments.count, gaps.size());
  return gaps.empty() ? 0 : 1;
}

/// Prints how closely the outputs of all programs are compared.
static int printTolerances(const Arguments &arguments) {
  fuzz::Tolerances tolerances;
  for (uint64_t i = 0; i < arguments.count; ++i) {
    uint64_t seed = arguments.seed + i;
    if (Status status = tolerances.add(programOf(seed, arguments)); !status.isOk()) {
      fmt::print("seed {}: {}\n", seed, status.message());
      return 1;
    }
  }
  fmt::print("{}", tolerances.table());
  return 0;
}

/// Runs the program of a seed; false, with a report, if it fails.
static bool runProgram(uint64_t seed, fuzz::Graph graph, const Arguments &arguments) {
  fuzz::CheckOptions options = arguments.check;
  if (arguments.inTurn) {
    options.way = seed;
  }
  std::string text = fuzz::check(graph, options);
  if (text.empty()) {
    return true;
  }
  fmt::print("seed {}: {}\n", seed, text);
  if (!arguments.keep) {
    graph = fuzz::minimized(std::move(graph), options);
    fmt::print("smaller: {}\n{}", fuzz::check(graph, options), fuzz::moduleText(graph));
    printInputs(graph);
  }
  std::fflush(stdout);
  return false;
}

int main(int argc, char **argv) {
  Arguments arguments;
  if (!parse({argv + 1, argv + argc}, arguments)) {
    fmt::print(
        stderr,
        "usage: zyxc-fuzz-graphs [--count N] [--seed S] [--op OP] [--open] [--in-turn] [--keep] "
        "[--blas PATH|auto] "
        "[--print | --coverage | --tolerances | --fault FROM=TO]\n");
    return static_cast<int>(ErrorCode::Usage);
  }
  if (arguments.coverage) {
    return printCoverage(arguments);
  }
  if (arguments.tolerances) {
    return printTolerances(arguments);
  }
  uint64_t failed = 0, skipped = 0;
  for (uint64_t seed = arguments.seed; seed < arguments.seed + arguments.count; ++seed) {
    fuzz::Graph graph = programOf(seed, arguments);
    if (arguments.open && graph.sizes.empty()) {
      ++skipped; // no such program has an axis that can be open
    } else if (!arguments.check.blas.empty() && !fuzz::usesBlas(graph)) {
      ++skipped;
    } else if (arguments.print) {
      fmt::print("// seed {}\n{}", seed, fuzz::moduleText(graph));
    } else {
      failed += !runProgram(seed, std::move(graph), arguments);
    }
  }
  if (!arguments.print) {
    fmt::print("{} passed, {} failed, {} skipped\n", arguments.count - failed - skipped, failed,
               skipped);
  }
  return failed == 0 ? 0 : 1;
}

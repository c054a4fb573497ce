// zyxc-fuzz-graphs: random programs through the whole compiler, compared with the interpreter.
//
// usage: zyxc-fuzz-graphs [--count N] [--seed S] [--keep] [--print]
// Program i has seed S + i. A program that fails is made smaller (--keep: is not) and printed as a
// module with its inputs. --print shows each program and runs none.
// Exit status: 0 if all agree.
#include "test/fuzz/graphs/Check.h"
#include "test/fuzz/graphs/Generate.h"
#include <charconv>
#include <cstdio>

using namespace zyxc;

namespace {
struct Arguments {
  uint64_t count = 100;
  uint64_t seed = 1;
  bool keep = false;
  bool print = false;
};
} // namespace

static bool parseNumber(std::string_view text, uint64_t &number) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

static bool parse(std::span<char *const> list, Arguments &arguments) {
  for (size_t i = 0; i < list.size(); ++i) {
    std::string_view flag = list[i];
    bool hasValue = i + 1 < list.size();
    if (flag == "--count" && hasValue && parseNumber(list[i + 1], arguments.count)) {
      ++i;
    } else if (flag == "--seed" && hasValue && parseNumber(list[i + 1], arguments.seed)) {
      ++i;
    } else if (flag == "--keep") {
      arguments.keep = true;
    } else if (flag == "--print") {
      arguments.print = true;
    } else {
      return false;
    }
  }
  return true;
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

int main(int argc, char **argv) {
  Arguments arguments;
  if (!parse({argv + 1, argv + argc}, arguments)) {
    fmt::print(stderr, "usage: zyxc-fuzz-graphs [--count N] [--seed S] [--keep] [--print]\n");
    return static_cast<int>(ErrorCode::Usage);
  }
  uint64_t failed = 0;
  for (uint64_t seed = arguments.seed; seed < arguments.seed + arguments.count; ++seed) {
    fuzz::Graph graph = fuzz::generate(seed);
    if (arguments.print) {
      fmt::print("// seed {}\n{}", seed, fuzz::moduleText(graph));
      continue;
    }
    std::string text = fuzz::check(graph);
    if (text.empty()) {
      continue;
    }
    ++failed;
    fmt::print("seed {}: {}\n", seed, text);
    if (!arguments.keep) {
      graph = fuzz::minimized(std::move(graph));
      fmt::print("smaller: {}\n{}", fuzz::check(graph), fuzz::moduleText(graph));
      printInputs(graph);
    }
    std::fflush(stdout);
  }
  if (!arguments.print) {
    fmt::print("{} passed, {} failed, 0 skipped\n", arguments.count - failed, failed);
  }
  return failed == 0 ? 0 : 1;
}

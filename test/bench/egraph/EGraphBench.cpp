// Times the e-graph engine on the public benchmarks, one thread: math-microbenchmark (egg's and
// egglog's), and chains of matrix products under associativity. What they must come to is known,
// and is checked: counts of nodes and classes, and the cheapest product by dynamic programming.
// Then what it costs to keep proofs, and how long they are.
//
// usage: zyxc-bench-egraph [MATH-PROGRAM] [LARGEST-CHAIN]
#include "compiler/egraph/pattern/Program.h"
#include "compiler/egraph/pattern/Saturate.h"
#include "compiler/egraph/proof/CheckProof.h"
#include "compiler/egraph/proof/Explainer.h"
#include "compiler/egraph/proof/FlatProof.h"
#include "runtime/support/File.h"
#include "runtime/support/Stopwatch.h"
#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fmt/format.h>
#include <random>
#include <sys/resource.h>

using namespace zyxc;
using namespace zyxc::egraph;

namespace {

constexpr GraphOptions tracked = {.keepLog = false, .trackAges = true};
constexpr Budget noLimit = {~0ull, ~0ull, ~0ull, ~0ull};

struct Timed {
  double wall = 0; ///< milliseconds
  double cpu = 0;  ///< milliseconds
};

long peakMegabytes() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss >> 10;
}

Expected<SaturateReport> timed(EGraph &graph, const std::vector<Rule> &rules,
                               const SaturateOptions &options, Timed &time) {
  std::clock_t start = std::clock();
  Stopwatch watch(time.wall);
  Expected<SaturateReport> report = saturate(graph, rules, options);
  time.cpu = 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  return report;
}

Status check(bool isRight, std::string_view what) {
  return isRight ? Status::ok() : makeError(ErrorCode::Verification, "{}", what);
}

Expected<Program> readProgram(const char *path) {
  ZYXC_ASSIGN(InputFile file, InputFile::open(path));
  ZYXC_ASSIGN(std::string text, file.readAll());
  Program program;
  ZYXC_RETURN_IF_ERROR(program.add(text));
  return program;
}

Status runMath(const char *path) {
  ZYXC_ASSIGN(Program program, readProgram(path));
  EGraph graph(nullptr, tracked);
  program.addStarts(graph);
  SaturateOptions options;
  options.budget = noLimit;
  options.budget.maxIterations = 11;
  Timed time;
  ZYXC_ASSIGN(SaturateReport report, timed(graph, program.rules, options, time));
  const IterationReport &last = report.iterations.back();
  fmt::print(
      "math-microbenchmark, 11 iterations: {} nodes, {} classes\n"
      "  {:.0f} ms ({:.0f} ms of CPU): {:.2f} million nodes a second of CPU; last iteration: "
      "search {:.0f}, apply {:.0f}, rebuild {:.0f} ms\n"
      "  graph {} MB, peak of the process {} MB\n",
      graph.numLiveNodes(), graph.numClasses(), time.wall, time.cpu,
      graph.numLiveNodes() / time.cpu / 1e3, last.search, last.apply, last.rebuild,
      graph.memoryBytes() >> 20, peakMegabytes());
  return check(graph.numLiveNodes() == 1'047'896 && graph.numClasses() == 443'832,
               "math-microbenchmark has other counts than the public ones");
}

/// What it costs to keep all that proofs need: math-microbenchmark without and with it, in turns.
Status runProofOverhead(const char *path) {
  ZYXC_ASSIGN(Program program, readProgram(path));
  SaturateOptions options;
  options.budget = noLimit;
  options.budget.maxIterations = 11;
  double cpu[2] = {HUGE_VAL, HUGE_VAL};
  size_t bytes[2] = {0, 0};
  for (int round = 0; round < 6; ++round) {
    int isKept = round % 2;
    EGraph graph(nullptr, {.keepLog = false, .trackAges = true, .keepMatches = isKept != 0});
    program.addStarts(graph);
    Timed time;
    ZYXC_ASSIGN(SaturateReport report, timed(graph, program.rules, options, time));
    ZYXC_RETURN_IF_ERROR(report.conflict);
    cpu[isKept] = std::min(cpu[isKept], time.cpu);
    bytes[isKept] = graph.memoryBytes();
  }
  fmt::print(
      "with what proofs need: {:.0f} instead of {:.0f} ms of CPU (times {:.2f}, least of 3), "
      "graph {} instead of {} MB (times {:.2f})\n",
      cpu[1], cpu[0], cpu[1] / cpu[0], bytes[1] >> 20, bytes[0] >> 20,
      static_cast<double>(bytes[1]) / static_cast<double>(bytes[0]));
  return check(cpu[1] < 2 * cpu[0] && bytes[1] < 2 * bytes[0],
               "keeping what proofs need costs twice the time or memory");
}

/// Proofs of random equal nodes of math-microbenchmark, each replayed by the checker.
Status runProofs(const char *path) {
  constexpr int count = 300;
  ZYXC_ASSIGN(Program program, readProgram(path));
  EGraph graph(nullptr, {.trackAges = true, .keepMatches = true});
  program.addStarts(graph);
  SaturateOptions options;
  options.budget = noLimit;
  options.budget.maxIterations = 9;
  ZYXC_ASSIGN(SaturateReport report, saturate(graph, program.rules, options));
  ZYXC_RETURN_IF_ERROR(report.conflict);
  std::mt19937 random(1);
  size_t steps = 0, rewrites = 0;
  double time = 0;
  Explainer explainer(graph, program.rules);
  for (int proofs = 0; proofs < count;) {
    NodeId first = random() % graph.numNodes();
    std::vector<NodeId> equal;
    for (NodeId node : graph.nodesOf(first)) {
      equal.push_back(node);
    }
    NodeId second = equal[random() % equal.size()];
    if (first == second) {
      continue;
    }
    ++proofs;
    Stopwatch watch(time);
    ZYXC_ASSIGN(Proof proof, explainer.explain(first, second));
    ZYXC_RETURN_IF_ERROR(checkProof(proof, {program.rules}));
    FlatProof flat = flatten(proof);
    steps += proof.steps.size();
    rewrites += flat.chain.rewrites.size();
    for (const RewriteChain &lemma : flat.lemmas) {
      rewrites += lemma.rewrites.size();
    }
  }
  fmt::print("{} proofs after 9 iterations, replayed: {:.1f} steps and {:.1f} rewrites, {:.2f} ms "
             "each\n",
             count, static_cast<double>(steps) / count, static_cast<double>(rewrites) / count,
             time / count);
  return Status::ok();
}

/// Multiplications of the cheapest order, by dynamic programming over intervals.
double cheapestByTable(const std::vector<double> &dims) {
  size_t n = dims.size() - 1;
  std::vector<std::vector<double>> cost(n, std::vector<double>(n, 0));
  for (size_t length = 2; length <= n; ++length) {
    for (size_t i = 0; i + length <= n; ++i) {
      size_t j = i + length - 1;
      cost[i][j] = HUGE_VAL;
      for (size_t k = i; k < j; ++k) {
        cost[i][j] =
            std::min(cost[i][j], cost[i][k] + cost[k + 1][j] + dims[i] * dims[k + 1] * dims[j + 1]);
      }
    }
  }
  return cost[0][n - 1];
}

/// The same from the classes of the graph: leaf `i` has dims i and i + 1.
double cheapestInGraph(const EGraph &graph, Id root, const std::vector<double> &dims) {
  struct Best {
    double cost = HUGE_VAL;
    double rows = 0, columns = 0;
  };
  std::vector<Best> best(graph.numNodes());
  for (bool changed = true; changed;) {
    changed = false;
    for (NodeId node = 0; node < graph.numNodes(); ++node) {
      if (!graph.isLive(node)) {
        continue;
      }
      Best made;
      if (std::span<const Id> operands = graph.children(node); operands.empty()) {
        made = {0, dims[graph.payload(node)], dims[graph.payload(node) + 1]};
      } else {
        const Best &left = best[operands[0]];
        const Best &right = best[operands[1]];
        made = {left.cost + right.cost + left.rows * left.columns * right.columns, left.rows,
                right.columns};
      }
      Best &known = best[graph.find(node)];
      if (made.cost < known.cost) {
        known = made;
        changed = true;
      }
    }
  }
  return best[graph.find(root)].cost;
}

Status runChain(uint64_t n) {
  Program program;
  ZYXC_RETURN_IF_ERROR(program.add("(* a (* b c)) = (* (* a b) c)"));
  uint32_t product = program.language.op("*", 2);
  std::mt19937 random(static_cast<unsigned>(n));
  std::vector<double> dims = {static_cast<double>(1 + random() % 100)};
  EGraph graph(nullptr, tracked);
  std::vector<Id> leaves;
  for (uint32_t i = 0; i < n; ++i) {
    dims.push_back(static_cast<double>(1 + random() % 100));
    leaves.push_back(graph.add(Language::atomOp, i, {}));
  }
  Id chain = leaves.back();
  for (size_t i = leaves.size() - 1; i-- > 0;) {
    Id operands[] = {leaves[i], chain};
    chain = graph.add(product, 0, operands);
  }
  SaturateOptions options;
  options.budget = noLimit;
  options.newRows = 0.03; // what is equal is found before it is added many times
  Timed time;
  ZYXC_ASSIGN(SaturateReport report, timed(graph, program.rules, options, time));
  double found = cheapestInGraph(graph, chain, dims);
  fmt::print("chain of {:>3}: {:>7} nodes, {:>5} classes, {:>9} matches in {} iterations, {:>6.0f} "
             "ms ({:.0f} ms of CPU), cheapest {:.0f}\n",
             n, graph.numLiveNodes(), graph.numClasses(), report.matches, report.iterations.size(),
             time.wall, time.cpu, found);
  ZYXC_RETURN_IF_ERROR(check(report.stop == StopReason::Saturated, "the chain is not saturated"));
  ZYXC_RETURN_IF_ERROR(check(graph.numLiveNodes() == (n * n * n - n) / 6 + n &&
                                 graph.numClasses() == n * (n + 1) / 2,
                             "the chain has other counts than the formulas give"));
  return check(found == cheapestByTable(dims), "the cheapest product is another than the table's");
}

Status runAll(std::span<char *const> arguments) {
  const char *math = arguments.size() > 1 ? arguments[1] : ZYXC_BENCH_MATH;
  ZYXC_RETURN_IF_ERROR(runMath(math));
  uint64_t largest = arguments.size() > 2 ? std::strtoull(arguments[2], nullptr, 10) : 161;
  for (uint64_t n : {11, 21, 41, 81, 161}) {
    if (n <= largest) {
      ZYXC_RETURN_IF_ERROR(runChain(n));
    }
  }
  fmt::print("peak of the process {} MB\n", peakMegabytes());
  ZYXC_RETURN_IF_ERROR(runProofOverhead(math));
  return runProofs(math);
}

} // namespace

int main(int argc, char **argv) {
  Status status = runAll({argv, static_cast<size_t>(argc)});
  if (!status.isOk()) {
    fmt::print(stderr, "{}\n", status.message());
  }
  return static_cast<int>(status.code());
}

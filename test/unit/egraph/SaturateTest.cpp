// Saturation with rules as data: public counts, the naive oracle, budgets, the scheduler.
#include "compiler/egraph/pattern/Saturate.h"
#include "compiler/egraph/pattern/Program.h"
#include "compiler/egraph/proof/NumberConflict.h"
#include "runtime/support/File.h"
#include "test/unit/egraph/NaiveSaturation.h"
#include "test/unit/egraph/RandomProgram.h"
#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <random>

using namespace zyxc;
using namespace zyxc::egraph;

namespace {

constexpr GraphOptions tracked = {.keepLog = true, .trackAges = true};

Program parse(std::string_view text) {
  Program program;
  Status status = program.add(text);
  INFO(status.message());
  REQUIRE(status.isOk());
  return program;
}

Program mathProgram() {
  Expected<InputFile> file = InputFile::open(ZYXC_TEST_BENCH "/math.egg");
  REQUIRE(file);
  Expected<std::string> text = file->readAll();
  REQUIRE(text);
  return parse(*text);
}

SaturateReport run(EGraph &graph, const Program &program, const SaturateOptions &options) {
  Expected<SaturateReport> report = saturate(graph, program.rules, options);
  REQUIRE(report);
  INFO(report->conflict.message());
  REQUIRE(report->conflict.isOk());
  return *report;
}

SaturateOptions iterations(uint64_t count) {
  SaturateOptions options;
  options.budget = {~0ull, ~0ull, count, ~0ull};
  options.verify = true;
  return options;
}

uint32_t liveNodes(const EGraph &graph, uint32_t op) {
  uint32_t count = 0;
  for (NodeId node : graph.nodesWithOp(op)) {
    count += graph.isLive(node);
  }
  return count;
}

} // namespace

TEST_CASE("math-microbenchmark has the public counts", "[saturate]") {
  Program program = mathProgram();
  CHECK(program.rules.size() == 24);
  CHECK(program.starts.size() == 7);
  EGraph graph(nullptr, tracked);
  program.addStarts(graph);
  SaturateOptions options = iterations(10);
  options.verify = false;
  SaturateReport report = run(graph, program, options);
  REQUIRE(report.iterations.size() == 10);
  CHECK(report.stop == StopReason::IterationLimit);
  CHECK(report.iterations[7].nodes == 8'113);
  CHECK(report.iterations[8].nodes == 28'303);
  CHECK(report.iterations[8].classes == 12'445);
  CHECK(report.iterations[9].nodes == 136'446);
  CHECK(report.iterations[9].classes == 58'464);
  CHECK(liveNodes(graph, program.language.op("pow", 2)) == 2);
  CHECK(liveNodes(graph, program.language.op("/", 2)) == 3);
  CHECK(liveNodes(graph, Language::numberOp) == 5);
  CHECK(liveNodes(graph, Language::atomOp) == 3);
  Status verified = graph.verify();
  INFO(verified.message());
  CHECK(verified.isOk());
  CHECK(checkNumbers(graph, program).isOk());
}

TEST_CASE("graphs with and without log, rules alone and together give the same counts",
          "[saturate]") {
  Program program = mathProgram();
  for (int variant = 0; variant < 4; ++variant) {
    EGraph graph(nullptr, {.keepLog = (variant & 1) != 0, .trackAges = true});
    program.addStarts(graph);
    SaturateOptions options = iterations(8);
    options.timeRules = variant >= 2;
    SaturateReport report = run(graph, program, options);
    CHECK(report.matches == 8'537);
    CHECK(graph.numLiveNodes() == 8'113);
    CHECK(graph.numClasses() == 3'576);
  }
}

TEST_CASE("random programs agree with naive saturation", "[saturate]") {
  const unsigned count = std::getenv("ZYXC_LONG_TESTS") ? 10'000 : 400;
  for (unsigned seed = 0; seed < count; ++seed) {
    std::mt19937 random(seed);
    std::string text = randomProgram(random);
    INFO("seed " << seed << ":\n" << text);
    Program program = parse(text);
    EGraph graph(nullptr, {.keepLog = seed % 2 == 0, .trackAges = true});
    NaiveSaturation naive;
    std::vector<Id> classes = program.addStarts(graph);
    std::vector<size_t> naiveClasses;
    naiveClasses.reserve(program.starts.size());
    for (const Pattern &start : program.starts) {
      naiveClasses.push_back(naive.addTerm(start));
    }
    // The engine runs through, so that it finds new matches only; the oracle starts anew each time.
    SaturateOptions options = iterations(4);
    options.timeRules = seed % 3 == 0;
    options.budget.maxNodes = 2'000;
    SaturateReport report = run(graph, program, options);
    if (report.stop == StopReason::NodeLimit) {
      continue;
    }
    for (const IterationReport &iteration : report.iterations) {
      if (naive.numNodes() > 250) {
        break;
      }
      naive.iterate(program.rules);
      REQUIRE(iteration.nodes == naive.numNodes());
      REQUIRE(iteration.classes == naive.numClasses());
    }
    for (size_t i = 0; naive.numNodes() <= 250 && i < classes.size(); ++i) {
      REQUIRE(graph.same(classes[0], classes[i]) ==
              (naive.find(naiveClasses[0]) == naive.find(naiveClasses[i])));
    }
  }
}

TEST_CASE("iterations that take few new rows end in the same graph", "[saturate]") {
  unsigned saturated = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    std::string text = randomProgram(random);
    INFO("seed " << seed << ":\n" << text);
    Program program = parse(text);
    std::vector<std::pair<uint32_t, uint32_t>> ends;
    for (double newRows : {0.0, 1e-9, 0.2}) {
      EGraph graph(nullptr, {.keepLog = true, .trackAges = true, .rowsPerTime = 1 + seed % 3});
      program.addStarts(graph);
      SaturateOptions options = iterations(1'000);
      options.budget.maxNodes = 400;
      options.newRows = newRows;
      options.leastNewRows = 4;
      SaturateReport report = run(graph, program, options);
      if (report.stop == StopReason::Saturated) {
        ends.emplace_back(graph.numLiveNodes(), graph.numClasses());
      }
    }
    // One that ends within the limit may not end in another order.
    for (const auto &end : ends) {
      REQUIRE(end == ends[0]);
    }
    saturated += ends.size() == 3;
  }
  CHECK(saturated > 100);
}

TEST_CASE("a chain of products saturates to the counts of the formulas", "[saturate]") {
  uint32_t n = 24;
  std::string chain = "m0";
  for (uint32_t i = 1; i < n; ++i) {
    chain = fmt::format("(* {} m{})", chain, i);
  }
  Program program = parse("(* a (* b c)) = (* (* a b) c)\n" + chain);
  uint64_t matches[2];
  for (int part = 0; part < 2; ++part) {
    EGraph graph(nullptr, tracked);
    program.addStarts(graph);
    SaturateOptions options = iterations(10'000);
    options.newRows = part ? 0.05 : 0;
    SaturateReport report = run(graph, program, options);
    CHECK(report.stop == StopReason::Saturated);
    CHECK(graph.numLiveNodes() == (n * n * n - n) / 6 + n);
    CHECK(graph.numClasses() == n * (n + 1) / 2);
    matches[part] = report.matches;
  }
  CHECK(matches[1] < matches[0]);
}

TEST_CASE("old matches are not found again", "[saturate]") {
  Program program = parse("(f a b) = (f b a)  (f 1 2)  (f 2 3)");
  EGraph graph(nullptr, tracked);
  program.addStarts(graph);
  SaturateReport report = run(graph, program, iterations(9));
  CHECK(report.stop == StopReason::Saturated);
  REQUIRE(report.iterations.size() == 2);
  CHECK(report.iterations[0].matches == 2);
  CHECK(report.iterations[1].matches == 2); // those of the swapped nodes
}

TEST_CASE("each limit stops a run, within its count", "[saturate]") {
  // Grows without end.
  Program program = parse("(f a b) => (f (g a) (g b))  (f a b) = (f b a)  (f x y)  (f y z)");
  struct {
    Budget budget;
    StopReason stop;
  } cases[] = {
      {{500, ~0ull, 1'000, ~0ull}, StopReason::NodeLimit},
      {{~0ull, 501, 1'000, ~0ull}, StopReason::MatchLimit},
      {{~0ull, ~0ull, 7, ~0ull}, StopReason::IterationLimit},
      {{~0ull, ~0ull, 1'000, 200'000}, StopReason::MemoryLimit},
  };
  for (const auto &limit : cases) {
    EGraph graph(nullptr, tracked);
    program.addStarts(graph);
    SaturateOptions options;
    options.budget = limit.budget;
    options.verify = true;
    SaturateReport report = run(graph, program, options);
    INFO(toString(report.stop));
    CHECK(report.stop == limit.stop);
    CHECK(report.matches <= limit.budget.maxMatches);
    CHECK(graph.numNodes() - 3 < limit.budget.maxNodes); // a match is applied as a whole
    CHECK(report.iterations.size() <= limit.budget.maxIterations);
    CHECK(graph.memoryBytes() / 2 <= limit.budget.maxBytes);
  }
}

TEST_CASE("a rule that is held back still ends in the same graph", "[saturate]") {
  Program program = parse("(f a (f b c)) = (f (f a b) c)  (f a b) = (f b a)\n"
                          "(f 1 (f 2 (f 3 (f 4 (f 5 6)))))");
  uint32_t nodes[2];
  for (int backoff = 0; backoff < 2; ++backoff) {
    EGraph graph(nullptr, tracked);
    program.addStarts(graph);
    SaturateOptions options = iterations(1'000);
    options.backoffMatches = backoff ? 10 : 0;
    SaturateReport report = run(graph, program, options);
    CHECK(report.stop == StopReason::Saturated);
    nodes[backoff] = graph.numLiveNodes();
    CHECK(graph.numClasses() == 63); // one for each set of the six numbers
    CHECK((report.rules[0].heldBack > 0) == (backoff == 1));
  }
  CHECK(nodes[0] == nodes[1]);
  CHECK(nodes[0] == 3 * 3 * 3 * 3 * 3 * 3 - 2 * 64 + 1 + 6); // ordered splits into two sets
}

TEST_CASE("counts of rules add up", "[saturate]") {
  Program program = parse("one: (f a b) = (f b a)  two: (f a 0) => a  (f x 0)  (f y 0)");
  EGraph graph(nullptr, tracked);
  program.addStarts(graph);
  uint32_t before = graph.numNodes();
  SaturateReport report = run(graph, program, iterations(9));
  REQUIRE(report.rules.size() == 2);
  CHECK(report.rules[0].name == "one");
  CHECK(report.rules[0].nodes == 2);
  CHECK(report.rules[1].unions == 2);
  CHECK(report.rules[0].matches + report.rules[1].matches == report.matches);
  CHECK(graph.numNodes() == before + 2);
}

TEST_CASE("rules with a common beginning share instructions", "[saturate]") {
  Program together = parse("(f a (g b)) => (g a)  (f a (g (g b))) => (g b)  (f a b) => (f b a)");
  std::vector<uint32_t> all = {0, 1, 2};
  Expected<Machine> machine = Machine::compile(together.rules, all);
  REQUIRE(machine);
  size_t alone = 0;
  for (uint32_t rule : all) {
    Expected<Machine> single = Machine::compile(together.rules, std::span(&rule, 1));
    REQUIRE(single);
    alone += single->size();
  }
  CHECK(machine->size() < alone);
}

TEST_CASE("two numbers in one class end a run with the rules behind it", "[saturate]") {
  Program program = parse("good: (f a b) = (f b a)  bad: (f a 1) => 2  (f 1 1)  one: (g a) => a\n"
                          "(g (f 1 1))  worse: (g a) => 3  more: (f a b) => (f (g a) b)");
  const char *messages[] = {
      "2 and 3 are in one class; the graph keeps no log of rules",
      "2 and 3 are in one class; rules that led there: bad, one, worse, more",
      "2 and 3 are in one class, by: bad backwards, one backwards, worse",
  };
  for (int kept = 0; kept < 3; ++kept) {
    EGraph graph(nullptr, {.keepLog = kept == 1, .trackAges = true, .keepMatches = kept == 2});
    program.addStarts(graph);
    SaturateOptions options = iterations(100);
    options.check = numberCheck(program);
    Expected<SaturateReport> report = saturate(graph, program.rules, options);
    REQUIRE(report);
    CHECK(report->stop == StopReason::Conflict);
    CHECK(report->iterations.size() == 1);
    CHECK(report->conflict.message() == messages[kept]);
  }
}

TEST_CASE("a graph that keeps matches says which one each union by a rule came by", "[saturate]") {
  Program program = parse("swap: (f a b) = (f b a)  drop: (f a (g b)) => a\n(f x (g y))  (f z 1)");
  EGraph graph(nullptr, {.keepLog = false, .trackAges = true, .keepMatches = true});
  std::vector<Id> starts = program.addStarts(graph);
  Id before = graph.numNodes();
  graph.unite(graph.add(Language::numberOp, 7, {}), starts[1], Reason::client(3));
  REQUIRE(graph.rebuild().isOk());
  run(graph, program, iterations(5));
  std::span<const UnionRecord> log = graph.unionLog();
  CHECK(graph.matchOf(0, 2).empty());
  unsigned rules = 0;
  for (size_t place = 1; place < log.size(); ++place) {
    if (log[place].reason.kind != Reason::Kind::Rule) {
      continue;
    }
    ++rules;
    const Rule &rule = program.rules[log[place].reason.id];
    std::span<const Id> match = graph.matchOf(place, rule.numVariables);
    REQUIRE(match.size() == 3);
    CHECK(graph.same(match[rule.premises[0].cls], log[place].a));
    CHECK(std::ranges::all_of(match, [&](Id cls) { return cls <= before + 3; }));
  }
  CHECK(rules == 3);
  CHECK(graph.matchOf(log.size(), 2).empty());
}

TEST_CASE("a check of the caller ends a run", "[saturate]") {
  Program program = parse("(f a b) => (f (g a) (g b))  (f x y)");
  EGraph graph(nullptr, tracked);
  program.addStarts(graph);
  SaturateOptions options = iterations(100);
  options.check = [](const EGraph &graph) {
    return graph.numNodes() < 10 ? Status::ok() : makeError(ErrorCode::Input, "ten nodes");
  };
  Expected<SaturateReport> report = saturate(graph, program.rules, options);
  REQUIRE(report);
  CHECK(report->stop == StopReason::Conflict);
  CHECK(report->conflict.message() == "ten nodes");
  CHECK(report->iterations.size() < 10);
}

TEST_CASE("an array keeps its elements when it grows from bytes to pages", "[egraph]") {
  GrowingArray<uint32_t> array;
  for (uint32_t i = 0; i < 3'000'000; ++i) {
    array.append(i);
  }
  GrowingArray<uint32_t> other = std::move(array);
  REQUIRE(other.size() == 3'000'000);
  bool isWhole = true;
  for (uint32_t i = 0; i < other.size(); ++i) {
    isWhole &= other[i] == i;
  }
  CHECK(isWhole);
  CHECK(other.bytes() % pageGranule == 0);
}

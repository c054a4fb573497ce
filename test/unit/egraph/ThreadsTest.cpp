// Threads of the search change nothing: node ids, operands, classes and the union log are the same.
#include "compiler/egraph/pattern/Program.h"
#include "compiler/egraph/pattern/Saturate.h"
#include "runtime/support/File.h"
#include "test/unit/egraph/RandomProgram.h"
#include <catch2/catch.hpp>

using namespace zyxc;
using namespace zyxc::egraph;

namespace {

/// All of a graph that a user can see, and what the run counted.
struct Picture {
  std::vector<uint32_t> words;
  uint64_t matches = 0;
  StopReason stop = StopReason::Saturated;
  bool operator==(const Picture &) const = default;
};

Picture picture(const Program &program, SaturateOptions options, unsigned threads) {
  EGraph graph(nullptr, {.keepLog = true, .trackAges = true});
  program.addStarts(graph);
  options.threads = threads;
  Expected<SaturateReport> report = saturate(graph, program.rules, options);
  REQUIRE(report);
  REQUIRE(report->conflict.isOk());
  Picture result = {{}, report->matches, report->stop};
  for (NodeId node = 0; node < graph.numNodes(); ++node) {
    std::span<const Id> children = graph.children(node);
    result.words.insert(result.words.end(), {graph.op(node), graph.payload(node), graph.find(node),
                                             graph.age(node), graph.isLive(node)});
    result.words.insert(result.words.end(), children.begin(), children.end());
  }
  for (const UnionRecord &record : graph.unionLog()) {
    result.words.insert(result.words.end(), {record.a, record.b, record.reason.id});
  }
  return result;
}

} // namespace

TEST_CASE("math-microbenchmark is the same graph on 1, 2, 3 and 7 threads", "[saturate]") {
  Expected<InputFile> file = InputFile::open(ZYXC_TEST_BENCH "/math.egg");
  REQUIRE(file);
  Expected<std::string> text = file->readAll();
  REQUIRE(text);
  Program program;
  REQUIRE(program.add(*text).isOk());
  for (double newRows : {0.0, 0.02}) {
    SaturateOptions options;
    options.budget = {~0ull, ~0ull, newRows == 0 ? 9ull : 40ull, ~0ull};
    options.newRows = newRows;
    Picture alone = picture(program, options, 1);
    REQUIRE(alone.words.size() > 10'000);
    for (unsigned threads : {2, 3, 7}) {
      CHECK((picture(program, options, threads) == alone));
    }
    // A limit in the middle of a search leaves the first matches, in order.
    options.budget.maxMatches = alone.matches - alone.matches / 3;
    Picture limited = picture(program, options, 1);
    CHECK(limited.stop == StopReason::MatchLimit);
    CHECK((picture(program, options, 3) == limited));
  }
}

TEST_CASE("random programs are the same graph on several threads", "[saturate]") {
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    std::string text = randomProgram(random);
    INFO("seed " << seed << ":\n" << text);
    Program program;
    REQUIRE(program.add(text).isOk());
    SaturateOptions options;
    options.budget = {1'000, ~0ull, 8, ~0ull};
    options.backoffMatches = seed % 3 == 0 ? 20 : 0;
    options.newRows = seed % 2 == 0 ? 0.1 : 0;
    options.leastNewRows = 8;
    Picture alone = picture(program, options, 1);
    for (unsigned threads : {2, 7}) {
      CHECK((picture(program, options, threads) == alone));
    }
  }
}

#include "compiler/extract/DualBound.h"
#include "compiler/extract/PriceBound.h"
#include "test/unit/extract/RandomProblem.h"
#include <catch2/catch.hpp>
#include <cstdlib>
#include <optional>

using namespace zyxc;
using namespace zyxc::extract;

namespace {

/// Cost of a subset of candidates, if it is closed, acyclic and without conflict.
std::optional<int64_t> costOf(const Problem &problem, uint32_t subset) {
  for (auto [a, b] : problem.conflicts) {
    if ((subset >> a & 1) && (subset >> b & 1)) {
      return std::nullopt;
    }
  }
  std::vector<bool> present(problem.numClasses, false);
  for (uint32_t cls : problem.given) {
    present[cls] = true;
  }
  int64_t cost = 0;
  uint32_t left = subset;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t k = 0; k < problem.candidates.size(); ++k) {
      const Candidate &candidate = problem.candidates[k];
      if (!(left >> k & 1) || !std::all_of(candidate.inputs.begin(), candidate.inputs.end(),
                                           [&](uint32_t cls) { return present[cls]; })) {
        continue;
      }
      for (uint32_t output : candidate.outputs) {
        present[output] = true;
      }
      cost += candidate.cost;
      left &= ~(1u << k);
      changed = true;
    }
  }
  bool complete = left == 0 && std::all_of(problem.required.begin(), problem.required.end(),
                                           [&](uint32_t cls) { return present[cls]; });
  return complete ? std::optional(cost) : std::nullopt;
}

std::optional<int64_t> bruteForce(const Problem &problem) {
  std::optional<int64_t> best;
  for (uint32_t subset = 0; subset < 1u << problem.candidates.size(); ++subset) {
    if (std::optional<int64_t> cost = costOf(problem, subset); cost && (!best || *cost < *best)) {
      best = cost;
    }
  }
  return best;
}

void compareWithBruteForce(Shape shape, uint32_t seed, int count) {
  if (std::getenv("ZYXC_LONG_TESTS")) {
    count *= 50;
  }
  std::mt19937 random(seed);
  int solved = 0;
  for (int i = 0; i < count; ++i) {
    Problem problem = randomProblem(random, shape);
    std::optional<int64_t> expected = bruteForce(problem);
    // Small problems are proved by their states; every other one is branched on all the way.
    Expected<Solution> solution = solve(problem, {.stateShare = i % 2 == 0 ? 0u : 4u});
    CAPTURE(i);
    // With conflicts the solver may give up where a choice exists: it needs a first one without.
    if (!solution) {
      REQUIRE((!expected || shape.conflicts));
      continue;
    }
    REQUIRE(expected);
    Status status = check(problem, *solution);
    INFO(status.message());
    REQUIRE(status.isOk());
    REQUIRE(solution->cost == *expected);
    REQUIRE(solution->proved);
    ++solved;
  }
  REQUIRE(solved > count / 4);
}

} // namespace

// 24 000 problems, in the long mode 1 200 000.
TEST_CASE("extraction equals brute force on random hypergraphs", "[extract]") {
  constexpr int count = 4000;
  SECTION("plain") {
    compareWithBruteForce({}, 1, count);
  }
  SECTION("several outputs") {
    compareWithBruteForce({.multiOutput = true}, 2, count);
  }
  SECTION("cycles") {
    compareWithBruteForce({.cyclic = true}, 3, count);
  }
  SECTION("conflicts") {
    compareWithBruteForce({.conflicts = true}, 4, count);
  }
  SECTION("everything") {
    compareWithBruteForce({.cyclic = true, .multiOutput = true, .conflicts = true}, 5, count);
  }
  SECTION("cycles and several outputs") {
    compareWithBruteForce({.cyclic = true, .multiOutput = true}, 6, count);
  }
}

TEST_CASE("a shared candidate is paid for once", "[extract]") {
  // 0 -> 1 costs 10; 1 -> 2 and 1 -> 3 cost 1; or 0 -> 2 and 0 -> 3 cost 7 each.
  Problem problem{4, {0}, {2, 3}, {}, {}};
  problem.candidates = {{{0}, {1}, 10}, {{1}, {2}, 1}, {{1}, {3}, 1}, {{0}, {2}, 7}, {{0}, {3}, 7}};
  Expected<Solution> solution = solve(problem);
  REQUIRE(solution);
  CHECK(solution->cost == 12);
  CHECK(solution->chosen == std::vector<uint32_t>{0, 1, 2});
}

TEST_CASE("a long chain with alternatives is proved in few states", "[extract]") {
  // Each stage has three forms; from every form of a stage to every form of the next.
  constexpr uint32_t stages = 200;
  Problem problem{3 * stages + 1, {3 * stages}, {0}, {}, {}};
  for (uint32_t stage = 0; stage < stages; ++stage) {
    for (uint32_t form = 0; form < 3; ++form) {
      for (uint32_t source = 0; source < 3; ++source) {
        uint32_t input = stage + 1 == stages ? 3 * stages : 3 * (stage + 1) + source;
        int64_t cost = 10 + (stage * 7 + form * 5 + source * 3) % 11;
        problem.candidates.push_back({{input}, {3 * stage + form}, cost});
      }
    }
  }
  Expected<Solution> solution = solve(problem);
  REQUIRE(solution);
  CHECK(solution->proved);
  CHECK(solution->searchNodes <= 3 * stages + 1);
  CHECK(check(problem, *solution).isOk());
}

TEST_CASE("a budget of search nodes leaves a valid bound", "[extract]") {
  std::mt19937 random(6);
  for (int i = 0; i < 4000; ++i) {
    Problem problem = randomProblem(random, {.cyclic = i % 2 == 0});
    Expected<Solution> full = solve(problem);
    auto budget = static_cast<uint64_t>(1 + i % 40);
    uint32_t stateShare = i % 3 == 0 ? 0u : 4u;
    Expected<Solution> cut =
        solve(problem, {.searchNodes = budget, .boundRounds = 1, .stateShare = stateShare});
    REQUIRE(static_cast<bool>(full) == static_cast<bool>(cut));
    if (full) {
      CHECK(cut->cost >= full->cost);
      CHECK(cut->lowerBound <= full->cost);
      CHECK(check(problem, *cut).isOk());
      CHECK_FALSE(cut->endedByTime);
      Expected<Solution> small =
          solve(problem, {.stateShare = stateShare, .memory = uint64_t(i % 40) * 100});
      REQUIRE(small);
      CHECK(small->cost >= full->cost);
      CHECK(small->lowerBound <= full->cost);
      CHECK((small->proved || small->memoryHits > 0));
      CHECK(check(problem, *small).isOk());
    }
  }
}

TEST_CASE("what dual ascent finds in the rest of the costs adds to the bound by prices",
          "[extract]") {
  std::mt19937 random(8);
  int better = 0;
  for (int i = 0; i < 2000; ++i) {
    Problem problem = randomProblem(random, {.cyclic = true});
    Expected<Model> model = makeModel(problem);
    std::optional<int64_t> expected = bruteForce(problem);
    REQUIRE(static_cast<bool>(model) == expected.has_value());
    if (!model || model->required.empty()) {
      continue;
    }
    Effort effort(uint64_t(1) << 40);
    PriceBound prices(*model, 1000, {});
    prices.raise(1 + i % 3, effort);
    std::vector<int64_t> left = prices.residual();
    CHECK(std::all_of(left.begin(), left.end(), [](int64_t cost) { return cost >= 0; }));
    DualBound rest(*model, left, 100, effort);
    DualBound alone(*model, 100, effort);
    int64_t bound = prices.boundWith(rest.total());
    CHECK(bound <= *expected);
    CHECK(bound >= prices.lowerBound());
    better += bound > std::max(prices.lowerBound(), alone.total());
  }
  CHECK(better > 3);
}

TEST_CASE("a time limit that is over at once leaves a valid choice that says so", "[extract]") {
  // Two classes that share one are cheapest together, which no look at one of them finds.
  Problem problem{3, {}, {1, 2}, {}, {}};
  problem.candidates = {{{}, {0}, 5}, {{0}, {1}, 1}, {{0}, {2}, 1}, {{}, {1}, 4}, {{}, {2}, 4}};
  Expected<Solution> cut = solve(problem, {.seconds = 1e-9});
  REQUIRE(cut);
  CHECK(check(problem, *cut).isOk());
  CHECK(cut->cost == 8);
  CHECK(cut->lowerBound <= 7);
  CHECK(cut->endedByTime);
  Expected<Solution> whole = solve(problem, {.seconds = 1000});
  REQUIRE(whole);
  CHECK(whole->cost == 7);
  CHECK_FALSE(whole->endedByTime);
}

TEST_CASE("a limit of memory ends what meets it with a valid bound", "[extract]") {
  // Every class of a row needs two of the next one, at random costs: many classes are open at once.
  std::mt19937 random(7);
  constexpr uint32_t width = 12;
  constexpr uint32_t rows = 6;
  Problem problem{width * rows, {}, {}, {}, {}};
  auto pick = [&](uint32_t low, uint32_t high) {
    return std::uniform_int_distribution<uint32_t>(low, high)(random);
  };
  for (uint32_t cls = 0; cls < problem.numClasses; ++cls) {
    for (int k = 0; k < 3; ++k) {
      Candidate candidate{{}, {cls}, pick(1, 1000)};
      for (int i = 0; cls >= width && i < 2; ++i) {
        candidate.inputs.push_back(pick(0, width - 1) + cls / width * width - width);
      }
      problem.candidates.push_back(candidate);
    }
  }
  for (uint32_t i = 0; i < width; ++i) {
    problem.required.push_back(problem.numClasses - 1 - i);
  }
  Limits limits{.searchNodes = 3000, .stateShare = 1};
  Expected<Solution> free = solve(problem, limits);
  REQUIRE(free);
  CHECK(free->memoryHits == 0);
  for (uint64_t bytes : {uint64_t(0), uint64_t(1) << 12, uint64_t(1) << 16, uint64_t(1) << 20}) {
    limits.memory = bytes;
    Expected<Solution> cut = solve(problem, limits);
    CAPTURE(bytes);
    REQUIRE(cut);
    CHECK(check(problem, *cut).isOk());
    CHECK(cut->memoryHits > 0);
    CHECK(cut->lowerBound <= free->cost);
    CHECK(cut->searchNodes < free->searchNodes);
    Expected<Solution> again = solve(problem, limits);
    REQUIRE(again);
    CHECK(again->chosen == cut->chosen);
    CHECK(again->lowerBound == cut->lowerBound);
    CHECK(again->memoryHits == cut->memoryHits);
  }
}

TEST_CASE("the checker refuses wrong solutions", "[extract]") {
  Problem problem{3, {0}, {2}, {}, {}};
  problem.candidates = {{{0}, {1}, 1}, {{1}, {2}, 1}};
  CHECK(check(problem, {{0, 1}, 2, 2, true}).isOk());
  CHECK_FALSE(check(problem, {{1, 0}, 2, 2, true}).isOk()); // reads too early
  CHECK_FALSE(check(problem, {{0}, 1, 1, true}).isOk());    // not produced
  CHECK_FALSE(check(problem, {{0, 1}, 3, 3, true}).isOk()); // wrong cost
  CHECK_FALSE(check(problem, {{0, 1}, 2, 1, true}).isOk()); // not proved
  problem.conflicts = {{0, 1}};
  CHECK_FALSE(check(problem, {{0, 1}, 2, 2, true}).isOk());
}

#include "compiler/extract/Heuristic.h"
#include "test/unit/extract/RandomProblem.h"
#include <catch2/catch.hpp>

using namespace zyxc;
using namespace zyxc::extract;

TEST_CASE("greedy choice by DAG cost sees what a class shares below it", "[extract]") {
  // Class 3 is made of 1 and 2, which both read 0, or on its own: 5 + 1 + 1 + 1 beats 9, but as a
  // tree it costs 13.
  Problem problem{4, {}, {3}, {}, {}};
  problem.candidates = {{{}, {0}, 5}, {{0}, {1}, 1}, {{0}, {2}, 1}, {{1, 2}, {3}, 1}, {{}, {3}, 9}};
  for (auto [heuristic, cost] :
       {std::pair(Heuristic::Tree, 9), {Heuristic::GreedyDag, 8}, {Heuristic::GreedyDagFifo, 8}}) {
    Expected<HeuristicSolution> found = solveBy(heuristic, problem);
    REQUIRE(found);
    CHECK(found->solution.cost == cost);
    CHECK(check(problem, found->solution).isOk());
  }
}

TEST_CASE("heuristics give valid choices, none cheaper than the exact one", "[extract]") {
  std::mt19937 random(7);
  int solved = 0;
  for (int i = 0; i < 2000; ++i) {
    Problem problem = randomProblem(random, {.cyclic = i % 2 == 0, .multiOutput = i % 3 == 0});
    Expected<Solution> exact = solve(problem);
    for (Heuristic heuristic : {Heuristic::Tree, Heuristic::GreedyDag, Heuristic::GreedyDagFifo}) {
      Expected<HeuristicSolution> found = solveBy(heuristic, problem);
      REQUIRE(static_cast<bool>(found) == static_cast<bool>(exact));
      if (found) {
        Status status = check(problem, found->solution);
        INFO(status.message());
        CHECK(status.isOk());
        CHECK(found->solution.cost >= exact->cost);
        ++solved;
      }
    }
  }
  CHECK(solved > 1000);
}

TEST_CASE("no first choice is dearer than the greedy one by DAG cost", "[extract]") {
  std::mt19937 random(8);
  for (int i = 0; i < 2000; ++i) {
    Problem problem = randomProblem(random, {.cyclic = i % 2 == 0});
    Expected<Solution> first = solve(problem, {.searchNodes = 1, .boundRounds = 1});
    Expected<HeuristicSolution> greedy = solveBy(Heuristic::GreedyDag, problem);
    REQUIRE(static_cast<bool>(first) == static_cast<bool>(greedy));
    if (first) {
      CHECK(first->cost <= greedy->solution.cost);
    }
  }
}

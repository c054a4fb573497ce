#include "compiler/plan/choose/Parts.h"
#include "test/unit/fixtures/Layers.h"
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

using namespace zyxc;

namespace {

/// A chain of blocks; each makes its last class from the last class of the block before.
struct Blocks {
  extract::Problem problem;
  std::vector<uint32_t> borders; ///< the last class of each block

  /// A block of random candidates, the same for the same seed.
  void add(uint32_t seed) {
    std::mt19937 random(seed);
    auto pick = [&](uint32_t low, uint32_t high) {
      return std::uniform_int_distribution(low, high)(random);
    };
    uint32_t first = problem.numClasses;
    uint32_t size = pick(3, 6);
    for (uint32_t i = 0; i < size; ++i) {
      uint32_t cls = first + i;
      auto below = [&] {
        return i == 0 ? border() : pick(0, 3) == 0 ? border() : first + pick(0, i - 1);
      };
      for (uint32_t way = pick(1, 3); way > 0; --way) {
        std::vector<uint32_t> inputs = {below()};
        if (uint32_t second = below(); second != inputs[0]) {
          inputs.push_back(second);
        }
        problem.candidates.push_back({inputs, {cls}, pick(1, 50)});
      }
    }
    problem.numClasses += size;
    borders.push_back(problem.numClasses - 1);
  }

  uint32_t border() const { return borders.empty() ? 0 : borders.back(); }
  void finish() { problem.required = {borders.back()}; }
  static Blocks begin() {
    Blocks blocks;
    blocks.problem.numClasses = 1;
    blocks.problem.given = {0};
    return blocks;
  }
};

/// All borders but the last, which is required anyway.
std::span<const uint32_t> between(const Blocks &blocks) {
  return std::span(blocks.borders).first(blocks.borders.size() - 1);
}

} // namespace

TEST_CASE("parts cost what the whole costs when all borders are produced", "[extract]") {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    Blocks blocks = Blocks::begin();
    for (uint32_t i = 0; i < 6; ++i) {
      blocks.add(seed * 3 + (i * i + seed) % 3);
    }
    blocks.finish();
    plan::PartSolver solver(blocks.problem, {});
    auto byParts = solver.solve(between(blocks));
    REQUIRE(byParts);
    CHECK(byParts->parts == 6);
    CHECK(byParts->distinct <= 3);
    CHECK(solver.numSearched() == byParts->distinct);
    REQUIRE(extract::check(blocks.problem, byParts->solution).isOk());
    extract::Problem whole = blocks.problem;
    whole.required = blocks.borders;
    auto expected = extract::solve(whole);
    REQUIRE(expected);
    CHECK(byParts->solution.cost == expected->cost);
    CHECK(byParts->solution.proved);
  }
}

TEST_CASE("equal parts are searched once, others are not mixed with them", "[extract]") {
  Blocks blocks = Blocks::begin();
  for (int i = 0; i < 48; ++i) {
    blocks.add(7);
  }
  blocks.finish();
  plan::PartSolver solver(blocks.problem, {});
  auto equal = solver.solve(between(blocks));
  REQUIRE(equal);
  CHECK(solver.numSearched() == 1);
  CHECK(equal->solution.cost % 48 == 0);

  // One candidate that costs less, in one block: that block is another part.
  size_t perBlock = blocks.problem.candidates.size() / 48;
  for (size_t k = 20 * perBlock; k < 21 * perBlock; ++k) {
    blocks.problem.candidates[k].cost -= 1;
  }
  plan::PartSolver again(blocks.problem, {});
  auto other = again.solve(between(blocks));
  REQUIRE(other);
  CHECK(other->distinct == 2);
  CHECK(again.numSearched() == 2);
  CHECK(other->solution.cost < equal->solution.cost);
  REQUIRE(extract::check(blocks.problem, other->solution).isOk());
}

TEST_CASE("borders that cut badly give no solution", "[extract]") {
  Blocks blocks = Blocks::begin();
  for (int i = 0; i < 4; ++i) {
    blocks.add(11);
  }
  blocks.finish();
  auto isSolved = [&] {
    return plan::PartSolver(blocks.problem, {}).solve(between(blocks)).has_value();
  };
  REQUIRE(isSolved());
  SECTION("a candidate that leads around a border") {
    blocks.problem.candidates.push_back({{blocks.borders[0] - 1}, {blocks.borders[1]}, 1});
    CHECK_FALSE(isSolved());
    std::vector<bool> dropped(blocks.problem.candidates.size(), false);
    dropped.back() = true;
    CHECK(plan::PartSolver(blocks.problem, {}).solve(between(blocks), dropped));
  }
  SECTION("a conflict between two parts") {
    auto last = static_cast<uint32_t>(blocks.problem.candidates.size() - 1);
    blocks.problem.conflicts = {{0, last}};
    CHECK_FALSE(isSolved());
  }
  SECTION("a border that cannot be produced") {
    std::erase_if(blocks.problem.candidates, [&](const extract::Candidate &candidate) {
      return candidate.outputs[0] == blocks.borders[1];
    });
    CHECK_FALSE(isSolved());
  }
  SECTION("parts that need each other") {
    for (extract::Candidate &candidate : blocks.problem.candidates) {
      if (candidate.inputs[0] == 0) {
        candidate.inputs[0] = blocks.borders[2];
      }
    }
    blocks.problem.given.clear();
    CHECK_FALSE(isSolved());
  }
}

TEST_CASE("layers are cut between them, and equal parts are chosen once", "[plan]") {
  KernelGraph g;
  buildLayers(g, std::vector<LayerSpec>(18));
  Planned whole = makePlan(g.graph);
  auto sets = plan::findBorders(g.graph, whole.table, {.leastCandidates = 0});
  REQUIRE_FALSE(sets.empty());
  CHECK(sets[0].classes.size() >= 12);
  CHECK(sets[0].alive == 1);
  auto found = plan::chooseByParts(g.graph, whole.table, sets);
  REQUIRE(found);
  REQUIRE(*found);
  const plan::Choice &choice = **found;
  // The last one is followed by a tanh, not by a layer, and is better not stored.
  CHECK(choice.borders == sets[0].classes.size() - 1);
  CHECK(choice.parts == choice.borders + 1);
  CHECK(choice.cost == whole.choice.cost);
  CHECK(choice.proved);
  CHECK(choice.distinctParts <= 3);
  CHECK(plan::describeParts(choice).find("tensors between equal parts") != std::string::npos);
  CHECK(plan::describeParts(whole.choice).empty());
}

TEST_CASE("a tensor that all layers read does not join them", "[plan]") {
  KernelGraph g;
  buildLayers(g, std::vector<LayerSpec>(14), /*masked=*/true);
  Planned whole = makePlan(g.graph);
  Planned byParts = checkPlanByParts(g);
  CHECK(byParts.choice.parts >= byParts.choice.borders);
  CHECK(byParts.choice.distinctParts <= 4);
  CHECK(byParts.choice.proved);
  CHECK(byParts.choice.cost == whole.choice.cost);
}

TEST_CASE("few layers, and tables that are small, are searched whole", "[plan]") {
  KernelGraph g;
  buildLayers(g, std::vector<LayerSpec>(5));
  auto table = kernelize::buildCandidates(g.graph);
  REQUIRE(table);
  CHECK(plan::findBorders(g.graph, *table, {.leastCandidates = 0}).empty());
  CHECK(plan::findBorders(g.graph, *table, {.leastCandidates = 100000, .leastBorders = 2}).empty());
}

TEST_CASE("plans of layers that differ are right by parts", "[plan]") {
  std::vector<LayerSpec> layers(18);
  layers[4] = {.scale = 0.25};
  layers[6] = {.width = 40};
  layers[9] = {.activation = OpKind::Exp};
  KernelGraph g;
  buildLayers(g, layers);
  checkPlanByParts(g);
}

#include "compiler/kernelize/CutFront.h"
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <set>

using namespace zyxc;
using namespace zyxc::kernelize;

namespace {

bool dominates(const Cut &b, const Cut &a) {
  return b.anchor == a.anchor && b.ops <= a.ops && b.flops <= a.flops && b.levels <= a.levels &&
         b.gathers <= a.gathers &&
         std::includes(a.inputs.begin(), a.inputs.end(), b.inputs.begin(), b.inputs.end());
}

/// By all pairs: who comes later of two equal ones loses.
std::vector<uint32_t> slowFront(const std::vector<Cut> &cuts) {
  auto isBefore = [&](uint32_t a, uint32_t b) {
    return std::pair(cuts[a].flow, a) < std::pair(cuts[b].flow, b);
  };
  std::vector<uint32_t> front;
  for (uint32_t a = 0; a < cuts.size(); ++a) {
    bool isLost = false;
    for (uint32_t b = 0; b < cuts.size(); ++b) {
      isLost |=
          a != b && dominates(cuts[b], cuts[a]) && (!dominates(cuts[a], cuts[b]) || isBefore(b, a));
    }
    if (!isLost) {
      front.push_back(a);
    }
  }
  std::sort(front.begin(), front.end(), isBefore);
  return front;
}

std::vector<Cut> randomCuts(std::mt19937 &random, size_t count) {
  auto pick = [&](uint32_t below) {
    return std::uniform_int_distribution<uint32_t>(0, below - 1)(random);
  };
  std::vector<Cut> cuts(count);
  for (Cut &cut : cuts) {
    std::set<uint32_t> inputs;
    for (uint32_t i = pick(5); i > 0; --i) {
      inputs.insert(pick(8));
    }
    cut.inputs.assign(inputs.begin(), inputs.end());
    cut.interior.resize(1 + pick(4));
    cut.ops = pick(4);
    cut.flops = pick(3);
    cut.levels = static_cast<int>(pick(2));
    cut.gathers = pick(4) == 0;
    cut.anchor = pick(3) == 0 ? pick(2) : egraph::none;
    cut.flow = pick(6);
  }
  return cuts;
}

/// A sum of leaves in all its forms: each way to part n leaves into sums that are read.
std::vector<Cut> cutsOfSum(uint32_t leaves) {
  std::vector<Cut> cuts;
  std::vector<uint32_t> parts; // sets of leaves as bits
  auto place = [&](auto &self, uint32_t leaf) -> void {
    if (leaf == leaves) {
      Cut cut;
      cut.inputs.assign(parts.begin(), parts.end());
      std::sort(cut.inputs.begin(), cut.inputs.end());
      cut.ops = static_cast<double>(parts.size()) - 1;
      cut.flow = static_cast<double>(cuts.size() * 7919 % 1000);
      cuts.push_back(std::move(cut));
      return;
    }
    for (size_t i = 0; i < parts.size(); ++i) {
      parts[i] |= 1u << leaf;
      self(self, leaf + 1);
      parts[i] &= ~(1u << leaf);
    }
    parts.push_back(1u << leaf);
    self(self, leaf + 1);
    parts.pop_back();
  };
  place(place, 0);
  return cuts;
}

} // namespace

TEST_CASE("the cuts worth keeping are those that no other replaces", "[kernelize]") {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    std::vector<Cut> cuts = randomCuts(random, round % 60);
    CAPTURE(round);
    REQUIRE(undominated(cuts).kept == slowFront(cuts));
  }
}

TEST_CASE("pruned cuts are the best ones, the most fused and the most stored", "[kernelize]") {
  std::mt19937 random(2);
  for (int round = 0; round < 500; ++round) {
    std::vector<Cut> cuts = randomCuts(random, 40);
    std::vector<uint32_t> front = slowFront(cuts);
    int64_t dropped = 0;
    std::vector<Cut> kept = prune(cuts, 3, dropped);
    REQUIRE(kept.size() >= std::min<size_t>(3, front.size()));
    REQUIRE(kept.size() <= std::min<size_t>(5, front.size()));
    REQUIRE(dropped == std::max<int64_t>(0, static_cast<int64_t>(front.size()) - 3));
    for (size_t i = 0; i < std::min<size_t>(3, front.size()); ++i) {
      CHECK(kept[i].inputs == cuts[front[i]].inputs);
      CHECK(kept[i].flow == cuts[front[i]].flow);
    }
    auto least = [](const auto &list, auto size) {
      size_t best = ~size_t{0};
      for (const auto &entry : list) {
        best = std::min(best, size(entry));
      }
      return best;
    };
    CHECK(least(kept, [](const Cut &cut) { return cut.inputs.size(); }) ==
          least(front, [&](uint32_t a) { return cuts[a].inputs.size(); }));
    CHECK(least(kept, [](const Cut &cut) { return cut.interior.size(); }) ==
          least(front, [&](uint32_t a) { return cuts[a].interior.size(); }));
  }
}

TEST_CASE("a class with very many cuts takes no work in their square", "[kernelize]") {
  // 203, 4140 and 115975 cuts, none of which replaces another.
  for (uint32_t leaves : {6u, 8u, 10u}) {
    std::vector<Cut> cuts = cutsOfSum(leaves);
    CutFront front = undominated(cuts);
    CAPTURE(leaves, cuts.size(), front.steps);
    CHECK(front.kept.size() == cuts.size());
    CHECK(front.steps <= 100 * cuts.size());
  }
}

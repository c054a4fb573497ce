#include "runtime/support/SubsetIndex.h"
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <set>

using namespace zyxc;

TEST_CASE("an index of sets finds what stands under subsets", "[support]") {
  std::mt19937 random(1);
  auto pick = [&](uint32_t below) {
    return std::uniform_int_distribution<uint32_t>(0, below - 1)(random);
  };
  for (int round = 0; round < 200; ++round) {
    uint32_t universe = 2 + pick(12);
    auto randomSet = [&] {
      std::set<uint32_t> set;
      for (uint32_t i = pick(6); i > 0; --i) {
        set.insert(pick(universe));
      }
      return std::vector<uint32_t>(set.begin(), set.end());
    };
    SubsetIndex index;
    std::vector<std::vector<uint32_t>> sets;
    for (uint32_t entry = 0; entry < 40; ++entry) {
      std::vector<uint32_t> asked = randomSet();
      std::vector<uint32_t> expected;
      for (uint32_t i = 0; i < sets.size(); ++i) {
        if (std::includes(asked.begin(), asked.end(), sets[i].begin(), sets[i].end())) {
          expected.push_back(i);
        }
      }
      std::vector<uint32_t> found;
      CHECK_FALSE(index.anySubset(asked, [&](uint32_t other) {
        found.push_back(other);
        return false;
      }));
      std::sort(found.begin(), found.end());
      REQUIRE(found == expected);
      CHECK(index.anySubset(asked, [](uint32_t) { return true; }) == !expected.empty());
      sets.push_back(randomSet());
      index.add(sets.back(), entry);
    }
  }
}

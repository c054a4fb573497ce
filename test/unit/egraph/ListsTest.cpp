// Lists in a pool against vectors: order, joins, filters, and that no block is lost.
#include "compiler/egraph/Lists.h"
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <vector>

using namespace zyxc::egraph;

namespace {

std::vector<uint32_t> read(const ListPool &pool, const List &list) {
  std::vector<uint32_t> result;
  for (ListRun run = pool.firstRun(list); !run.elements.empty(); run = pool.nextRun(run)) {
    result.insert(result.end(), run.elements.begin(), run.elements.end());
  }
  return result;
}

struct Checked {
  List list;
  std::vector<uint32_t> expected;
};

void requireSame(const ListPool &pool, const std::vector<Checked> &lists) {
  size_t words = pool.freeWords();
  for (const Checked &each : lists) {
    REQUIRE(read(pool, each.list) == each.expected);
    REQUIRE(each.list.empty() == each.expected.empty());
    REQUIRE((each.expected.empty() || pool.front(each.list) == each.expected[0]));
    words += pool.wordsOf(each.list);
  }
  REQUIRE(words == pool.allWords());
}

} // namespace

TEST_CASE("lists of a pool are what vectors are", "[egraph]") {
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937 random(seed);
    ListPool pool;
    std::vector<Checked> lists(12);
    uint32_t next = 0;
    for (int step = 0; step < 400; ++step) {
      Checked &to = lists[random() % lists.size()];
      Checked &from = lists[random() % lists.size()];
      uint32_t choice = random() % 8;
      if (choice < 5) {
        // Mostly short, now and then of several blocks.
        uint32_t count = choice == 0 ? random() % 90 : 1 + random() % 3;
        for (uint32_t i = 0; i < count; ++i, ++next) {
          pool.append(to.list, next);
          to.expected.push_back(next);
        }
      } else if (choice == 5 && &to != &from) {
        pool.splice(to.list, from.list);
        to.expected.insert(to.expected.end(), from.expected.begin(), from.expected.end());
        from.expected.clear();
      } else if (choice > 5) {
        uint32_t divisor = 1 + random() % 20;
        bool keepFew = random() % 3 == 0;
        auto keep = [&](uint32_t element) {
          return (element % divisor == 0) == keepFew;
        };
        uint32_t kept = pool.filter(to.list, keep);
        std::erase_if(to.expected, [&](uint32_t element) { return !keep(element); });
        REQUIRE(kept == to.expected.size());
      }
      requireSame(pool, lists);
    }
  }
}

TEST_CASE("a list of a pool is in as few blocks as it can be", "[egraph]") {
  ListPool pool;
  List list;
  pool.append(list, 0);
  CHECK(pool.allWords() == 0); // a single element is in the list itself
  for (uint32_t i = 1; i < 30; ++i) {
    pool.append(list, i);
  }
  CHECK(pool.wordsOf(list) == 32);
  CHECK(pool.firstRun(list).elements.size() == 30);
  // One that is joined from many small ones is no longer than one that was appended.
  List joined;
  for (uint32_t i = 0; i < 10; ++i) {
    List small;
    for (uint32_t j = 0; j < 3; ++j) {
      pool.append(small, 3 * i + j);
    }
    pool.splice(joined, small);
    CHECK(small.empty());
  }
  CHECK(read(pool, joined) == read(pool, list));
  CHECK(pool.wordsOf(joined) == 32);
  // Blocks that are given back are used again.
  size_t before = pool.allWords();
  pool.filter(list, [](uint32_t) { return false; });
  CHECK(list.empty());
  for (uint32_t i = 0; i < 30; ++i) {
    pool.append(list, i);
  }
  CHECK(pool.allWords() == before);
}

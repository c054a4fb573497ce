// Sets of small numbers, each of which costs something, and their unions: what lies below a class
// when each option is paid for once.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace zyxc::extract {

/// 64 elements of a set. A set is a list of words that have some, by index.
struct SetWord {
  uint32_t index;
  uint64_t bits;
};

/// Builds one union after the other. Costs are by element; more elements may be added while there
/// is no union.
class SetUnion {
public:
  void addElement(int64_t cost) {
    costs.push_back(cost);
    sum.resize(costs.size() / 64 + 1, 0);
  }

  void insert(uint32_t element) { total += add(element / 64, uint64_t(1) << (element % 64)); }

  /// Adds a set of a known cost.
  void insert(std::span<const SetWord> set, int64_t cost) {
    if (touched.empty()) {
      for (const SetWord &word : set) {
        touched.push_back(word.index);
        sum[word.index] = word.bits;
      }
      total = cost;
      return;
    }
    for (const SetWord &word : set) {
      total += add(word.index, word.bits);
    }
  }

  bool has(uint32_t element) const { return sum[element / 64] >> (element % 64) & 1; }
  int64_t cost() const { return total; }

  /// Appends the words of the union.
  void appendTo(std::vector<SetWord> &words) {
    std::sort(touched.begin(), touched.end());
    for (uint32_t index : touched) {
      words.push_back({index, sum[index]});
    }
  }

  void clear() {
    for (uint32_t index : touched) {
      sum[index] = 0;
    }
    touched.clear();
    total = 0;
  }

private:
  int64_t add(uint32_t index, uint64_t bits) {
    if (sum[index] == 0) {
      touched.push_back(index);
    }
    int64_t cost = 0;
    for (uint64_t more = bits & ~sum[index]; more != 0; more &= more - 1) {
      cost += costs[index * 64 + static_cast<uint32_t>(__builtin_ctzll(more))];
    }
    sum[index] |= bits;
    return cost;
  }

  std::vector<int64_t> costs;
  std::vector<uint64_t> sum;     ///< zero but for the touched words
  std::vector<uint32_t> touched; ///< each word once
  int64_t total = 0;
};

} // namespace zyxc::extract

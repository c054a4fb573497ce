// Entries under sets of numbers, asked for those whose set is a subset of a given one: a tree of
// sorted sets (Savnik, "Index data structure for fast subset and superset queries", 2013). A
// question walks the beginnings of sets that are subsets themselves, and looks at no others. Few
// sets stand in a list, each with a signature of 64 bits that most questions end at.
#pragma once
#include "runtime/support/Hash.h"
#include <algorithm>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace zyxc {

class SubsetIndex {
public:
  /// Adds an entry under a set, which is sorted and has no number twice.
  void add(std::span<const uint32_t> set, uint32_t entry) {
    if (listed.size() < mostListed) {
      listed.push_back({signature(set), numbers.size(), set.size(), entry});
      numbers.insert(numbers.end(), set.begin(), set.end());
    } else {
      addToTree(set, entry);
    }
  }

  /// Is there an entry under a subset of `set` for which `test` holds?
  template <class Test> bool anySubset(std::span<const uint32_t> set, Test test) {
    uint64_t others = ~signature(set);
    numSteps += listed.size();
    for (const Listed &item : listed) {
      std::span<const uint32_t> own(numbers.data() + item.begin, item.size);
      if ((item.signature & others) == 0 &&
          std::includes(set.begin(), set.end(), own.begin(), own.end()) && test(item.entry)) {
        return true;
      }
    }
    return anyInTree(set, test);
  }

  /// Entries and places of the tree that questions have looked at.
  uint64_t steps() const { return numSteps; }

private:
  static constexpr size_t mostListed = 64;
  struct Listed {
    uint64_t signature;
    size_t begin, size; ///< in `numbers`
    uint32_t entry;
  };

  /// Of a subset it has no other bits.
  static uint64_t signature(std::span<const uint32_t> set) {
    uint64_t bits = 0;
    for (uint32_t number : set) {
      bits |= uint64_t(1) << (number & 63);
    }
    return bits;
  }

  void addToTree(std::span<const uint32_t> set, uint32_t entry) {
    uint32_t node = 0;
    for (uint32_t number : set) {
      auto [child, isNew] =
          children.try_emplace(key(node, number), static_cast<uint32_t>(entries.size()));
      node = child->second;
      if (isNew) {
        entries.emplace_back();
      }
    }
    entries[node].push_back(entry);
  }

  template <class Test> bool anyInTree(std::span<const uint32_t> set, Test test) {
    work.assign(1, {0, 0});
    while (!work.empty()) {
      auto [node, from] = work.back();
      work.pop_back();
      for (uint32_t entry : entries[node]) {
        ++numSteps;
        if (test(entry)) {
          return true;
        }
      }
      for (size_t i = from; i < set.size(); ++i) {
        ++numSteps;
        if (auto child = children.find(key(node, set[i])); child != children.end()) {
          work.emplace_back(child->second, i + 1);
        }
      }
    }
    return false;
  }

  static uint64_t key(uint32_t node, uint32_t number) { return uint64_t(node) << 32 | number; }
  struct Mixed {
    size_t operator()(uint64_t key) const { return hashMix(key, 0); }
  };

  std::vector<Listed> listed;
  std::vector<uint32_t> numbers;                     ///< of the sets that are listed
  std::vector<std::vector<uint32_t>> entries = {{}}; ///< by node of the tree; 0 is the empty set
  std::unordered_map<uint64_t, uint32_t, Mixed> children;
  std::vector<std::pair<uint32_t, size_t>> work; ///< scratch: node, next number of the set
  uint64_t numSteps = 0;
};

} // namespace zyxc

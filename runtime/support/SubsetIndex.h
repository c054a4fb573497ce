// Entries under sets of numbers, asked for those whose set is a subset of a given one: a tree of
// sorted sets (Savnik, "Index data structure for fast subset and superset queries", 2013). A
// question walks the beginnings of sets that are subsets themselves, and looks at no others.
#pragma once
#include "runtime/support/Hash.h"
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace zyxc {

class SubsetIndex {
public:
  /// Adds an entry under a set, which is sorted and has no number twice.
  void add(std::span<const uint32_t> set, uint32_t entry) {
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

  /// Is there an entry under a subset of `set` for which `test` holds?
  template <class Test> bool anySubset(std::span<const uint32_t> set, Test test) {
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

  /// Entries and places of the tree that questions have looked at.
  uint64_t steps() const { return numSteps; }

private:
  static uint64_t key(uint32_t node, uint32_t number) { return uint64_t(node) << 32 | number; }
  struct Mixed {
    size_t operator()(uint64_t key) const { return hashMix(key, 0); }
  };

  std::vector<std::vector<uint32_t>> entries = {{}}; ///< by node of the tree; 0 is the empty set
  std::unordered_map<uint64_t, uint32_t, Mixed> children;
  std::vector<std::pair<uint32_t, size_t>> work; ///< scratch: node, next number of the set
  uint64_t numSteps = 0;
};

} // namespace zyxc

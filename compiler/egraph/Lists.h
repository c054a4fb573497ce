// Lists of ids in one pool: most are short, all are read from begin to end, and any two may be
// joined in constant time. Elements lie together in blocks, so that readers know what comes next
// and can load it ahead.
#pragma once
#include "compiler/egraph/GrowingArray.h"
#include <cstdint>
#include <span>

namespace zyxc::egraph {

/// A list whose elements are in a pool. A single element is in the list itself.
struct List {
  static constexpr uint32_t nothing = ~0u;
  uint32_t first = nothing; ///< the first block, or the single element
  uint32_t last = nothing;  ///< the last block; nothing if there are fewer than two elements

  bool empty() const { return first == nothing; }
  bool isSingle() const { return last == nothing && first != nothing; }
};

/// Some elements of a list that lie together. Valid until the pool or the list changes.
struct ListRun {
  std::span<const uint32_t> elements;
  uint32_t next = List::nothing; ///< the block of the next run
};

/// The memory of lists. Elements are any numbers but List::nothing.
class ListPool {
public:
  void append(List &list, uint32_t element);
  /// Moves the elements of `from` behind those of `to`. At most one block is copied.
  void splice(List &to, List &from);
  /// Drops the elements for which `keep` is false; returns how many are left.
  template <class Keep> uint32_t filter(List &list, Keep keep);

  /// The first element of a list that is not empty.
  uint32_t front(const List &list) const {
    return list.isSingle() ? list.first : words[list.first + headerWords];
  }
  ListRun firstRun(const List &list) const {
    if (list.isSingle()) {
      return {{&list.first, 1}, List::nothing};
    }
    return list.empty() ? ListRun() : run(list.first);
  }
  /// Empty behind the last one.
  ListRun nextRun(const ListRun &before) const {
    return before.next == List::nothing ? ListRun() : run(before.next);
  }

  /// Loads into the cache where append() will write.
  void prefetchEnd(const List &list) const {
    if (list.last != List::nothing) {
      __builtin_prefetch(words.data() + list.last, 1);
    }
  }

  size_t bytes() const { return words.bytes(); }
  /// Words of the blocks of a list, of blocks that are free, and of all: for checks.
  size_t wordsOf(const List &list) const;
  size_t freeWords() const;
  size_t allWords() const { return words.size(); }

private:
  // A block has 4, 8, 16 or 32 words, and lies at a multiple of its size, so that small ones are in
  // one cache line: the next block, the number of elements with the size, elements.
  static constexpr uint32_t headerWords = 2;
  static constexpr uint32_t largestSize = 3;
  static constexpr uint32_t sizeShift = 16;

  static uint32_t wordsOfSize(uint32_t size) { return 4u << size; }
  static uint32_t capacityOf(uint32_t size) { return wordsOfSize(size) - headerWords; }
  uint32_t &nextOf(uint32_t block) { return words[block]; }
  uint32_t countOf(uint32_t block) const { return words[block + 1] & ((1u << sizeShift) - 1); }
  uint32_t sizeOf(uint32_t block) const { return words[block + 1] >> sizeShift; }
  void setCount(uint32_t block, uint32_t count) {
    words[block + 1] = sizeOf(block) << sizeShift | count;
  }
  ListRun run(uint32_t block) const {
    return {{&words[block + headerWords], countOf(block)}, words[block]};
  }

  uint32_t newBlock(uint32_t size);
  void freeBlock(uint32_t block);
  /// Puts a single element into a block.
  void makeBlock(List &list);
  /// Ends a list behind element `count` of a block, and frees what follows.
  void cut(List &list, uint32_t block, uint32_t count);

  GrowingArray<uint32_t> words;
  uint32_t freeBlocks[largestSize + 1] = {List::nothing, List::nothing, List::nothing,
                                          List::nothing};
};

template <class Keep> uint32_t ListPool::filter(List &list, Keep keep) {
  if (list.empty() || list.isSingle()) {
    if (!list.empty() && !keep(list.first)) {
      list = {};
    }
    return !list.empty();
  }
  // What is kept moves towards the front, never past the place that is read.
  uint32_t kept = 0;
  uint32_t to = list.first;
  uint32_t place = 0;
  for (ListRun run = firstRun(list); !run.elements.empty(); run = nextRun(run)) {
    for (uint32_t element : run.elements) {
      if (!keep(element)) {
        continue;
      }
      if (place == capacityOf(sizeOf(to))) {
        setCount(to, place);
        to = nextOf(to);
        place = 0;
      }
      words[to + headerWords + place++] = element;
      ++kept;
    }
  }
  cut(list, to, place);
  return kept;
}

} // namespace zyxc::egraph

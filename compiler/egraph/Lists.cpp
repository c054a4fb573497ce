#include "compiler/egraph/Lists.h"
#include <algorithm>

namespace zyxc::egraph {

void ListPool::append(List &list, uint32_t element) {
  if (list.empty()) {
    list.first = element;
    return;
  }
  if (list.isSingle()) {
    makeBlock(list);
  }
  uint32_t count = countOf(list.last);
  uint32_t size = sizeOf(list.last);
  if (count == capacityOf(size)) {
    bool isAlone = list.first == list.last;
    if (isAlone && size < largestSize) { // moves to a larger block
      uint32_t larger = newBlock(size + 1);
      std::copy_n(&words[list.last + headerWords], count, &words[larger + headerWords]);
      freeBlock(list.last);
      list.first = list.last = larger;
    } else {
      uint32_t added = newBlock(largestSize);
      nextOf(list.last) = added;
      list.last = added;
      count = 0;
    }
  }
  words[list.last + headerWords + count] = element;
  setCount(list.last, count + 1);
}

void ListPool::splice(List &to, List &from) {
  if (to.empty() || from.empty()) {
    to = to.empty() ? from : to;
  } else if (from.isSingle()) {
    append(to, from.first);
  } else if (from.first == from.last) {
    // Copied, so that a list of many unions is not in many small blocks.
    uint32_t count = countOf(from.first);
    for (uint32_t i = 0; i < count; ++i) {
      append(to, words[from.first + headerWords + i]);
    }
    freeBlock(from.first);
  } else {
    if (to.isSingle()) {
      makeBlock(to);
    }
    nextOf(to.last) = from.first;
    to.last = from.last;
  }
  from = {};
}

uint32_t ListPool::newBlock(uint32_t size) {
  uint32_t &free = freeBlocks[size];
  if (free == List::nothing) {
    // A part of the size of the largest block, cut into blocks of this size.
    uint32_t end = static_cast<uint32_t>(words.size()) + wordsOfSize(largestSize);
    words.extend(wordsOfSize(largestSize));
    for (uint32_t left = wordsOfSize(largestSize); left > 0; left -= wordsOfSize(size)) {
      uint32_t block = end - wordsOfSize(largestSize) + left - wordsOfSize(size);
      words[block] = free;
      free = block;
    }
  }
  uint32_t block = free;
  free = words[block];
  words[block] = List::nothing;
  words[block + 1] = size << sizeShift;
  return block;
}

void ListPool::freeBlock(uint32_t block) {
  uint32_t &free = freeBlocks[sizeOf(block)];
  words[block] = free;
  free = block;
}

void ListPool::makeBlock(List &list) {
  uint32_t block = newBlock(0);
  words[block + headerWords] = list.first;
  setCount(block, 1);
  list.first = list.last = block;
}

void ListPool::cut(List &list, uint32_t block, uint32_t count) {
  for (uint32_t rest = nextOf(block); rest != List::nothing;) {
    uint32_t next = nextOf(rest);
    freeBlock(rest);
    rest = next;
  }
  nextOf(block) = List::nothing;
  setCount(block, count);
  list.last = block;
  if (list.first == block && count < 2) {
    uint32_t element = words[block + headerWords];
    freeBlock(block);
    list = {count == 1 ? element : List::nothing, List::nothing};
  }
}

size_t ListPool::wordsOf(const List &list) const {
  size_t sum = 0;
  if (!list.empty() && !list.isSingle()) {
    for (uint32_t block = list.first; block != List::nothing; block = words[block]) {
      sum += wordsOfSize(sizeOf(block));
    }
  }
  return sum;
}

size_t ListPool::freeWords() const {
  size_t sum = 0;
  for (uint32_t size = 0; size <= largestSize; ++size) {
    for (uint32_t block = freeBlocks[size]; block != List::nothing; block = words[block]) {
      sum += wordsOfSize(size);
    }
  }
  return sum;
}

} // namespace zyxc::egraph

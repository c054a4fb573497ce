// An array that grows at its end, for the parallel arrays of the e-graph. The pages of a large one
// are moved and not copied: no time, and no second copy in memory.
#pragma once
#include "compiler/egraph/Pages.h"
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

namespace zyxc::egraph {

/// Elements are plain data. Grows by half; throws std::bad_alloc as std::vector does.
template <class T> class GrowingArray {
  static_assert(std::is_trivially_copyable_v<T>);

public:
  GrowingArray() = default;
  GrowingArray(GrowingArray &&other) noexcept
      : elements(std::exchange(other.elements, nullptr)), used(std::exchange(other.used, 0)),
        room(std::exchange(other.room, 0)), heldBytes(std::exchange(other.heldBytes, 0)) {}
  GrowingArray &operator=(GrowingArray &&other) noexcept {
    std::swap(elements, other.elements);
    std::swap(used, other.used);
    std::swap(room, other.room);
    std::swap(heldBytes, other.heldBytes);
    return *this;
  }
  ~GrowingArray() { release(); }

  T &operator[](size_t at) { return elements[at]; }
  const T &operator[](size_t at) const { return elements[at]; }
  T *data() { return elements; }
  const T *data() const { return elements; }
  T *begin() { return elements; }
  T *end() { return elements + used; }
  const T *begin() const { return elements; }
  const T *end() const { return elements + used; }
  size_t size() const { return used; }
  bool empty() const { return used == 0; }
  /// Bytes that it holds.
  size_t bytes() const { return heldBytes; }

  void append(T value) {
    if (used == room) {
      reserve(used + 1);
    }
    elements[used++] = value;
  }
  /// Room for `count` more, not initialized: for the caller to fill. Valid until the next growth.
  T *extend(size_t count) {
    if (used + count > room) {
      reserve(used + count);
    }
    T *place = elements + used;
    used += count;
    return place;
  }
  void clear() { used = 0; }
  /// Makes it empty and gives the memory back.
  void release() {
    isPaged() ? freePages(elements, bytes()) : std::free(elements);
    elements = nullptr;
    used = room = heldBytes = 0;
  }

private:
  bool isPaged() const { return bytes() >= pageGranule; }

  void reserve(size_t wanted) {
    size_t larger = room + room / 2 + 16;
    size_t newBytes = (wanted > larger ? wanted : larger) * sizeof(T);
    void *moved = nullptr;
    if (newBytes < pageGranule) {
      moved = std::realloc(static_cast<void *>(elements), newBytes);
    } else {
      newBytes = (newBytes + pageGranule - 1) / pageGranule * pageGranule;
      moved = growPages(isPaged() ? elements : nullptr, bytes(), newBytes);
    }
    if (!moved) {
      throw std::bad_alloc();
    }
    if (newBytes >= pageGranule && !isPaged() && elements) {
      std::memcpy(moved, static_cast<void *>(elements), used * sizeof(T));
      std::free(elements);
    }
    elements = static_cast<T *>(moved);
    heldBytes = newBytes;
    room = newBytes / sizeof(T);
  }

  T *elements = nullptr;
  size_t used = 0;
  size_t room = 0;
  size_t heldBytes = 0;
};

} // namespace zyxc::egraph

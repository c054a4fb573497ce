// What a search may hold at once. Bytes are counted from the numbers of what is kept, not asked of
// the allocator, so that the same problem meets the limit at the same place on any machine.
#pragma once
#include <cstddef>
#include <cstdint>

namespace zyxc::extract {

/// A limit in bytes, and who met it. Not thread-safe.
class Memory {
public:
  explicit Memory(uint64_t limit) : limit(limit) {}
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;

  bool isOver() const { return used > limit; }
  uint64_t held() const { return used; }
  /// Something was left undone because of the limit.
  void countHit() { ++numHits; }
  uint64_t hits() const { return numHits; }

private:
  friend class Held;
  uint64_t limit;
  uint64_t used = 0;
  uint64_t numHits = 0;
};

/// A share of the memory, which its end gives back.
class Held {
public:
  explicit Held(Memory &memory, uint64_t bytes = 0) : memory(memory) { add(bytes); }
  ~Held() { memory.used -= bytes; }
  Held(const Held &) = delete;
  Held &operator=(const Held &) = delete;

  void add(uint64_t more) {
    bytes += more;
    memory.used += more;
  }

private:
  Memory &memory;
  uint64_t bytes = 0;
};

} // namespace zyxc::extract

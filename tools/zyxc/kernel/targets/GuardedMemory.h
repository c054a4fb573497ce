// Memory of one port on the host: its end lies at a page without access, as near as its alignment
// allows, and the bytes around it hold a pattern that is checked after a run.
#pragma once
#include <cstddef>
#include <vector>

namespace zyxc::tool {

class GuardedMemory {
public:
  /// `bytes` bytes aligned to `alignment`, a power of two. Throws std::bad_alloc if the system
  /// refuses memory.
  GuardedMemory(size_t bytes, size_t alignment);
  ~GuardedMemory();
  GuardedMemory(GuardedMemory &&other) noexcept;
  GuardedMemory &operator=(GuardedMemory &&) = delete;

  std::byte *data() const { return start; }
  /// True if the bytes around the memory are as they were.
  bool isIntact() const;

private:
  std::byte *mapping = nullptr;
  size_t mapped = 0; ///< bytes of the mapping, without the page that has no access
  std::byte *start = nullptr;
  size_t size = 0;
};

} // namespace zyxc::tool

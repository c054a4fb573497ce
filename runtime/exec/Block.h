// Memory of the executor: arenas, prepared buffers, scratch.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace zyxc::rt {

/// Page-aligned memory, not touched until it is used. Throws bad_alloc.
class Block {
public:
  Block() = default;
  explicit Block(uint64_t bytes)
      : memory(static_cast<std::byte *>(
            ::operator new(bytes ? bytes : 1, std::align_val_t(alignment)))),
        size(bytes) {}
  std::byte *data() const { return memory.get(); }
  uint64_t address() const { return reinterpret_cast<uint64_t>(memory.get()); }
  uint64_t bytes() const { return size; }

  /// Makes it at least this large; its content is lost if it grows.
  void growTo(uint64_t bytes) {
    if (bytes > size) {
      *this = Block(); // not both at one time
      *this = Block(bytes);
    }
  }

private:
  static constexpr size_t alignment = 4096;
  struct Free {
    void operator()(std::byte *p) const { ::operator delete(p, std::align_val_t(alignment)); }
  };
  std::unique_ptr<std::byte, Free> memory;
  uint64_t size = 0;
};

} // namespace zyxc::rt

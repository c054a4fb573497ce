#include "tools/zyxc/kernel/targets/GuardedMemory.h"
#include <algorithm>
#include <cstring>
#include <new>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace zyxc::tool {

static constexpr std::byte pattern{0xa5};
/// Bytes before the memory that hold the pattern.
static constexpr size_t frontBytes = 256;

GuardedMemory::GuardedMemory(size_t bytes, size_t alignment) : size(bytes) {
  auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  size_t padded = (bytes + alignment - 1) / alignment * alignment;
  mapped = (frontBytes + padded + page - 1) / page * page;
  void *made =
      mmap(nullptr, mapped + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (made == MAP_FAILED) {
    throw std::bad_alloc();
  }
  mapping = static_cast<std::byte *>(made);
  mprotect(mapping + mapped, page, PROT_NONE);
  start = mapping + mapped - padded;
  std::fill(mapping, start, pattern);
  std::fill(start + size, mapping + mapped, pattern);
}

GuardedMemory::GuardedMemory(GuardedMemory &&other) noexcept
    : mapping(std::exchange(other.mapping, nullptr)), mapped(other.mapped), start(other.start),
      size(other.size) {}

GuardedMemory::~GuardedMemory() {
  if (mapping) {
    munmap(mapping, mapped + static_cast<size_t>(sysconf(_SC_PAGESIZE)));
  }
}

bool GuardedMemory::isIntact() const {
  auto isPattern = [](std::byte byte) {
    return byte == pattern;
  };
  return std::all_of(mapping, start, isPattern) &&
         std::all_of(start + size, mapping + mapped, isPattern);
}

} // namespace zyxc::tool

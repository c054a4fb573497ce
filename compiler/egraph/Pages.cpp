#include "compiler/egraph/Pages.h"
#include <cstdint>
#include <cstdlib>

#ifdef __linux__
#include <sys/mman.h>

namespace zyxc::egraph {

void *growPages(void *old, size_t oldBytes, size_t newBytes) {
  // Large pages need addresses that are multiples of their size: a larger place is cut at its ends.
  size_t room = newBytes + pageGranule;
  void *place = mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED) {
    return nullptr;
  }
  char *begin = static_cast<char *>(place);
  size_t before = (pageGranule - reinterpret_cast<uintptr_t>(begin) % pageGranule) % pageGranule;
  char *pages = begin + before;
  if (before > 0) {
    munmap(begin, before);
  }
  if (before < pageGranule) {
    munmap(pages + newBytes, pageGranule - before);
  }
  if (old && mremap(old, oldBytes, newBytes, MREMAP_MAYMOVE | MREMAP_FIXED, pages) == MAP_FAILED) {
    munmap(pages, newBytes);
    return nullptr;
  }
  madvise(pages, newBytes, MADV_HUGEPAGE); // a wish: without it all works, slower
  return pages;
}

void freePages(void *pages, size_t bytes) {
  munmap(pages, bytes);
}

} // namespace zyxc::egraph

#else

namespace zyxc::egraph {

void *growPages(void *old, size_t, size_t newBytes) {
  return std::realloc(old, newBytes);
}

void freePages(void *pages, size_t) {
  std::free(pages);
}

} // namespace zyxc::egraph

#endif

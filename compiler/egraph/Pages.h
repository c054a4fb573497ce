// Memory of large arrays: whole pages, moved and not copied when an array grows, and large pages
// where the system has them, since reads of an e-graph are scattered.
#pragma once
#include <cstddef>

namespace zyxc::egraph {

/// Arrays of this size and above are made of pages; their sizes are multiples of it.
inline constexpr size_t pageGranule = size_t{1} << 21;

/// Moves `oldBytes` at `old` (null: none) to a place of `newBytes`; both are multiples of
/// pageGranule. Null if there is no memory: `old` then stays.
void *growPages(void *old, size_t oldBytes, size_t newBytes);
void freePages(void *pages, size_t bytes);

} // namespace zyxc::egraph

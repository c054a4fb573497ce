#include "runtime/plan/PackArena.h"
#include <algorithm>
#include <map>
#include <numeric>

namespace zyxc::rt {

std::vector<uint64_t> packLifetimes(const std::vector<Lifetime> &lifetimes, uint64_t &totalBytes) {
  std::vector<uint32_t> order(lifetimes.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return lifetimes[a].bytes != lifetimes[b].bytes ? lifetimes[a].bytes > lifetimes[b].bytes
                                                    : a < b;
  });
  std::vector<uint64_t> offsets(lifetimes.size(), 0);
  std::vector<uint32_t> placed;
  totalBytes = 0;
  for (uint32_t index : order) {
    const Lifetime &own = lifetimes[index];
    std::vector<std::pair<uint64_t, uint64_t>> taken; // start, end
    for (uint32_t other : placed) {
      if (lifetimes[other].first <= own.last && own.first <= lifetimes[other].last) {
        taken.emplace_back(offsets[other], offsets[other] + alignUp(lifetimes[other].bytes));
      }
    }
    std::sort(taken.begin(), taken.end());
    uint64_t start = 0;
    for (auto [begin, end] : taken) {
      if (begin >= start + alignUp(own.bytes)) {
        break;
      }
      start = std::max(start, end);
    }
    offsets[index] = start;
    totalBytes = std::max(totalBytes, start + alignUp(own.bytes));
    placed.push_back(index);
  }
  return offsets;
}

uint64_t liveBytes(const std::vector<Lifetime> &lifetimes) {
  std::map<uint64_t, int64_t> change; // by time
  for (const Lifetime &lifetime : lifetimes) {
    auto bytes = static_cast<int64_t>(alignUp(lifetime.bytes));
    change[lifetime.first] += bytes;
    change[lifetime.last + 1] -= bytes;
  }
  int64_t now = 0;
  int64_t most = 0;
  for (auto [time, bytes] : change) {
    now += bytes;
    most = std::max(most, now);
  }
  return static_cast<uint64_t>(most);
}

} // namespace zyxc::rt

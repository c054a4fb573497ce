#include "compiler/kernelize/CutFront.h"
#include "runtime/support/SubsetIndex.h"
#include <algorithm>
#include <tuple>

namespace zyxc::kernelize {

/// b is at least as good as a wherever a can be used, if it reads a part of what a reads.
static bool asGood(const Cut &b, const Cut &a) {
  return b.anchor == a.anchor && b.ops <= a.ops && b.flops <= a.flops && b.levels <= a.levels &&
         b.gathers <= a.gathers;
}

CutFront undominated(const std::vector<Cut> &cuts) {
  // What dominates a cut stands before it, and of equal ones the first: nothing kept is ever
  // dropped again.
  std::vector<std::tuple<size_t, double, double, int, bool, double, uint32_t>> order;
  order.reserve(cuts.size());
  for (uint32_t index = 0; index < cuts.size(); ++index) {
    const Cut &cut = cuts[index];
    order.emplace_back(cut.inputs.size(), cut.ops, cut.flops, cut.levels, cut.gathers, cut.flow,
                       index);
  }
  std::sort(order.begin(), order.end());
  CutFront front;
  SubsetIndex index;
  for (const auto &strength : order) {
    uint32_t a = std::get<uint32_t>(strength);
    const Cut &cut = cuts[a];
    if (!index.anySubset(cut.inputs, [&](uint32_t b) { return asGood(cuts[b], cut); })) {
      index.add(cut.inputs, a);
      front.kept.push_back(a);
    }
  }
  std::sort(front.kept.begin(), front.kept.end(), [&](uint32_t a, uint32_t b) {
    return std::pair(cuts[a].flow, a) < std::pair(cuts[b].flow, b);
  });
  front.steps = index.steps();
  return front;
}

bool isMoreFused(const Cut &a, const Cut &b) {
  return std::pair(a.inputs.size(), b.interior.size()) <
         std::pair(b.inputs.size(), a.interior.size());
}

std::vector<Cut> prune(std::vector<Cut> cuts, size_t most, int64_t &dropped) {
  std::vector<uint32_t> kept = undominated(cuts).kept;
  if (kept.size() > most) {
    dropped += static_cast<int64_t>(kept.size() - most);
    // Whatever the estimates say: the most fused one and the one with the fewest nodes (most
    // stored).
    auto keep = [&](auto isBetter) {
      auto best = std::min_element(kept.begin(), kept.end(), [&](uint32_t a, uint32_t b) {
        return isBetter(cuts[a], cuts[b]);
      });
      if (static_cast<size_t>(best - kept.begin()) >= most) {
        std::swap(kept[most++], *best);
      }
    };
    keep(isMoreFused);
    if (most < kept.size()) {
      keep([](const Cut &a, const Cut &b) { return a.interior.size() < b.interior.size(); });
    }
    kept.resize(most);
  }
  std::vector<Cut> result;
  result.reserve(kept.size());
  for (uint32_t index : kept) {
    result.push_back(std::move(cuts[index]));
  }
  return result;
}

} // namespace zyxc::kernelize

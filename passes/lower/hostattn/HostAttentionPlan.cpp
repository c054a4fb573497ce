#include "passes/lower/hostattn/HostAttentionPlan.h"
#include "passes/lower/contract/LowerContractPlan.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

namespace zyxc {

using llvm::alignTo;
using llvm::divideCeil;

/// Keys of one turn: scores and values of a panel then stay in the caches.
static constexpr int64_t usualKeys = 128;
static constexpr int64_t mostPanelVectors = 4;

/// Estimated cycles for one key and all queries, in the unit of cyclesPerStep().
static double estimateCycles(const HostAttentionSizes &sizes, const HostAttentionPlan &plan) {
  constexpr double callCycles = 30, storeCycles = 2, exponentialCycles = 16;
  auto real = [](int64_t value) {
    return static_cast<double>(value);
  };
  double scoreTile =
      cyclesPerStep(plan.keyRows, plan.queryVectors, sizes.vectorBits) * real(sizes.depth) +
      callCycles + storeCycles * real(plan.keyRows * plan.queryVectors);
  double keys = real(std::min(sizes.keys, usualKeys));
  double outputTile = cyclesPerStep(plan.queryRows, plan.widthVectors, sizes.vectorBits) * keys +
                      callCycles + 2 * storeCycles * real(plan.queryRows * plan.widthVectors);
  double panel = real(plan.groups) * scoreTile / real(plan.keyRows);
  double tiles =
      real(plan.panel() / plan.queryRows) * real(plan.columns / (plan.widthVectors * plan.lanes));
  panel += sizes.width ? tiles * outputTile / keys : 0;
  panel += exponentialCycles * real(plan.panel() / plan.lanes);
  return panel * real(divideCeil(sizes.queries, plan.panel()));
}

/// Tiles of outputs for a panel; takes over what is better than `best`.
static void tryOutputTiles(const HostAttentionSizes &sizes, HostAttentionPlan plan,
                           HostAttentionPlan &best, double &least) {
  constexpr int64_t maxRows = 12, maxVectors = 8;
  int64_t vectors = std::max<int64_t>(divideCeil(sizes.width, plan.lanes), 1);
  for (plan.widthVectors = 1; plan.widthVectors <= std::min(vectors, maxVectors);
       ++plan.widthVectors) {
    plan.columns = static_cast<int64_t>(alignTo(vectors, plan.widthVectors)) * plan.lanes;
    for (plan.queryRows = 1; plan.queryRows <= maxRows; ++plan.queryRows) {
      if (plan.panel() % plan.queryRows != 0 ||
          !fitsRegisters(plan.queryRows, plan.widthVectors, sizes.vectorBits)) {
        continue;
      }
      double cost = estimateCycles(sizes, plan);
      if (best.lanes == 0 || cost < least) {
        least = cost;
        best = plan;
      }
    }
  }
}

static HostAttentionPlan chooseTiles(const HostAttentionSizes &sizes) {
  constexpr int64_t maxKeys = 14;
  HostAttentionPlan plan;
  HostAttentionPlan best;
  double least = 0;
  plan.lanes = std::max<int64_t>(sizes.vectorBits / 8 / sizes.elementBytes, 1);
  // A panel is as wide for narrow vectors as for wide ones.
  int64_t mostQueries = mostPanelVectors * std::max<int64_t>(64 / sizes.elementBytes, 1);
  for (plan.queryVectors = 1; plan.queryVectors <= mostPanelVectors; ++plan.queryVectors) {
    plan.keyRows = 1;
    while (plan.keyRows < maxKeys &&
           fitsRegisters(plan.keyRows + 1, plan.queryVectors, sizes.vectorBits)) {
      ++plan.keyRows;
    }
    if (!fitsRegisters(plan.keyRows, plan.queryVectors, sizes.vectorBits)) {
      continue;
    }
    for (plan.groups = 1; plan.panel() <= mostQueries; ++plan.groups) {
      tryOutputTiles(sizes, plan, best, least);
    }
  }
  return best;
}

HostAttentionPlan HostAttentionPlan::make(const HostAttentionSizes &sizes) {
  // Enough tasks for many threads come before what panels of one task share.
  constexpr int64_t mostPanels = 4, tasksWanted = 32;
  // Queries and outputs of a task, and keys and values of a block, share the second cache.
  constexpr int64_t taskBytes = 256 * 1024, blockBytes = 256 * 1024;
  HostAttentionPlan plan = chooseTiles(sizes);
  plan.panels = divideCeil(sizes.queries, plan.panel());
  plan.panelsPerTask =
      std::clamp<int64_t>(sizes.batches * plan.panels / tasksWanted, 1, mostPanels);
  if (sizes.q > 0) {
    plan.panelsPerTask = divideCeil(sizes.q, plan.panel());
  }
  int64_t rowBytes = (sizes.depth + plan.columns) * sizes.elementBytes;
  int64_t fitting = std::max<int64_t>(taskBytes / (rowBytes * plan.panel()), 1);
  plan.panelsPerTask = std::min({plan.panelsPerTask, plan.panels, fitting});
  plan.queryBlocks = divideCeil(plan.panels, plan.panelsPerTask);
  int64_t keys = std::clamp(blockBytes / rowBytes, plan.keyRows, usualKeys);
  keys = std::min(sizes.kv > 0 ? sizes.kv : keys, sizes.keys);
  plan.keyBlock = static_cast<int64_t>(alignTo(keys, plan.keyRows));
  plan.tasks = sizes.batches * plan.queryBlocks;
  return plan;
}

} // namespace zyxc

// Launches of TeamNest: which units a workgroup has, and reductions whose chunks are shared by
// several workgroups.
#pragma once
#include "passes/lower/tile/SimtTile.h"
#include "passes/lower/tile/TeamNest.h"

namespace zyxc {

/// A launch of teams.
struct TeamLaunch {
  TeamPlan plan;
  int64_t threads = 256; ///< of a workgroup; a multiple of the team's size
  int64_t parts = 1;     ///< workgroups that share the reductions of their units
  int64_t length = 0;    ///< chunks of a part, whole groups in flight

  int64_t unitsPerWorkgroup() const { return threads / plan.team.size; }
  /// Sets parts and length: about `wanted` parts of `chunks` chunks, no part shorter than one
  /// group.
  void split(int64_t chunks, int64_t wanted);
};

/// True if the reductions may be split: all run over the same axes, none needs another one, and the
/// stores are of units.
bool canSplit(const AccessTable &table, zyxk::AxisSet unitAxes);

/// Replaces the kernel by one launch, or by two if there are parts: the first leaves the parts in
/// scratch memory, the second joins them in order and stores.
void emitTeams(const AccessTable &table, const Target &target, const TeamLaunch &launch);

} // namespace zyxc

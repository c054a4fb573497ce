// Attention on plain threads, for any target, element type and head: queries, keys or values, and
// the weights of one tile are staged in workgroup memory; eight neighbouring threads share a row.
#pragma once
#include "dialects/zyxk/target/Target.h"
#include "passes/lower/emit/AccessTable.h"
#include "passes/lower/emit/AttentionRoles.h"

namespace zyxc {

/// Tile sizes. A thread holds `rows` x `keys` scores and `rows` x width / 8 outputs.
struct SimtAttentionPlan {
  static constexpr int64_t team = 8; ///< threads of one row
  int64_t groups = 8;                ///< rows that are worked on side by side, `rows` times
  int64_t rows = 4;
  int64_t keys = 4;
  int64_t stageColumns = 0; ///< the larger of depth and width

  int64_t threads() const { return groups * team; }
  int64_t queryTile() const { return groups * rows; }
  int64_t keyTile() const { return team * keys; }
  /// Elements of workgroup memory: queries, keys or values, weights.
  int64_t elements(int64_t depth) const {
    return queryTile() * depth + keyTile() * stageColumns + queryTile() * keyTile();
  }

  /// The largest tiles that fit; nothing, with the limit, if none does.
  static std::optional<SimtAttentionPlan> make(const AccessTable &table,
                                               const AttentionRoles &roles, const Target &target,
                                               std::string &obstacle);
};

/// Replaces nothing: emits the gpu.module beside the kernel. `domain`: the kernel's, or none.
void emitSimtAttention(const AccessTable &table, const AttentionRoles &roles,
                       std::optional<mlir::IntegerSet> domain, const SimtAttentionPlan &plan,
                       const Target &target);

} // namespace zyxc

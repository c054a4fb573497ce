// Attention for mma.sync: four warps compute 16 rows of queries each; tiles of keys and values are
// copied asynchronously, the next one while this one is computed.
#pragma once
#include "passes/lower/attention/AttentionFragments.h"

namespace zyxc {

/// Emits one kernel: a workgroup per tile of 64 queries.
class MmaAttention : AttentionFragments {
public:
  MmaAttention(const AccessTable &table, const AttentionRoles &roles, const AttentionPlan &plan,
               GpuLaunch &launch)
      : AttentionFragments(table, roles, plan, launch) {}
  void emit();

private:
  /// Where an operand's tiles come from.
  struct Source {
    mlir::Value first; ///< address (i64) of row 0, column 0 in this batch
    int64_t rowBytes = 0;
    int64_t rows = 0; ///< of the operand
    int64_t columns = 0;
    const AttentionMap *map = nullptr;
  };

  Source sourceOf(const AttentionOperand &operand, const AttentionMap &map, unsigned rowAxis,
                  unsigned columnAxis, int64_t columns, const Tile &tile);
  /// Starts the copy of the tile whose first row is `row` to shared memory.
  void startCopy(const Source &source, mlir::Value row, mlir::Value shared);
  void startKeysAndValues(mlir::Value keyTile);
  State emitTurn(const Share &share, State state, mlir::Value keyTile);
  Fragment emitScores(const Share &share, mlir::Value keys);
  Fragment emitOutput(Fragment output, llvm::ArrayRef<mlir::Value> weights, mlir::Value values);
  /// The address of the 16-byte unit in a row of a tile, in the swizzle of 128 bytes.
  mlir::Value unitAt(const AttentionMap &map, mlir::Value shared, mlir::Value row, int64_t unit,
                     mlir::Value laneUnit);
  mlir::Value stageAt(mlir::Value keyTile, int64_t offset, int64_t bytes);

  Source queries, keys, values;
};

} // namespace zyxc

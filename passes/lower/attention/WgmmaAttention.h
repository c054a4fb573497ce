// Attention for wgmma: one warpgroup loads queries, keys and values by TMA, the others compute 64
// rows of queries each, with the scores and the output in registers (online softmax). Workgroups
// are persistent. Barriers in shared memory: a buffer is full when its bytes have landed, empty
// when every computing warpgroup has let it go.
#pragma once
#include "passes/lower/attention/AttentionFragments.h"

namespace zyxc {

/// Emits one kernel.
class WgmmaAttention : AttentionFragments {
public:
  WgmmaAttention(const AccessTable &table, const AttentionRoles &roles, const AttentionPlan &plan,
                 GpuLaunch &launch)
      : AttentionFragments(table, roles, plan, launch) {}
  void emit();

private:
  // WgmmaAttention.cpp: frame and loader.
  void setUp();
  void emitLoader();
  void emitLoads(const AttentionMap &map, unsigned index, const Tile &tile, mlir::Value row,
                 mlir::Value shared, mlir::Value bar);
  /// Runs `body` for each tile of this workgroup; it maps the number of key tiles seen so far to
  /// that after the tile.
  void forEachTile(llvm::function_ref<mlir::Value(const Tile &, mlir::Value turn)> body);
  /// Which of the tiles of a round this workgroup takes.
  mlir::Value placeIn(mlir::Value round);
  mlir::Value tileIndex(mlir::Value round);
  Tile tileAt(mlir::Value round);

  // WgmmaCompute.cpp: what a computing warpgroup does.
  void emitCompute();
  mlir::Value computeTile(const Tile &tile, mlir::Value firstTurn);
  Share shareOf(const Tile &tile);
  mlir::Value warpgroup() { return math.add(math.shiftRight(ptx.threadId(), 7), -1); }
  void loadQueries(const Tile &tile, Share &share);
  State emitTurn(const Share &share, State state, mlir::Value turn);
  Fragment emitScores(const Share &share, mlir::Value turn, mlir::Value keys);
  Fragment emitOutput(llvm::ArrayRef<mlir::Value> output, llvm::ArrayRef<mlir::Value> weights,
                      mlir::Value values);
  /// Lets go of the stages of turns that this warpgroup does not need.
  void skipTurns(mlir::Value from, mlir::Value to);
  /// The barrier of a stage, and its parity in a turn.
  mlir::Value stageOf(mlir::Value turn) { return math.bitAnd(turn, plan.stages - 1); }
  mlir::Value parityOf(mlir::Value turn);
  mlir::Value opaqueZero(mlir::Value turn);
  /// Where the barriers of a tile's queries are, from the first.
  mlir::Value bufferBarrier(const Tile &tile);

  Values maps; ///< of queries, keys and values
  // In a computing warpgroup:
  mlir::Value isLeader, keyDescriptor, valueDescriptor;
};

} // namespace zyxc

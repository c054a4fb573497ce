// What attention on matrix units has in common: tiles of queries, windows of keys, and the online
// softmax and the epilogue on fragments of accumulators. PTX only.
#pragma once
#include "passes/lower/attention/AttentionPlan.h"
#include "passes/lower/emit/VectorExpr.h"
#include "passes/lower/ptx/PtxAtoms.h"
#include "passes/lower/ptx/SharedMemory.h"
#include "passes/lower/tile/GpuLaunch.h"

namespace zyxc {

/// Base of the emitters. A fragment is a list of f32 values: register 4t + e of a thread holds row
/// (lane / 4) + 8 (e / 2) of its warp's 16 rows, column 8t + 2 (lane % 4) + e % 2. Four warps (a
/// warpgroup) share 64 rows.
class AttentionFragments {
protected:
  using Fragment = llvm::SmallVector<mlir::Value>;
  using Values = llvm::SmallVector<mlir::Value>;

  AttentionFragments(const AccessTable &table, const AttentionRoles &roles,
                     const AttentionPlan &plan, GpuLaunch &launch);

  /// A tile of queries. All i32, except where noted.
  struct Tile {
    mlir::Value number;    ///< of this workgroup's tiles
    mlir::Value firstRow;  ///< query
    Values batch;          ///< coordinates of the batch axes (index)
    mlir::Value firstKeys; ///< key tiles [firstKeys, lastKeys) are loaded
    mlir::Value lastKeys;
  };
  /// What one warpgroup sees of a tile.
  struct Share {
    mlir::Value firstRow;
    mlir::Value firstKeys; ///< key tiles that are computed
    mlir::Value lastKeys;
    mlir::Value base;     ///< the turn of key tile t is base + t
    mlir::Value diagonal; ///< first row, less the first key of the tile of turn 0
    Fragment queries;     ///< in registers, four of each k16 step
    mlir::Value queryDescriptor;
  };
  /// Running state of the online softmax, the two rows of this thread.
  struct State {
    Fragment output;
    Fragment maximum;
    Fragment sum;
  };

  // Tiles.
  /// The tile with this number among all: batches fastest, and late queries first, if there is a
  /// window, which makes those the costly ones; else a batch's tiles side by side.
  Tile tileOf(mlir::Value index);
  void assignBatch(const Tile &tile);
  /// Emits what the logits have in common at the axes assigned.
  void prepareLogits();
  /// Sets the range of key tiles that rows [firstRow, firstRow + rows) need: not empty, inside
  /// [from, to).
  void keyRange(mlir::Value firstRow, int64_t rows, mlir::Value from, mlir::Value to,
                mlir::Value &first, mlir::Value &last);
  // Emitted where they are used: registers are short across the loop over key tiles.
  mlir::Value lane() { return math.bitAnd(ptx.threadId(), 31); }
  mlir::Value warp() { return math.bitAnd(math.shiftRight(ptx.threadId(), 5), 3); }
  /// The row of this thread in a half, of its warpgroup's 64; the query; the first column of its
  /// pairs.
  mlir::Value rowIn(unsigned half);
  mlir::Value rowOf(const Share &share, unsigned half);
  mlir::Value laneColumn();
  /// Loads 16 rows x `steps` x 16 columns of queries for each warp, from 64 rows at `shared`.
  Fragment loadQueryFragments(mlir::Value shared, int64_t steps);
  /// The loop over key tiles: `turn` maps a turn and the state before it to that after it.
  State emitTurns(mlir::Value from, mlir::Value to,
                  llvm::function_ref<State(mlir::Value, State)> turn);

  // Softmax (AttentionSoftmax.cpp).
  /// The weights of a turn, packed in pairs, from its scores; the state is rescaled.
  Values emitSoftmax(const Share &share, Fragment scores, mlir::Value turn, State &state);
  Fragment emitLogits(const Share &share, Fragment scores, mlir::Value turn);
  Fragment emitMask(const Share &share, Fragment logits, mlir::Value turn);
  /// Whether the tile of a turn needs a mask (i1); null: never.
  mlir::Value needsMask(const Share &share, mlir::Value turn);
  /// Whether keys have to be compared with their number: the window does not.
  bool limitsKeys() const;
  mlir::Value firstKey(const Share &share, mlir::Value turn);
  /// New maxima and rescaled sums; returns the weights.
  Fragment emitWeights(llvm::ArrayRef<mlir::Value> logits, State &state);
  void rescale(State &state, llvm::ArrayRef<mlir::Value> maximum);
  void emitEpilogue(const Share &share, State state);
  void emitRow(const Share &share, unsigned half, const State &state);

  // Small things.
  mlir::Value constantF32(double value);
  mlir::Value fadd(mlir::Value a, mlir::Value b);
  mlir::Value fsub(mlir::Value a, mlir::Value b);
  mlir::Value fmul(mlir::Value a, mlir::Value b);
  mlir::Value fmax(mlir::Value a, mlir::Value b);
  mlir::Value fma(mlir::Value a, mlir::Value b, mlir::Value c);
  mlir::Value shuffle(mlir::Value x, int64_t mask);
  mlir::Value at(int64_t offset) { return math.add(sharedBase, offset); }
  void ifThen(mlir::Value condition, llvm::function_ref<void()> body);
  void ifElse(mlir::Value condition, llvm::function_ref<void()> then,
              llvm::function_ref<void()> otherwise);
  Values choose(mlir::Value condition, llvm::function_ref<Values()> then, Values otherwise);
  Values loop(mlir::Value from, mlir::Value to, mlir::ValueRange init,
              llvm::function_ref<Values(mlir::Value, mlir::ValueRange)> body);

  zyxk::KernelOp kernel;
  mlir::Location loc;
  const AccessTable &table;
  const AttentionRoles &roles;
  const AttentionPlan &plan;
  GpuLaunch &launch;
  mlir::OpBuilder builder;
  PtxAtoms ptx;
  I32Math math;
  VectorExpr expr;
  mlir::Value sharedBase;
  /// log2 of e times the factor between fragments and logits.
  double exponentScale = 0;
};

} // namespace zyxc

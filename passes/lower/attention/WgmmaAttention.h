// Attention for wgmma: one warpgroup loads queries, keys and values by TMA, the others compute 64
// rows of queries each, with the scores and the output in registers (online softmax). Workgroups
// are persistent. Barriers in shared memory: a buffer is full when its bytes have landed, empty
// when every computing warpgroup has let it go.
#pragma once
#include "passes/lower/attention/AttentionPlan.h"
#include "passes/lower/emit/VectorExpr.h"
#include "passes/lower/ptx/PtxAtoms.h"
#include "passes/lower/ptx/SharedMemory.h"
#include "passes/lower/tile/GpuLaunch.h"

namespace zyxc {

/// Emits one kernel. A fragment is a list of f32 values: of m64nNk16, register 4t + e of a thread
/// holds row (lane / 4) + 8 (e / 2) of its warp's 16 rows, column 8t + 2 (lane % 4) + e % 2.
class WgmmaAttention {
public:
  using Fragment = llvm::SmallVector<mlir::Value>;

  WgmmaAttention(const AccessTable &table, const AttentionRoles &roles, const AttentionPlan &plan,
                 GpuLaunch &launch);
  void emit();

private:
  using Values = llvm::SmallVector<mlir::Value>;

  /// The tile of queries that a workgroup works on. All i32, except where noted.
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
  void assignBatch(const Tile &tile);
  /// Emits what the logits have in common at the axes assigned.
  void prepareLogits();
  /// Sets the range of key tiles that rows [firstRow, firstRow + rows) need: not empty, inside
  /// [from, to).
  void keyRange(mlir::Value firstRow, int64_t rows, mlir::Value from, mlir::Value to,
                mlir::Value &first, mlir::Value &last);

  // WgmmaCompute.cpp: what a computing warpgroup does.
  void emitCompute();
  mlir::Value computeTile(const Tile &tile, mlir::Value firstTurn);
  /// The loop over key tiles.
  State emitTurns(const Tile &tile, const Share &share, mlir::Value from, mlir::Value to);
  Share shareOf(const Tile &tile);
  // Emitted where they are used: registers are short across the loop over key tiles.
  /// The query of this thread in a half; the first column of its pairs.
  mlir::Value rowOf(const Share &share, unsigned half);
  mlir::Value laneColumn();
  mlir::Value lane() { return math.bitAnd(ptx.threadId(), 31); }
  mlir::Value warp() { return math.bitAnd(math.shiftRight(ptx.threadId(), 5), 3); }
  mlir::Value warpgroup() { return math.add(math.shiftRight(ptx.threadId(), 7), -1); }
  void loadQueries(const Tile &tile, Share &share);
  State emitTurn(const Share &share, State state, mlir::Value turn);
  Fragment emitScores(const Share &share, mlir::Value turn, mlir::Value keys);
  Fragment emitOutput(llvm::ArrayRef<mlir::Value> output, llvm::ArrayRef<mlir::Value> weights,
                      mlir::Value values);
  /// Lets go of the stages of turns that this warpgroup does not need.
  void skipTurns(mlir::Value from, mlir::Value to);

  // WgmmaSoftmax.cpp: fragments.
  Fragment emitLogits(const Share &share, Fragment scores, mlir::Value turn);
  Fragment emitMask(const Share &share, Fragment logits, mlir::Value turn);
  /// Whether the tile of a turn needs a mask (i1); null: never.
  mlir::Value needsMask(const Share &share, mlir::Value turn);
  /// Whether keys have to be compared with their number: the window does not.
  bool limitsKeys() const;
  /// The row of this thread in a half, of its warpgroup's 64.
  mlir::Value rowIn(unsigned half);
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
  /// The barrier of a stage, and its parity in a turn.
  mlir::Value stageOf(mlir::Value turn) { return math.bitAnd(turn, plan.stages - 1); }
  mlir::Value parityOf(mlir::Value turn);
  mlir::Value opaqueZero(mlir::Value turn);
  /// Where the barriers of a tile's queries are, from the first.
  mlir::Value bufferBarrier(const Tile &tile);
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
  Values maps; ///< of queries, keys and values
  mlir::Value sharedBase;
  // In a computing warpgroup:
  mlir::Value isLeader, keyDescriptor, valueDescriptor;
  /// log2 of e times the factor between fragments and logits.
  double exponentScale = 0;
};

} // namespace zyxc

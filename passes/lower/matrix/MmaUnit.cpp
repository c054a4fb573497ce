#include "passes/lower/matrix/MmaUnit.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/lower/matrix/MatrixEpilogue.h"
#include "passes/lower/matrix/OperandCopy.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace zyxc {

static constexpr int64_t stepK = 16; ///< of one mma
static constexpr int64_t blockM = 16;
static constexpr int64_t warpThreads = 32;
static constexpr int64_t warpColumns = MatrixEpilogue::columns;
/// Of a step of k within a tile, by ldmatrix: 16 columns by four 8x8 tiles.
static constexpr int64_t columnPairs = warpColumns / 16;
/// Bytes of 16 rows of 128, and of the part of a row that a step takes.
static constexpr int64_t rows16 = 16 * swizzleBytes;
static constexpr int64_t stepBytes = stepK * halfBytes;
/// Steps of k of a turn of the loop, and turns of a tile (of 64 k).
static constexpr int64_t pairSteps = 2;
static constexpr int64_t pairBytes = pairSteps * stepBytes;
static constexpr int64_t turnsPerTile = chunkRows / stepK / pairSteps;

namespace {

/// Emits the body; the methods are its parts in order.
class MmaKernel {
public:
  explicit MmaKernel(MatrixFrame &frame)
      : frame(frame), plan(frame.plan), problem(frame.problem), builder(frame.builder),
        math(frame.math), ptx(frame.ptx), blocks(plan.tileM / plan.warpsM / blockM),
        copyA(frame, problem.a, *problem.a.source, plan.tileM),
        copyB(frame, problem.b, *problem.b.source, plan.tileN) {}

  void emit();

private:
  using Values = MatrixFrame::Values;
  /// The fragments of one step: a's blocks, then b's pairs of blocks, four registers each.
  using Fragments = Values;

  /// Lane parts of ldmatrix addresses from the start of a's (b's) tile.
  Value laneAddressA();
  Value laneAddressB();
  /// The address of the stage after one.
  Value stageAfter(Value stage);
  /// Starts the copies of tile `step` along k, if there is such a tile; closes their group in any
  /// case.
  void startCopies(Value step, Value stage);
  /// Starts the copies of the first tiles, one a stage.
  void fillStages();
  /// The fragments of step `step` (0 or 1) of a pair of steps of the tile at `stage`.
  Fragments loadFragments(Value stage, Value pair, int64_t step);
  Values multiply(ArrayRef<Value> accumulators, const Fragments &fragments);
  /// Waits until all but `pending` tiles are there for all warps.
  void waitForStage(int64_t pending);
  Values sum(const TilePosition &tile);
  std::pair<Value, Values> turn(ValueRange arguments);
  void store(ArrayRef<Value> accumulators, const TilePosition &tile, MatrixEpilogue &epilogue);

  MatrixFrame &frame;
  const MatrixPlan &plan;
  const MatrixProblem &problem;
  OpBuilder &builder;
  I32Math &math;
  PtxAtoms &ptx;
  int64_t blocks; ///< of 16 rows, of one warp
  OperandCopy copyA, copyB;
  Value base;
  Value lane;
  Value warpRow, warpColumn; ///< of the warp's part, from the tile's start
  Value laneA, laneB;        ///< from the start of a stage
};

} // namespace

void MmaKernel::emit() {
  base = dynamicSharedBase(builder, frame.loc);
  Value warp = math.shiftRight(frame.thread(), 5);
  lane = math.bitAnd(frame.thread(), warpThreads - 1);
  warpRow = math.mul(math.div(warp, plan.warpsN), blocks * blockM);
  warpColumn = math.mul(math.rem(warp, plan.warpsN), warpColumns);
  laneA = laneAddressA();
  laneB = math.add(laneAddressB(), plan.bytesA);
  Value shared = math.add(base, math.mul(warp, plan.epilogueBytes));
  MatrixEpilogue epilogue(frame, warpThreads, lane, shared, [&] { ptx.syncWarp(); });
  frame.tileLoop({}, [&](const TilePosition &tile, ValueRange) {
    Values sums = sum(tile);
    // The epilogue's tiles lie over the stages.
    ptx.copyWait(0);
    gpu::BarrierOp::create(builder, frame.loc);
    store(sums, tile, epilogue);
    gpu::BarrierOp::create(builder, frame.loc);
    return Values();
  });
}

//===- Fragments -----------------------------------------------------------------------------===//

// Lane l gives ldmatrix the address of row l % 8 of its 8x8 tile l / 8. Rows of 128 bytes have
// their 16-byte pieces at piece xor row % 8; a step along the pieces is an xor with a constant.

/// Tiles in the order of a's registers: rows 0-7 and 8-15 at k 0-7, then both at k 8-15.
Value MmaKernel::laneAddressA() {
  Value row = math.bitAnd(lane, 7);
  Value low = math.bitAnd(math.shiftRight(lane, 3), 1);
  Value high = math.shiftRight(lane, 4);
  if (problem.a.source->kMajor) {
    Value inWarp = math.add(math.shiftLeft(low, 3), row);
    Value piece = math.bitXor(high, row);
    return math.add(math.mul(math.add(warpRow, inWarp), swizzleBytes), math.shiftLeft(piece, 4));
  }
  // Stored rows are k; chunks of 64 rows of a.
  Value chunk = math.div(warpRow, chunkRows);
  Value inChunk = math.div(math.rem(warpRow, chunkRows), 8);
  Value piece = math.bitXor(math.add(inChunk, low), row);
  Value k = math.add(math.shiftLeft(high, 3), row);
  return math.add(math.add(math.mul(chunk, chunkBytes), math.mul(k, swizzleBytes)),
                  math.shiftLeft(piece, 4));
}

/// Tiles in the order of b's registers: columns 0-7 at k 0-7 and 8-15, then columns 8-15.
Value MmaKernel::laneAddressB() {
  Value row = math.bitAnd(lane, 7);
  Value low = math.bitAnd(math.shiftRight(lane, 3), 1);
  Value high = math.shiftRight(lane, 4);
  if (problem.b.source->kMajor) {
    Value inWarp = math.add(math.shiftLeft(high, 3), row);
    Value piece = math.bitXor(low, row);
    return math.add(math.mul(math.add(warpColumn, inWarp), swizzleBytes), math.shiftLeft(piece, 4));
  }
  Value chunk = math.div(warpColumn, chunkRows); // a warp has a whole chunk
  Value piece = math.bitXor(high, row);
  Value k = math.add(math.shiftLeft(low, 3), row);
  return math.add(math.add(math.mul(chunk, chunkBytes), math.mul(k, swizzleBytes)),
                  math.shiftLeft(piece, 4));
}

MmaKernel::Fragments MmaKernel::loadFragments(Value stage, Value pair, int64_t step) {
  Fragments fragments;
  // K-major: 32 bytes of a row are 16 k, 16 rows further on is the next block; else the other way
  // round.
  auto load = [&](Value first, bool kMajor, int64_t count) {
    Value start = kMajor ? math.bitXor(first, math.shiftLeft(pair, llvm::Log2_64(pairBytes)))
                         : math.add(first, math.mul(pair, pairSteps * rows16));
    for (int64_t i = 0; i < count; ++i) {
      Value address = math.bitXor(start, stepBytes * (kMajor ? step : i));
      llvm::append_range(fragments, ptx.loadMatrix(address, !kMajor, rows16 * (kMajor ? i : step)));
    }
  };
  load(math.add(stage, laneA), problem.a.source->kMajor, blocks);
  load(math.add(stage, laneB), problem.b.source->kMajor, columnPairs);
  return fragments;
}

MmaKernel::Values MmaKernel::multiply(ArrayRef<Value> accumulators, const Fragments &fragments) {
  Values next;
  ArrayRef<Value> all(fragments);
  int64_t numSums = 8 * columnPairs; // of a block
  for (int64_t i = 0; i < blocks; ++i) {
    llvm::append_range(next, ptx.mma(problem.element, accumulators.slice(i * numSums, numSums),
                                     all.slice(4 * i, 4), all.drop_front(4 * blocks)));
  }
  return next;
}

//===- The loop over k -----------------------------------------------------------------------===//

void MmaKernel::startCopies(Value step, Value stage) {
  auto guard = scf::IfOp::create(builder, frame.loc, math.less(step, plan.steps));
  {
    OpBuilder::InsertionGuard restore(builder);
    builder.setInsertionPointToStart(guard.thenBlock());
    copyA.start(builder, stage, step);
    copyB.start(builder, math.add(stage, plan.bytesA), step);
  }
  ptx.copyCommit();
}

void MmaKernel::fillStages() {
  frame.doWhile({math.constant(0), base}, [&](ValueRange arguments) {
    Value step = arguments[0], stage = arguments[1];
    startCopies(step, stage);
    Value next = math.add(step, 1);
    return std::pair(math.less(next, plan.stages),
                     Values{next, math.add(stage, plan.stageBytes())});
  });
}

Value MmaKernel::stageAfter(Value stage) {
  Value next = math.add(stage, plan.stageBytes());
  Value end = math.add(base, plan.stages * plan.stageBytes());
  return math.select(math.less(next, end), next, base);
}

void MmaKernel::waitForStage(int64_t pending) {
  ptx.copyWait(pending);
  gpu::BarrierOp::create(builder, frame.loc);
}

// Two steps of k a turn: with one, the fragments of the next step would have to be moved; a whole
// tile takes ptxas twice as long.
std::pair<Value, MmaKernel::Values> MmaKernel::turn(ValueRange arguments) {
  int64_t numSums = blocks * 8 * columnPairs;
  Value turn = arguments[0], stage = arguments[1];
  Values sums(arguments.slice(2, numSums));
  Fragments even(arguments.drop_front(2 + numSums));
  Value pair = math.bitAnd(turn, turnsPerTile - 1);
  Fragments odd = loadFragments(stage, pair, 1);
  sums = multiply(sums, even);
  Value isLast = math.equal(pair, turnsPerTile - 1);
  frame.branch(isLast, [&] {
    waitForStage(plan.stages - 2);
    // All warps have read their fragments of this stage.
    startCopies(math.add(math.shiftRight(turn, llvm::Log2_64(turnsPerTile)), plan.stages), stage);
  });
  Value nextTurn = math.add(turn, 1);
  Value nextStage = math.select(isLast, stageAfter(stage), stage);
  even = loadFragments(nextStage, math.bitAnd(nextTurn, turnsPerTile - 1), 0);
  sums = multiply(sums, odd);
  Values next = {nextTurn, nextStage};
  llvm::append_range(next, sums);
  llvm::append_range(next, even);
  return {math.less(nextTurn, plan.steps * turnsPerTile), next};
}

MmaKernel::Values MmaKernel::sum(const TilePosition &tile) {
  copyA.setTile(tile, tile.row);
  copyB.setTile(tile, tile.column);
  fillStages();
  waitForStage(plan.stages - 1);
  int64_t numSums = blocks * 8 * columnPairs;
  Value zero = arith::ConstantOp::create(builder, frame.loc, builder.getF32FloatAttr(0));
  Values initial = {math.constant(0), base};
  initial.append(numSums, zero);
  llvm::append_range(initial, loadFragments(base, math.constant(0), 0));
  Values last = frame.doWhile(initial, [&](ValueRange arguments) { return turn(arguments); });
  return Values(ArrayRef<Value>(last).slice(2, numSums));
}

void MmaKernel::store(ArrayRef<Value> accumulators, const TilePosition &tile,
                      MatrixEpilogue &epilogue) {
  Value row = math.add(tile.row, warpRow);
  Value column = math.add(tile.column, warpColumn);
  epilogue.emit(accumulators, tile, [&](Value part) {
    return std::pair(math.add(row, math.mul(part, blockM)), column);
  });
}

void emitMmaKernel(MatrixFrame &frame) {
  MmaKernel(frame).emit();
}

} // namespace zyxc

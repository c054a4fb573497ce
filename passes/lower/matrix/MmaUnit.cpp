#include "passes/lower/matrix/MmaUnit.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/lower/matrix/MatrixEpilogue.h"
#include "passes/lower/matrix/OperandCopy.h"

using namespace mlir;

namespace zyxc {

static constexpr int64_t stepK = 16; ///< of one mma
static constexpr int64_t blockM = 16;
static constexpr int64_t warpThreads = 32;
static constexpr int64_t warpColumns = MatrixEpilogue::columns;
/// Of a step of k within a tile, by ldmatrix: 16 columns by four 8x8 tiles.
static constexpr int64_t columnPairs = warpColumns / 16;
/// Bytes of 16 rows of 128.
static constexpr int64_t rows16 = 16 * swizzleBytes;

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
  Value stageAddress(Value step) {
    return math.add(base, math.mul(math.rem(step, plan.stages), plan.stageBytes()));
  }
  /// Starts the copies of a step, if there is such a step; closes their group in any case.
  void startCopies(Value step);
  Fragments loadFragments(Value stage, int64_t step);
  Values multiply(ArrayRef<Value> accumulators, const Fragments &fragments);
  /// Waits until the tile of the next step is there for all warps.
  void waitForStage();
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
  Value laneA, laneB;
};

} // namespace

void MmaKernel::emit() {
  base = dynamicSharedBase(builder, frame.loc);
  Value warp = math.shiftRight(frame.thread(), 5);
  lane = math.bitAnd(frame.thread(), warpThreads - 1);
  warpRow = math.mul(math.div(warp, plan.warpsN), blocks * blockM);
  warpColumn = math.mul(math.rem(warp, plan.warpsN), warpColumns);
  laneA = laneAddressA();
  laneB = laneAddressB();
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

MmaKernel::Fragments MmaKernel::loadFragments(Value stage, int64_t step) {
  Fragments fragments;
  auto load = [&](Value first, bool kMajor, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      // K-major: 32 bytes of a row are 16 k, 16 rows further on is the next block; else the
      // other way round.
      Value address = math.bitXor(first, 32 * (kMajor ? step : i));
      llvm::append_range(fragments, ptx.loadMatrix(address, !kMajor, rows16 * (kMajor ? i : step)));
    }
  };
  load(math.add(stage, laneA), problem.a.source->kMajor, blocks);
  load(math.add(math.add(stage, plan.bytesA), laneB), problem.b.source->kMajor, columnPairs);
  return fragments;
}

MmaKernel::Values MmaKernel::multiply(ArrayRef<Value> accumulators, const Fragments &fragments) {
  Values next;
  ArrayRef<Value> all(fragments);
  for (int64_t i = 0; i < blocks; ++i) {
    for (int64_t j = 0; j < 2 * columnPairs; ++j) {
      ArrayRef<Value> a = all.slice(4 * i, 4);
      ArrayRef<Value> b = all.slice(4 * blocks + 2 * j, 2);
      ArrayRef<Value> sum = accumulators.slice(next.size(), 4);
      llvm::append_range(next, ptx.mma(problem.element, sum, a, b));
    }
  }
  return next;
}

//===- The loop over k -----------------------------------------------------------------------===//

void MmaKernel::startCopies(Value step) {
  auto guard = scf::IfOp::create(builder, frame.loc, math.less(step, plan.steps));
  {
    OpBuilder::InsertionGuard restore(builder);
    builder.setInsertionPointToStart(guard.thenBlock());
    Value stage = stageAddress(step);
    copyA.start(builder, stage, step);
    copyB.start(builder, math.add(stage, plan.bytesA), step);
  }
  ptx.copyCommit();
}

void MmaKernel::waitForStage() {
  ptx.copyWait(plan.stages - 2);
  gpu::BarrierOp::create(builder, frame.loc);
}

std::pair<Value, MmaKernel::Values> MmaKernel::turn(ValueRange arguments) {
  int64_t numSums = blocks * 8 * columnPairs;
  Value step = arguments[0];
  Values sums(arguments.slice(1, numSums));
  Fragments fragments(arguments.drop_front(1 + numSums));
  Value stage = stageAddress(step);
  Value nextStep = math.add(step, 1);
  int64_t steps = plan.tileK / stepK;
  for (int64_t i = 0; i < steps; ++i) {
    Fragments following;
    if (i + 1 < steps) {
      following = loadFragments(stage, i + 1);
    } else {
      waitForStage();
      following = loadFragments(stageAddress(nextStep), 0);
    }
    if (i == 0) { // into the stage that all warps have left behind
      startCopies(math.add(step, plan.stages - 1));
    }
    sums = multiply(sums, fragments);
    fragments = following;
  }
  Values next = {nextStep};
  llvm::append_range(next, sums);
  llvm::append_range(next, fragments);
  return {math.less(nextStep, plan.steps), next};
}

MmaKernel::Values MmaKernel::sum(const TilePosition &tile) {
  copyA.setTile(tile, tile.row);
  copyB.setTile(tile, tile.column);
  for (int64_t i = 0; i + 1 < plan.stages; ++i) {
    startCopies(math.constant(i));
  }
  waitForStage();
  int64_t numSums = blocks * 8 * columnPairs;
  Value zero = arith::ConstantOp::create(builder, frame.loc, builder.getF32FloatAttr(0));
  Values initial(1 + numSums, zero);
  initial[0] = math.constant(0);
  llvm::append_range(initial, loadFragments(stageAddress(initial[0]), 0));
  Values last = frame.doWhile(initial, [&](ValueRange arguments) { return turn(arguments); });
  return Values(ArrayRef<Value>(last).slice(1, numSums));
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

#include "passes/lower/attention/MmaAttention.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace zyxc {

/// A copy brings 16 bytes; eight of them are a row of a chunk of 64 columns.
static constexpr int64_t pieceBytes = 16;
static constexpr int64_t pieceColumns = 8;
static constexpr int64_t piecesOfRow = AttentionMap::chunkRowBytes / pieceBytes;
/// Columns of an accumulator of mma.sync, and its registers in a thread.
static constexpr int64_t tileColumns = 8;
static constexpr unsigned tileRegisters = 4;

void MmaAttention::emit() {
  launch.function->setAttr(sharedBytesAttrName, builder.getI64IntegerAttr(plan.sharedBytes()));
  launch.function->setAttr(minBlocksAttrName, builder.getI64IntegerAttr(plan.minBlocks));
  sharedBase = dynamicSharedBase(builder, loc);
  Tile tile = tileOf(math.fromIndex(blockIndex(builder, loc, launch)));
  queries = sourceOf(roles.q, plan.q, *roles.query, roles.depth, plan.depth, tile);
  keys = sourceOf(roles.k, plan.k, roles.key, roles.depth, plan.depth, tile);
  values = sourceOf(roles.v, plan.v, roles.key, *roles.width, plan.width, tile);

  startCopy(queries, tile.firstRow, sharedBase);
  ptx.copyCommit();
  startKeysAndValues(tile.firstKeys);
  ptx.copyCommit();
  ptx.copyWait(1);
  gpu::BarrierOp::create(builder, loc);
  Share share;
  share.firstRow = tile.firstRow;
  share.firstKeys = tile.firstKeys;
  share.lastKeys = tile.lastKeys;
  share.base = math.constant(0);
  share.diagonal = tile.firstRow;
  share.queries = loadQueryFragments(sharedBase, plan.depthSteps());

  VectorExpr::Scope scope(expr);
  assignBatch(tile);
  prepareLogits();
  State state = emitTurns(tile.firstKeys, tile.lastKeys, [&](Value keyTile, State before) {
    return emitTurn(share, before, keyTile);
  });
  emitEpilogue(share, state);
}

//===- Copies --------------------------------------------------------------------------------===//

MmaAttention::Source MmaAttention::sourceOf(const AttentionOperand &operand,
                                            const AttentionMap &map, unsigned rowAxis,
                                            unsigned columnAxis, int64_t columns,
                                            const Tile &tile) {
  AffineExpr linear = table.accessOf(operand.load).linear;
  auto factors = factorsOf(linear, rowAxis, rowAxis);
  assert(factors && "plans take rows of a constant stride");
  LaneIndexEmitter indices(builder, loc, 1);
  SmallVector<LaneIndex> axes(table.numAxes());
  for (auto [axis, coordinate] : llvm::zip_equal(roles.batch, tile.batch)) {
    axes[axis] = LaneIndex::uniform(coordinate);
  }
  axes[rowAxis] = LaneIndex::constant(0);
  axes[columnAxis] = LaneIndex::constant(0);
  Type i64 = builder.getI64Type();
  Value offset = arith::IndexCastUIOp::create(builder, loc, i64,
                                              indices.first(indices.evaluate(linear, axes)));
  Value memory =
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, launch.ports[operand.port]);
  Value address = arith::IndexCastUIOp::create(builder, loc, i64, memory);
  Value two = arith::ConstantIntOp::create(builder, loc, 2, 64);
  Source source;
  source.first = arith::AddIOp::create(builder, loc, address,
                                       arith::MulIOp::create(builder, loc, offset, two));
  source.rowBytes = 2 * factors->first;
  source.rows = table.extent(rowAxis);
  source.columns = columns;
  source.map = &map;
  return source;
}

void MmaAttention::startCopy(const Source &source, Value row, Value shared) {
  Value piece = math.bitAnd(ptx.threadId(), piecesOfRow - 1);
  Value ownRow = math.shiftRight(ptx.threadId(), 3);
  Value swizzled = math.bitXor(piece, math.bitAnd(ownRow, 7));
  Value to = math.add(
      shared, math.add(math.mul(ownRow, AttentionMap::chunkRowBytes), math.shiftLeft(swizzled, 4)));
  Value at = math.add(row, ownRow);
  Value pitch = arith::ConstantIntOp::create(builder, loc, source.rowBytes, 64);
  Value from = arith::AddIOp::create(builder, loc, source.first,
                                     arith::MulIOp::create(builder, loc, math.toI64(at), pitch));
  from = arith::AddIOp::create(builder, loc, from, math.toI64(math.mul(piece, pieceBytes)));
  int64_t rowsAtOnce = plan.threads() / piecesOfRow;
  bool whole =
      source.rows % source.map->rows == 0 && source.columns % AttentionMap::chunkColumns == 0;
  for (int64_t chunk = 0; chunk < source.map->chunks; ++chunk) {
    for (int64_t next = 0; next < source.map->rows; next += rowsAtOnce) {
      int64_t toOffset = chunk * source.map->chunkBytes() + next * AttentionMap::chunkRowBytes;
      int64_t fromOffset = next * source.rowBytes + chunk * AttentionMap::chunkRowBytes;
      if (whole) {
        ptx.copyAsync(to, toOffset, from, fromOffset);
        continue;
      }
      // Rows and columns behind the last one are zeros.
      Value column = math.add(math.mul(piece, pieceColumns), chunk * AttentionMap::chunkColumns);
      Value inside = arith::AndIOp::create(builder, loc, math.less(math.add(at, next), source.rows),
                                           math.less(column, source.columns));
      Value bytes = math.select(inside, math.constant(pieceBytes), math.constant(0));
      ptx.copyAsyncPart(to, toOffset, from, fromOffset, bytes);
    }
  }
}

Value MmaAttention::stageAt(Value keyTile, int64_t offset, int64_t bytes) {
  return math.add(at(offset), math.mul(math.bitAnd(keyTile, plan.stages - 1), bytes));
}

void MmaAttention::startKeysAndValues(Value keyTile) {
  Value row = math.mul(keyTile, plan.keyTile);
  startCopy(keys, row, stageAt(keyTile, plan.keyOffset(), plan.k.tileBytes()));
  startCopy(values, row, stageAt(keyTile, plan.valueOffset(), plan.v.tileBytes()));
}

//===- A turn --------------------------------------------------------------------------------===//

MmaAttention::State MmaAttention::emitTurn(const Share &share, State state, Value keyTile) {
  // What was copied during the last turn is there, and all warps are done with its stage.
  ptx.copyWait(0);
  gpu::BarrierOp::create(builder, loc);
  Value next = math.add(keyTile, 1);
  ifThen(math.less(next, share.lastKeys), [&] { startKeysAndValues(next); });
  ptx.copyCommit();
  Fragment scores = emitScores(share, stageAt(keyTile, plan.keyOffset(), plan.k.tileBytes()));
  Values weights = emitSoftmax(share, scores, keyTile, state);
  state.output =
      emitOutput(state.output, weights, stageAt(keyTile, plan.valueOffset(), plan.v.tileBytes()));
  return state;
}

Value MmaAttention::unitAt(const AttentionMap &map, Value shared, Value row, int64_t unit,
                           Value laneUnit) {
  Value swizzled = math.bitXor(math.add(laneUnit, unit % piecesOfRow), math.bitAnd(row, 7));
  Value start = math.add(shared, math.mul(row, AttentionMap::chunkRowBytes));
  return math.add(math.add(start, unit / piecesOfRow * map.chunkBytes()),
                  math.shiftLeft(swizzled, 4));
}

// The keys of one ldmatrix: 16 of them, eight columns and the next eight. Lanes 0-7 address keys
// 0-7 of the first, 8-15 those of the second, 16-31 keys 8-15.
MmaAttention::Fragment MmaAttention::emitScores(const Share &share, Value shared) {
  Fragment scores(plan.scoreRegisters(), constantF32(0));
  Value ownRow = math.add(math.bitAnd(ptx.threadId(), 7),
                          math.shiftLeft(math.bitAnd(math.shiftRight(ptx.threadId(), 4), 1), 3));
  Value laneUnit = math.bitAnd(math.shiftRight(ptx.threadId(), 3), 1);
  for (int64_t step = 0; step < plan.depthSteps(); ++step) {
    ArrayRef<Value> a = ArrayRef(share.queries).slice(4 * step, 4);
    for (int64_t pair = 0; pair < plan.keyTile / (2 * tileColumns); ++pair) {
      Value row = math.add(ownRow, pair * 2 * tileColumns);
      Values b = ptx.loadMatrix(unitAt(plan.k, shared, row, 2 * step, laneUnit), false);
      for (unsigned half = 0; half < 2; ++half) {
        auto part =
            MutableArrayRef<Value>(scores).slice((2 * pair + half) * tileRegisters, tileRegisters);
        llvm::copy(ptx.mma(plan.element, part, a, ArrayRef(b).slice(2 * half, 2)), part.begin());
      }
    }
  }
  return scores;
}

// The values of one transposing ldmatrix: keys 0-7, keys 8-15, of eight columns and the next eight.
MmaAttention::Fragment MmaAttention::emitOutput(Fragment output, ArrayRef<Value> weights,
                                                Value shared) {
  Value ownRow = math.bitAnd(ptx.threadId(), 15);
  Value laneUnit = math.bitAnd(math.shiftRight(ptx.threadId(), 4), 1);
  int64_t tiles = plan.width / tileColumns;
  for (int64_t step = 0; step < plan.keyTile / 16; ++step) {
    ArrayRef<Value> a = weights.slice(4 * step, 4);
    Value row = math.add(ownRow, 16 * step);
    for (int64_t tile = 0; tile < tiles; tile += 2) {
      Values b = ptx.loadMatrix(unitAt(plan.v, shared, row, tile, laneUnit), true);
      for (int64_t half = 0; half < std::min<int64_t>(2, tiles - tile); ++half) {
        auto part =
            MutableArrayRef<Value>(output).slice((tile + half) * tileRegisters, tileRegisters);
        llvm::copy(ptx.mma(plan.element, part, a, ArrayRef(b).slice(2 * half, 2)), part.begin());
      }
    }
  }
  return output;
}

} // namespace zyxc

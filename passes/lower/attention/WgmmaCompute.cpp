// What a computing warpgroup does: wait, multiply, let go. The softmax is in WgmmaSoftmax.cpp.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/lower/attention/WgmmaAttention.h"
#include <cfloat>

using namespace mlir;

namespace zyxc {

/// Bytes of one row of a chunk of 64 columns, of eight of them (a swizzle atom), and of the part of
/// a row that one k16 step reads.
static constexpr int64_t rowBytes = AttentionMap::chunkRowBytes;
static constexpr int64_t atomBytes = 8 * rowBytes;
static constexpr int64_t stepBytes = 32;
static constexpr int64_t stepsPerChunk = 4;
static constexpr int64_t stepColumns = 16;
static constexpr int64_t warpgroupThreads = 128;

/// The first maximum of a row. With a mere scale the exponent is formed by one fma, which must not
/// overflow; else masks may add -FLT_MAX, and rows of nothing else are still averaged.
static double firstMaximum(const AttentionRoles &roles) {
  return roles.scale ? -1e30 : -FLT_MAX;
}

void WgmmaAttention::emitCompute() {
  ptx.moreRegisters(plan.computeRegisters);
  isLeader = math.equal(math.bitAnd(ptx.threadId(), 127), 0);
  keyDescriptor = wgmmaDescriptor(builder, loc, at(plan.keyOffset()), stepColumns, atomBytes);
  valueDescriptor =
      wgmmaDescriptor(builder, loc, at(plan.valueOffset()), plan.v.chunkBytes(), atomBytes);

  forEachTile([&](const Tile &tile, Value firstTurn) { return computeTile(tile, firstTurn); });
}

Value WgmmaAttention::computeTile(const Tile &tile, Value firstTurn) {
  Share share = shareOf(tile);
  Value parity = math.bitAnd(math.shiftRight(tile.number, 1), 1);
  ptx.barrierWait(math.add(at(plan.queryFull()), bufferBarrier(tile)), parity);
  loadQueries(tile, share);
  share.base = math.sub(firstTurn, tile.firstKeys);
  share.diagonal = math.add(share.firstRow, math.mul(share.base, plan.keyTile));
  if (plan.window.first) {
    skipTurns(firstTurn, math.add(share.base, share.firstKeys));
  }
  Value end = math.add(share.base, share.lastKeys);
  State state = emitTurns(tile, share, math.add(share.base, share.firstKeys), end);
  // The tile is decoded anew, so that its parts take no registers across the loop.
  Tile again = tileAt(ptx.opaqueXor(tile.number, opaqueZero(end)));
  Share mine = shareOf(again);
  Value lastTurn = math.add(end, math.sub(again.lastKeys, mine.lastKeys));
  if (plan.window.last) {
    skipTurns(end, lastTurn);
  }
  ptx.barrierArriveIf(math.add(at(plan.queryEmpty()), bufferBarrier(again)), isLeader);
  VectorExpr::Scope scope(expr);
  assignBatch(again);
  emitEpilogue(mine, state);
  return lastTurn;
}

WgmmaAttention::State WgmmaAttention::emitTurns(const Tile &tile, const Share &share, Value from,
                                                Value to) {
  VectorExpr::Scope scope(expr);
  assignBatch(tile);
  prepareLogits();
  Values init(plan.outputRegisters(), constantF32(0));
  init.append(2, constantF32(firstMaximum(roles)));
  init.append(2, constantF32(0));
  auto stateOf = [&](ValueRange all) {
    unsigned count = plan.outputRegisters();
    return State{Fragment(all.take_front(count)), Fragment(all.slice(count, 2)),
                 Fragment(all.drop_front(count + 2))};
  };
  Values last = loop(from, to, init, [&](Value turn, ValueRange values) {
    State next = emitTurn(share, stateOf(values), turn);
    Values all = next.output;
    llvm::append_range(all, next.maximum);
    llvm::append_range(all, next.sum);
    return all;
  });
  return stateOf(last);
}

Value WgmmaAttention::bufferBarrier(const Tile &tile) {
  return math.shiftLeft(math.bitAnd(tile.number, 1), 3);
}

/// A single key is no axis: all of the logits would count as common, the scores with them.
void WgmmaAttention::prepareLogits() {
  if (plan.keys > 1) {
    expr.prepare(builder, roles.logits);
  }
}

void WgmmaAttention::assignBatch(const Tile &tile) {
  for (auto [axis, coordinate] : llvm::zip_equal(roles.batch, tile.batch)) {
    expr.assign(axis, coordinate);
  }
}

/// 0, which no compiler can prove: turns are counted with less than 24 bits (AttentionPlan).
Value WgmmaAttention::opaqueZero(Value turn) {
  return math.shiftRight(turn, 24);
}

WgmmaAttention::Share WgmmaAttention::shareOf(const Tile &tile) {
  Share share;
  share.firstRow = math.add(tile.firstRow, math.shiftLeft(warpgroup(), 6));
  keyRange(share.firstRow, 64, tile.firstKeys, tile.lastKeys, share.firstKeys, share.lastKeys);
  return share;
}

Value WgmmaAttention::rowIn(unsigned half) {
  return math.add(math.add(math.shiftLeft(warp(), 4), math.shiftRight(lane(), 2)), 8 * half);
}

Value WgmmaAttention::rowOf(const Share &share, unsigned half) {
  return math.add(share.firstRow, rowIn(half));
}

Value WgmmaAttention::laneColumn() {
  return math.shiftLeft(math.bitAnd(ptx.threadId(), 3), 1);
}

void WgmmaAttention::loadQueries(const Tile &tile, Share &share) {
  Value buffer = math.bitAnd(tile.number, 1);
  Value own = math.add(math.add(sharedBase, math.mul(buffer, plan.q.tileBytes())),
                       math.mul(warpgroup(), 64 * rowBytes));
  share.queryDescriptor = wgmmaDescriptor(builder, loc, own, stepColumns, atomBytes);
  // Each quarter of the lanes addresses the rows of one 8x8 tile: rows 0-7 and 8-15 of the first
  // eight columns, then of the second. The swizzle is an xor of 16-byte units with the row.
  Value inAtom = math.bitAnd(ptx.threadId(), 7);
  Value row = math.add(math.shiftLeft(warp(), 4), math.bitAnd(ptx.threadId(), 15));
  Value start = math.add(own, math.shiftLeft(row, 7));
  Value half = math.shiftRight(lane(), 4);
  for (int64_t step = 0; step < plan.registerSteps; ++step) {
    Value unit = math.bitXor(math.add(half, step % stepsPerChunk * 2), inAtom);
    Value address = math.add(math.add(start, step / stepsPerChunk * plan.q.chunkBytes()),
                             math.shiftLeft(unit, 4));
    llvm::append_range(share.queries, ptx.loadMatrix(address, /*transposed=*/false));
  }
}

void WgmmaAttention::skipTurns(Value from, Value to) {
  loop(from, to, {}, [&](Value turn, ValueRange) -> Values {
    Value bar = math.shiftLeft(stageOf(turn), 3);
    // A stage that is full has been let go by all in the turn before.
    ptx.barrierWait(math.add(at(plan.keyFull()), bar), parityOf(turn));
    ptx.barrierWait(math.add(at(plan.valueFull()), bar), parityOf(turn));
    // Products keep the warps of a warpgroup in step; here nothing else does. A warp that has not
    // yet seen the stage full would miss it, once the stage is filled again, and wait for ever.
    ptx.namedSync(math.add(warpgroup(), 1), warpgroupThreads);
    ptx.barrierArriveIf(math.add(at(plan.keyEmpty()), bar), isLeader);
    ptx.barrierArriveIf(math.add(at(plan.valueEmpty()), bar), isLeader);
    return {};
  });
}

/// The descriptor of stage `stage`: `bytes` apart.
static Value stageDescriptor(OpBuilder &builder, Location loc, I32Math &math, Value descriptor,
                             Value stage, int64_t bytes) {
  Value step = math.toI64(math.mul(stage, bytes / 16));
  return arith::AddIOp::create(builder, loc, descriptor, step);
}

WgmmaAttention::State WgmmaAttention::emitTurn(const Share &share, State state, Value turn) {
  Value stage = stageOf(turn);
  Value parity = parityOf(turn);
  Value bar = math.shiftLeft(stage, 3);
  ptx.barrierWait(math.add(at(plan.keyFull()), bar), parity);
  Value keys = stageDescriptor(builder, loc, math, keyDescriptor, stage, plan.k.tileBytes());
  ptx.wgmmaFence();
  Fragment scores = ptx.wgmmaWait(0, emitScores(share, turn, keys));
  ptx.barrierArriveIf(math.add(at(plan.keyEmpty()), bar), isLeader);

  Fragment logits = emitMask(share, emitLogits(share, scores, turn), turn);
  Fragment weights = emitWeights(logits, state);
  Values packed;
  for (size_t x = 0; x < weights.size(); x += 2) {
    packed.push_back(ptx.pack(plan.element, weights[x], weights[x + 1]));
  }

  ptx.barrierWait(math.add(at(plan.valueFull()), bar), parity);
  Value values = stageDescriptor(builder, loc, math, valueDescriptor, stage, plan.v.tileBytes());
  ptx.wgmmaFence();
  state.output = ptx.wgmmaWait(0, emitOutput(state.output, packed, values));
  ptx.barrierArriveIf(math.add(at(plan.valueEmpty()), bar), isLeader);
  return state;
}

WgmmaAttention::Fragment WgmmaAttention::emitScores(const Share &share, Value turn, Value keys) {
  WgmmaShape shape;
  shape.n = plan.keyTile;
  shape.element = plan.element;
  Values queries;
  if (plan.registerSteps > 0) {
    // ptxas must see these registers defined inside of the loop: the zero is one it cannot prove.
    Value zero = opaqueZero(turn);
    for (Value part : share.queries) {
      queries.push_back(ptx.opaqueXor(part, zero));
    }
    ptx.wgmmaFence();
  }
  Fragment scores;
  for (int64_t step = 0; step < plan.depthSteps(); ++step) {
    int64_t chunk = step / stepsPerChunk;
    int64_t inChunk = step % stepsPerChunk * stepBytes;
    Value b = advanceDescriptor(builder, loc, keys, chunk * plan.k.chunkBytes() + inChunk);
    if (step < plan.registerSteps) {
      scores = ptx.wgmmaRegisters(shape, scores, ArrayRef(queries).slice(4 * step, 4), b);
    } else {
      Value a = advanceDescriptor(builder, loc, share.queryDescriptor,
                                  chunk * plan.q.chunkBytes() + inChunk);
      scores = ptx.wgmma(shape, scores, a, b);
    }
  }
  ptx.wgmmaCommit();
  return scores;
}

WgmmaAttention::Fragment WgmmaAttention::emitOutput(ArrayRef<Value> output, ArrayRef<Value> weights,
                                                    Value values) {
  WgmmaShape shape;
  shape.n = plan.width;
  shape.element = plan.element;
  shape.transposeB = true;
  Fragment sums(output);
  for (int64_t step = 0; step < plan.keyTile / stepColumns; ++step) {
    Value b = advanceDescriptor(builder, loc, values, step * stepColumns * rowBytes);
    sums = ptx.wgmmaRegisters(shape, sums, weights.slice(4 * step, 4), b);
  }
  ptx.wgmmaCommit();
  return sums;
}

} // namespace zyxc

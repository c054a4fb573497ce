// What a computing warpgroup does: wait, multiply, let go. The softmax is in AttentionSoftmax.cpp.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/lower/attention/WgmmaAttention.h"

using namespace mlir;

namespace zyxc {

/// Bytes of one row of a chunk of 64 columns, of eight of them (a swizzle atom), and of the part of
/// a row that one k16 step reads.
static constexpr int64_t rowBytes = AttentionMap::chunkRowBytes;
static constexpr int64_t atomBytes = 8 * rowBytes;
static constexpr int64_t stepBytes = 32;
static constexpr int64_t stepColumns = 16;
static constexpr int64_t warpgroupThreads = 128;

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
  State state;
  {
    VectorExpr::Scope scope(expr);
    assignBatch(tile);
    prepareLogits();
    state = emitTurns(math.add(share.base, share.firstKeys), end,
                      [&](Value turn, State before) { return emitTurn(share, before, turn); });
  }
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

Value WgmmaAttention::bufferBarrier(const Tile &tile) {
  return math.shiftLeft(math.bitAnd(tile.number, 1), 3);
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

void WgmmaAttention::loadQueries(const Tile &tile, Share &share) {
  Value buffer = math.bitAnd(tile.number, 1);
  Value own = math.add(math.add(sharedBase, math.mul(buffer, plan.q.tileBytes())),
                       math.mul(warpgroup(), 64 * rowBytes));
  share.queryDescriptor = wgmmaDescriptor(builder, loc, own, stepColumns, atomBytes);
  share.queries = loadQueryFragments(own, plan.registerSteps);
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
  Fragment scores = emitScores(share, turn, keys);
  ptx.barrierArriveIf(math.add(at(plan.keyEmpty()), bar), isLeader);

  Values packed = emitSoftmax(share, scores, turn, state);

  ptx.barrierWait(math.add(at(plan.valueFull()), bar), parity);
  Value values = stageDescriptor(builder, loc, math, valueDescriptor, stage, plan.v.tileBytes());
  state.output = emitOutput(state.output, packed, values);
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
  }
  SmallVector<WgmmaFactors> factors;
  for (int64_t step = 0; step < plan.depthSteps(); ++step) {
    int64_t chunk = step / AttentionMap::chunkSteps;
    int64_t inChunk = step % AttentionMap::chunkSteps * stepBytes;
    Value b = advanceDescriptor(builder, loc, keys, chunk * plan.k.chunkBytes() + inChunk);
    if (step < plan.registerSteps) {
      factors.push_back({SmallVector<Value, 4>(ArrayRef(queries).slice(4 * step, 4)), b});
    } else {
      Value a = advanceDescriptor(builder, loc, share.queryDescriptor,
                                  chunk * plan.q.chunkBytes() + inChunk);
      factors.push_back({{a}, b});
    }
  }
  return ptx.wgmmaGroup(shape, {}, factors, /*pending=*/0);
}

WgmmaAttention::Fragment WgmmaAttention::emitOutput(ArrayRef<Value> output, ArrayRef<Value> weights,
                                                    Value values) {
  WgmmaShape shape;
  shape.n = plan.width;
  shape.element = plan.element;
  shape.transposeB = true;
  SmallVector<WgmmaFactors> factors;
  for (int64_t step = 0; step < plan.keyTile / stepColumns; ++step) {
    Value b = advanceDescriptor(builder, loc, values, step * stepColumns * rowBytes);
    factors.push_back({SmallVector<Value, 4>(weights.slice(4 * step, 4)), b});
  }
  return ptx.wgmmaGroup(shape, output, factors, /*pending=*/0);
}

} // namespace zyxc

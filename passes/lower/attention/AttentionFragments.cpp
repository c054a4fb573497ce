#include "passes/lower/attention/AttentionFragments.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/STLExtras.h"
#include <cfloat>
#include <numbers>

using namespace mlir;

namespace zyxc {

/// The first maximum of a row. With a mere scale the exponent is formed by one fma, which must not
/// overflow; else masks may add -FLT_MAX, and rows of nothing else are still averaged.
static double firstMaximum(const AttentionRoles &roles) {
  return roles.scale ? -1e30 : -FLT_MAX;
}

/// Lanes of the epilogue: the neighbours in a fragment.
static constexpr int64_t pairWidth = 2;
/// What TMA asks of addresses, so the epilogue can rely on it, too.
static constexpr int64_t portAlignment = 16;

AttentionFragments::AttentionFragments(const AccessTable &table, const AttentionRoles &roles,
                                       const AttentionPlan &plan, GpuLaunch &launch)
    : kernel(table.kernel()), loc(kernel.getLoc()), table(table), roles(roles), plan(plan),
      launch(launch), builder(launch.atEnd()), ptx(builder, loc), math(builder, loc),
      expr(table, launch.ports, pairWidth, LaneStyle::Thread),
      exponentScale(std::numbers::log2e * roles.scale.value_or(1.0)) {
  expr.setPortAlignment(portAlignment);
}

//===- Control flow --------------------------------------------------------------------------===//

void AttentionFragments::ifThen(Value condition, llvm::function_ref<void()> body) {
  auto branch = scf::IfOp::create(builder, loc, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  body();
}

void AttentionFragments::ifElse(Value condition, llvm::function_ref<void()> then,
                                llvm::function_ref<void()> otherwise) {
  auto branch = scf::IfOp::create(builder, loc, condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  then();
  builder.setInsertionPointToStart(branch.elseBlock());
  otherwise();
}

AttentionFragments::Values
AttentionFragments::choose(Value condition, llvm::function_ref<Values()> then, Values otherwise) {
  auto branch = scf::IfOp::create(builder, loc, ValueRange(otherwise).getTypes(), condition,
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(builder, loc, then());
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, loc, otherwise);
  return Values(branch.getResults());
}

AttentionFragments::Values
AttentionFragments::loop(Value from, Value to, ValueRange init,
                         llvm::function_ref<Values(Value, ValueRange)> body) {
  auto op = scf::ForOp::create(builder, loc, from, to, math.constant(1), init);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(op.getBody());
  Values next = body(op.getInductionVar(), op.getRegionIterArgs());
  if (!init.empty()) {
    scf::YieldOp::create(builder, loc, next);
  }
  return Values(op.getResults());
}

//===- Arithmetic ----------------------------------------------------------------------------===//

Value AttentionFragments::constantF32(double value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getF32FloatAttr(static_cast<float>(value)));
}

Value AttentionFragments::fadd(Value a, Value b) {
  return arith::AddFOp::create(builder, loc, a, b, arith::FastMathFlags::contract);
}
Value AttentionFragments::fsub(Value a, Value b) {
  return arith::SubFOp::create(builder, loc, a, b, arith::FastMathFlags::contract);
}
Value AttentionFragments::fmul(Value a, Value b) {
  return arith::MulFOp::create(builder, loc, a, b, arith::FastMathFlags::contract);
}
Value AttentionFragments::fmax(Value a, Value b) {
  return arith::MaxNumFOp::create(builder, loc, a, b);
}
Value AttentionFragments::fma(Value a, Value b, Value c) {
  return math::FmaOp::create(builder, loc, a, b, c);
}

Value AttentionFragments::shuffle(Value x, int64_t mask) {
  Value bits = arith::BitcastOp::create(builder, loc, builder.getI32Type(), x);
  return arith::BitcastOp::create(builder, loc, builder.getF32Type(), ptx.shuffleXor(bits, mask));
}

//===- Tiles ---------------------------------------------------------------------------------===//

AttentionFragments::Tile AttentionFragments::tileOf(Value index) {
  Tile tile;
  Value batch;
  Value queryTile;
  if (plan.window.first || plan.window.last) {
    batch = math.rem(index, plan.batches());
    queryTile = math.sub(math.constant(plan.queryTiles() - 1), math.div(index, plan.batches()));
  } else {
    queryTile = math.rem(index, plan.queryTiles());
    batch = math.div(index, plan.queryTiles());
  }
  tile.firstRow = math.mul(queryTile, plan.queryTile());
  for (int64_t extent : llvm::reverse(plan.batch)) {
    tile.batch.push_back(math.toIndex(math.rem(batch, extent)));
    batch = math.div(batch, extent);
  }
  std::reverse(tile.batch.begin(), tile.batch.end());
  keyRange(tile.firstRow, plan.queryTile(), math.constant(0), math.constant(plan.keyTiles()),
           tile.firstKeys, tile.lastKeys);
  return tile;
}

void AttentionFragments::keyRange(Value firstRow, int64_t rows, Value from, Value to, Value &first,
                                  Value &last) {
  auto atLeast = [&](Value a, Value b) -> Value {
    return arith::MaxSIOp::create(builder, loc, a, b);
  };
  auto atMost = [&](Value a, Value b) -> Value {
    return arith::MinSIOp::create(builder, loc, a, b);
  };
  Value zero = math.constant(0);
  first = from;
  last = to;
  if (plan.window.first) {
    Value key = atLeast(math.add(firstRow, *plan.window.first), zero);
    Value tile = math.div(key, plan.keyTile);
    first = atLeast(from, atMost(tile, math.sub(to, math.constant(1))));
  }
  if (plan.window.last) {
    Value row = math.add(firstRow, rows - 1);
    if (plan.queries % rows != 0) {
      row = atMost(row, math.constant(plan.queries - 1));
    }
    Value keys = atLeast(math.add(row, *plan.window.last + 1), zero);
    Value tiles = math.div(math.add(keys, plan.keyTile - 1), plan.keyTile);
    last = atMost(to, atLeast(tiles, math.add(first, 1)));
  }
}

/// A single key is no axis: all of the logits would count as common, the scores with them.
void AttentionFragments::prepareLogits() {
  if (plan.keys > 1) {
    expr.prepare(builder, roles.logits);
  }
}

void AttentionFragments::assignBatch(const Tile &tile) {
  for (auto [axis, coordinate] : llvm::zip_equal(roles.batch, tile.batch)) {
    expr.assign(axis, coordinate);
  }
}

Value AttentionFragments::rowIn(unsigned half) {
  return math.add(math.add(math.shiftLeft(warp(), 4), math.shiftRight(lane(), 2)), 8 * half);
}

Value AttentionFragments::rowOf(const Share &share, unsigned half) {
  return math.add(share.firstRow, rowIn(half));
}

Value AttentionFragments::laneColumn() {
  return math.shiftLeft(math.bitAnd(ptx.threadId(), 3), 1);
}

// Each quarter of the lanes addresses the rows of one 8x8 tile: rows 0-7 and 8-15 of the first
// eight columns, then of the second. The swizzle is an xor of 16-byte units with the row.
AttentionFragments::Fragment AttentionFragments::loadQueryFragments(Value shared, int64_t steps) {
  Value inAtom = math.bitAnd(ptx.threadId(), 7);
  Value row = math.add(math.shiftLeft(warp(), 4), math.bitAnd(ptx.threadId(), 15));
  Value start = math.add(shared, math.mul(row, AttentionMap::chunkRowBytes));
  Value half = math.shiftRight(lane(), 4);
  Fragment fragments;
  for (int64_t step = 0; step < steps; ++step) {
    Value unit = math.bitXor(math.add(half, step % AttentionMap::chunkSteps * 2), inAtom);
    Value address = math.add(math.add(start, step / AttentionMap::chunkSteps * plan.q.chunkBytes()),
                             math.shiftLeft(unit, 4));
    llvm::append_range(fragments, ptx.loadMatrix(address, /*transposed=*/false));
  }
  return fragments;
}

AttentionFragments::State
AttentionFragments::emitTurns(Value from, Value to, llvm::function_ref<State(Value, State)> turn) {
  Values init(plan.outputRegisters(), constantF32(0));
  init.append(2, constantF32(firstMaximum(roles)));
  init.append(2, constantF32(0));
  auto stateOf = [&](ValueRange all) {
    unsigned count = plan.outputRegisters();
    return State{Fragment(all.take_front(count)), Fragment(all.slice(count, 2)),
                 Fragment(all.drop_front(count + 2))};
  };
  Values last = loop(from, to, init, [&](Value at, ValueRange values) {
    State next = turn(at, stateOf(values));
    Values all = next.output;
    llvm::append_range(all, next.maximum);
    llvm::append_range(all, next.sum);
    return all;
  });
  return stateOf(last);
}

} // namespace zyxc

#include "passes/lower/matrix/MatrixEpilogue.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

// The f32 tile: rows of 64 columns in granules of 8 (32 bytes); granule j of row r stands at
// j xor r % 8, so that neither the fragments' writes nor the rows' reads conflict.
static constexpr int64_t granule = 8;
static constexpr int64_t granuleBytes = granule * 4;
static constexpr int64_t rowBytes = MatrixEpilogue::columns * 4;
static constexpr int64_t granulesPerRow = MatrixEpilogue::columns / granule;

/// Whether every store along the columns is contiguous there and starts at a multiple of a granule.
static bool hasGranules(const AccessTable &table, const MatrixProblem &problem) {
  if (problem.n % granule != 0) {
    return false;
  }
  SmallVector<unsigned> others(problem.a.rows);
  llvm::append_range(others, problem.batch);
  return llvm::all_of(table.kernel().getBlock().getOps<StoreOp>(), [&](StoreOp store) {
    return flatStrideOf(table, store, problem.b.rows) == 1 &&
           llvm::all_of(others, [&](unsigned axis) {
             std::optional<int64_t> stride = strideOf(table, store, axis);
             return stride && *stride % granule == 0;
           });
  });
}

/// Whether the one store writes 16 bits at neighbouring places along the columns, and every second
/// row is an even number of elements further.
static bool hasPairs(const AccessTable &table, const MatrixProblem &problem) {
  if (problem.stores.size() != 1) {
    return false;
  }
  StoreOp store = problem.stores.front();
  auto port = cast<PortType>(store.getPort().getType());
  return port.getElementType().getIntOrFloatBitWidth() == 16 &&
         store.getCombine() == Combine::None && !table.guardOf(store) &&
         flatStrideOf(table, store, problem.b.rows) == 1 &&
         flatStrideOf(table, store, problem.a.rows);
}

MatrixEpilogue::Style MatrixEpilogue::styleOf(const AccessTable &table,
                                              const MatrixProblem &problem) {
  if (hasGranules(table, problem)) {
    return Style::Granules;
  }
  return hasPairs(table, problem) ? Style::Pairs : Style::Elements;
}

MatrixEpilogue::MatrixEpilogue(MatrixFrame &frame, int64_t threads, Value member, Value shared,
                               std::function<void()> sync)
    : frame(frame), style(styleOf(frame.table, frame.problem)),
      lanes(style == Style::Granules ? granule : 1), rows(threads / 2), sync(std::move(sync)),
      expr(frame.table, frame.launch.ports, lanes, LaneStyle::Thread), member(member),
      shared(shared) {
  I32Math &math = frame.math;
  int64_t together = lanes;
  if (style == Style::Pairs) {
    second.emplace(frame.table, frame.launch.ports, lanes, LaneStyle::Thread);
    together = 2;
  }
  // All rows of a thread that has pairs are an even number of rows apart.
  int64_t leastRows = style == Style::Pairs ? 2 : 1;
  parts = std::max<int64_t>(leastRows * columns / together / threads, 1);
  rowsAtOnce = threads * parts * together / columns;
  Value lane = math.bitAnd(member, 31);
  Value fragmentRow = math.shiftRight(lane, 2); // its remainder by 8 too: warps have 16 rows
  Value row = math.add(math.shiftLeft(math.shiftRight(member, 5), 4), fragmentRow);
  Value inRow =
      math.add(math.mul(fragmentRow, granuleBytes), math.shiftLeft(math.bitAnd(lane, 3), 3));
  writeAddress = math.add(math.add(shared, math.mul(row, rowBytes)), inRow);
  int64_t threadsPerRow = columns / together / parts;
  ownRow = math.div(member, threadsPerRow);
  ownColumn = math.mul(math.rem(member, threadsPerRow), together);
}

void MatrixEpilogue::storeFragments(ArrayRef<Value> accumulators) {
  assert(accumulators.size() == 32 && "64 columns are 32 registers");
  for (int64_t j = 0; j < granulesPerRow; ++j) {
    Value address = frame.math.bitXor(writeAddress, j * granuleBytes);
    for (int64_t half = 0; half < 2; ++half) {
      size_t at = 4 * j + 2 * half;
      frame.ptx.storeSharedPair(address, half * 8 * rowBytes, accumulators[at],
                                accumulators[at + 1]);
    }
  }
}

void MatrixEpilogue::assignColumns(OpBuilder &builder, VectorExpr &values, const TilePosition &tile,
                                   Value column) {
  I32Math math(builder, frame.loc);
  for (auto [axis, at] : llvm::zip_equal(frame.problem.batch, tile.batch)) {
    values.assign(axis, math.toIndex(at));
  }
  ArrayRef<unsigned> axes = frame.problem.b.rows;
  if (lanes == 1) {
    assignFlat(builder, values, axes, column);
  } else if (axes.size() == 1) {
    values.assignLanes(axes.front(), math.toIndex(column), 1, lanes);
  } else {
    values.assignFlattened(builder, axes, math.toIndex(column), lanes);
  }
}

void MatrixEpilogue::prepareStores(OpBuilder &builder, VectorExpr &values) {
  if (frame.problem.a.rows.empty()) {
    return; // nothing depends on the row, not even the sums
  }
  for (StoreOp store : frame.problem.stores) {
    values.prepare(builder, store.getValue());
  }
}

Value MatrixEpilogue::sumsAt(OpBuilder &builder, Value address) {
  Location loc = frame.loc;
  Type f32 = builder.getF32Type();
  Value sums;
  if (lanes == 1) {
    sums = loadShared(builder, loc, f32, address, 4);
  } else {
    auto half = VectorType::get({granule / 2}, f32);
    Value low = loadShared(builder, loc, half, address, 16);
    Value high = loadShared(builder, loc, half, address, 16, granuleBytes / 2);
    SmallVector<int64_t> all = {0, 1, 2, 3, 4, 5, 6, 7};
    sums = vector::ShuffleOp::create(builder, loc, low, high, all);
  }
  Type wanted = frame.problem.op->getResult(0).getType();
  if (wanted.isF32()) {
    return sums;
  }
  Type type = lanes == 1 ? wanted : VectorType::get({lanes}, wanted);
  return arith::TruncFOp::create(builder, loc, type, sums);
}

Value MatrixEpilogue::sumAddress(OpBuilder &builder, Value inTile, Value column) {
  I32Math math(builder, frame.loc);
  Value swizzled = math.bitXor(math.div(column, granule), math.bitAnd(inTile, 7));
  Value address =
      math.add(math.add(shared, math.mul(inTile, rowBytes)), math.mul(swizzled, granuleBytes));
  return math.add(address, math.shiftLeft(math.bitAnd(column, granule - 1), 2));
}

OpBuilder MatrixEpilogue::insideRows(OpBuilder &builder, Value at) {
  if (frame.problem.m % frame.plan.tileM == 0) {
    return builder;
  }
  Value exists = I32Math(builder, frame.loc).less(at, frame.problem.m);
  return scf::IfOp::create(builder, frame.loc, exists).getThenBodyBuilder();
}

void MatrixEpilogue::rowLoop(OpBuilder &builder, function_ref<void(OpBuilder &, Value)> body) {
  // One or two elements are short work: several rows of them overlap.
  int64_t turns = rows / rowsAtOnce;
  int64_t unroll = style == Style::Granules ? 1 : std::min<int64_t>(turns, 8);
  I32Math math(builder, frame.loc);
  auto loop = scf::ForOp::create(builder, frame.loc, math.constant(0), math.constant(turns),
                                 math.constant(unroll));
  OpBuilder inside = OpBuilder::atBlockTerminator(loop.getBody());
  I32Math inner(inside, frame.loc);
  for (int64_t i = 0; i < unroll; ++i) {
    Value turn = inner.add(loop.getInductionVar(), i);
    body(inside, inner.add(ownRow, inner.mul(turn, rowsAtOnce)));
  }
}

void MatrixEpilogue::storeRow(OpBuilder &builder, Value row, Value inTile, Value ownColumn) {
  Value at = I32Math(builder, frame.loc).add(row, inTile);
  OpBuilder inside = insideRows(builder, at);
  Value address = sumAddress(inside, inTile, ownColumn);
  VectorExpr::Scope scope(expr);
  assignFlat(inside, expr, frame.problem.a.rows, at);
  expr.bind(frame.problem.op->getResult(0), sumsAt(inside, address));
  for (StoreOp store : frame.problem.stores) {
    expr.emitStore(inside, store);
  }
}

void MatrixEpilogue::storeRows(OpBuilder &builder, Value row, Value ownColumn) {
  rowLoop(builder,
          [&](OpBuilder &inside, Value inTile) { storeRow(inside, row, inTile, ownColumn); });
}

void MatrixEpilogue::emitColumns(const TilePosition &tile, Value row, Value column,
                                 Value ownColumn) {
  VectorExpr::Scope scope(expr);
  OpBuilder &builder = frame.builder;
  Value at = frame.math.add(column, ownColumn);
  if (frame.problem.n % frame.plan.tileN == 0) {
    assignColumns(builder, expr, tile, at);
    prepareStores(builder, expr);
    sync();
    storeRows(builder, row, ownColumn);
    return;
  }
  sync();
  auto guard = scf::IfOp::create(builder, frame.loc, frame.math.less(at, frame.problem.n));
  OpBuilder inside = guard.getThenBodyBuilder();
  assignColumns(inside, expr, tile, at);
  prepareStores(inside, expr);
  storeRows(inside, row, ownColumn);
}

void MatrixEpilogue::emit(ArrayRef<Value> accumulators, const TilePosition &tile,
                          function_ref<std::pair<Value, Value>(Value)> positionOf) {
  constexpr int64_t registers = columns / 2;
  int64_t numParts = accumulators.size() / registers;
  I32Math &math = frame.math;
  frame.doWhile(math.constant(0), [&](ValueRange arguments) {
    Value part = arguments.front();
    for (int64_t i = 0; i < numParts; ++i) {
      frame.branch(math.equal(part, i),
                   [&] { storeFragments(accumulators.slice(i * registers, registers)); });
    }
    auto [row, column] = positionOf(part);
    for (int64_t i = 0; i < parts; ++i) {
      if (style == Style::Pairs) {
        emitPairs(tile, row, column, i);
      } else {
        emitColumns(tile, row, column, math.add(ownColumn, i * (columns / parts)));
      }
    }
    sync();
    Value next = math.add(part, 1);
    return std::pair(math.less(next, numParts), MatrixFrame::Values{next});
  });
}

} // namespace zyxc

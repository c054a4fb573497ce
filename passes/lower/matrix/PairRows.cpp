// Rows of 16-bit elements at any pitch, for MatrixEpilogue: a thread writes two elements as one
// word. Words start at even addresses, so in a row that starts at an odd one they begin with its
// column 1; the last thread of the row then has its last and its first element.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/lower/matrix/MatrixEpilogue.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

static constexpr uint64_t wordBytes = 4;

Value MatrixEpilogue::parityOf(const TilePosition &tile, Value row, Value column) {
  // All rows of a thread are an even number of rows from its first one.
  VectorExpr::Scope scope(expr);
  assignColumns(frame.builder, expr, tile, column);
  assignFlat(frame.builder, expr, frame.problem.a.rows, frame.math.add(row, ownRow));
  Value index = expr.storeAddress(frame.builder, frame.problem.stores.front()).second;
  return frame.math.bitAnd(frame.math.fromIndex(index), 1);
}

void MatrixEpilogue::emitPairs(const TilePosition &tile, Value row, Value column, int64_t part) {
  OpBuilder &builder = frame.builder;
  I32Math &math = frame.math;
  int64_t width = columns / parts;
  // `column` and the part's first column are even, so the parity is that of the row.
  Value first = math.add(ownColumn, parityOf(tile, row, column));
  Value inPart[] = {math.add(first, part * width),
                    math.add(math.rem(math.add(first, 1), width), part * width)};
  Value exists[2];
  std::optional<VectorExpr::Scope> scopes[2];
  VectorExpr *values[] = {&expr, &*second};
  for (unsigned i : {0, 1}) {
    Value at = math.add(column, inPart[i]);
    exists[i] = math.less(at, frame.problem.n);
    // What does not exist is evaluated at the last column, and not stored.
    Value inside =
        arith::MinUIOp::create(builder, frame.loc, at, math.constant(frame.problem.n - 1));
    scopes[i].emplace(*values[i]);
    assignColumns(builder, *values[i], tile, inside);
    prepareStores(builder, *values[i]);
  }
  Value whole = arith::AndIOp::create(builder, frame.loc, exists[1],
                                      math.less(inPart[0], part * width + width - 1));
  sync();
  rowLoop(builder, [&](OpBuilder &inside, Value inTile) {
    storePair(inside, row, inTile, inPart, exists, whole);
  });
}

void MatrixEpilogue::storePair(OpBuilder &builder, Value row, Value inTile, ArrayRef<Value> inPart,
                               ArrayRef<Value> exists, Value whole) {
  Location loc = frame.loc;
  StoreOp store = frame.problem.stores.front();
  Value at = I32Math(builder, loc).add(row, inTile);
  OpBuilder inside = insideRows(builder, at);
  VectorExpr *values[] = {&expr, &*second};
  VectorExpr::Scope scopes[] = {VectorExpr::Scope(expr), VectorExpr::Scope(*second)};
  Value results[2], indices[2], memory;
  for (unsigned i : {0, 1}) {
    assignFlat(inside, *values[i], frame.problem.a.rows, at);
    values[i]->bind(frame.problem.op->getResult(0),
                    sumsAt(inside, sumAddress(inside, inTile, inPart[i])));
    results[i] = values[i]->evaluate(inside, store.getValue());
    std::tie(memory, indices[i]) = values[i]->storeAddress(inside, store);
  }
  auto choice = scf::IfOp::create(inside, loc, whole, /*withElseRegion=*/true);
  OpBuilder asWord = choice.getThenBodyBuilder();
  auto type = VectorType::get({2}, results[0].getType());
  Value word = vector::FromElementsOp::create(asWord, loc, type, ArrayRef<Value>(results));
  vector::StoreOp::create(asWord, loc, word, memory, indices[0], /*nontemporal=*/false,
                          llvm::MaybeAlign(wordBytes));
  OpBuilder apart = choice.getElseBodyBuilder();
  for (unsigned i : {0, 1}) {
    OpBuilder then = scf::IfOp::create(apart, loc, exists[i]).getThenBodyBuilder();
    memref::StoreOp::create(then, loc, results[i], memory, indices[i]);
  }
}

} // namespace zyxc

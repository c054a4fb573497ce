// Rows of 16-bit elements at any pitch, for MatrixEpilogue: a thread writes two elements as one
// word. Words start at even addresses, so in a row that starts at an odd one they begin with its
// second column. What they leave at the ends of rows is stored afterwards, one element a thread.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/lower/matrix/MatrixEpilogue.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

static constexpr uint64_t wordBytes = 4;
/// Rows whose words a thread evaluates before it stores the first.
static constexpr int64_t rowsInFlight = 4;

/// A coordinate, or the last one if that does not exist: what is evaluated there is not stored.
static Value existing(OpBuilder &builder, Location loc, Value at, int64_t extent) {
  return arith::MinUIOp::create(builder, loc, at, I32Math(builder, loc).constant(extent - 1));
}

Value MatrixEpilogue::parityOf(OpBuilder &builder, const TilePosition &tile, Value row,
                               Value column) {
  VectorExpr::Scope scope(expr);
  assignColumns(builder, expr, tile, column);
  assignFlat(builder, expr, frame.problem.a.rows, row);
  Value index = expr.storeAddress(builder, frame.problem.stores.front()).second;
  I32Math math(builder, frame.loc);
  return math.bitAnd(math.fromIndex(index), 1);
}

void MatrixEpilogue::emitPairs(const TilePosition &tile, Value row, Value column, int64_t part) {
  I32Math &math = frame.math;
  Segment segment;
  segment.width = columns / parts;
  segment.inTile = part * segment.width;
  segment.column = math.add(column, segment.inTile);
  segment.count = math.constant(segment.width);
  if (frame.problem.n % frame.plan.tileN != 0) {
    Value left = math.sub(math.constant(frame.problem.n), segment.column);
    Value count = arith::MinUIOp::create(frame.builder, frame.loc, left, segment.count);
    segment.count =
        math.select(math.less(segment.column, frame.problem.n), count, math.constant(0));
  }
  storeWords(tile, row, segment);
  storeEnds(tile, row, segment);
}

void MatrixEpilogue::storeWords(const TilePosition &tile, Value row, const Segment &segment) {
  Location loc = frame.loc;
  OpBuilder &builder = frame.builder;
  I32Math &math = frame.math;
  // All rows of a thread are an even number of rows from its first one.
  Value parity = parityOf(builder, tile, math.add(row, ownRow), segment.column);
  Value first = math.add(ownColumn, parity);
  Value columnsOfWord[] = {first, existing(builder, loc, math.add(first, 1), segment.width)};
  Value isWhole = math.less(math.add(first, 1), segment.count);
  std::optional<VectorExpr::Scope> scopes[2];
  VectorExpr *values[] = {&expr, &*second};
  for (unsigned i : {0, 1}) {
    Value at = existing(builder, loc, math.add(segment.column, columnsOfWord[i]), frame.problem.n);
    scopes[i].emplace(*values[i]);
    assignColumns(builder, *values[i], tile, at);
    prepareStores(builder, *values[i]);
    columnsOfWord[i] = math.add(columnsOfWord[i], segment.inTile);
  }
  sync();
  int64_t turns = rows / rowsAtOnce;
  int64_t atOnce = std::min(turns, rowsInFlight);
  auto loop = scf::ForOp::create(builder, loc, math.constant(0), math.constant(turns),
                                 math.constant(atOnce));
  OpBuilder inside = OpBuilder::atBlockTerminator(loop.getBody());
  I32Math inner(inside, loc);
  SmallVector<Word> words;
  for (int64_t i = 0; i < atOnce; ++i) {
    Value turn = inner.add(loop.getInductionVar(), i);
    Value inTile = inner.add(ownRow, inner.mul(turn, rowsAtOnce));
    words.push_back(wordAt(inside, row, inTile, columnsOfWord));
  }
  for (const Word &word : words) {
    OpBuilder rowBuilder = insideRows(inside, word.row);
    OpBuilder then = scf::IfOp::create(rowBuilder, loc, isWhole).getThenBodyBuilder();
    vector::StoreOp::create(then, loc, word.value, word.memory, word.index, /*nontemporal=*/false,
                            llvm::MaybeAlign(wordBytes));
  }
}

MatrixEpilogue::Word MatrixEpilogue::wordAt(OpBuilder &builder, Value row, Value inTile,
                                            ArrayRef<Value> columnsOfWord) {
  StoreOp store = frame.problem.stores.front();
  VectorExpr *values[] = {&expr, &*second};
  Word word;
  word.row = I32Math(builder, frame.loc).add(row, inTile);
  Value at = existing(builder, frame.loc, word.row, frame.problem.m);
  Value elements[2];
  for (unsigned i : {0, 1}) {
    VectorExpr::Scope scope(*values[i]);
    assignFlat(builder, *values[i], frame.problem.a.rows, at);
    values[i]->bind(frame.problem.op->getResult(0),
                    sumsAt(builder, sumAddress(builder, inTile, columnsOfWord[i])));
    elements[i] = values[i]->evaluate(builder, store.getValue());
    if (i == 0) {
      std::tie(word.memory, word.index) = values[i]->storeAddress(builder, store);
    }
  }
  auto type = VectorType::get({2}, elements[0].getType());
  word.value = vector::FromElementsOp::create(builder, frame.loc, type, ArrayRef<Value>(elements));
  return word;
}

void MatrixEpilogue::storeEnds(const TilePosition &tile, Value row, const Segment &segment) {
  // Two threads for each row: its first column, where words begin with the second, and its last
  // one, where the others are even in number.
  Location loc = frame.loc;
  OpBuilder &builder = frame.builder;
  I32Math &math = frame.math;
  Value inTile = math.div(member, 2);
  Value at = math.add(row, inTile);
  Value parity = parityOf(builder, tile, at, segment.column);
  Value isOdd = math.notEqual(parity, 0);
  Value last = math.sub(segment.count, math.constant(1));
  Value isLeft = math.notEqual(math.bitAnd(math.bitXor(segment.count, parity), 1), 0);
  // The one column of an odd row is its first one.
  Value isOther = math.less(parity, segment.count);
  isOther = arith::AndIOp::create(builder, loc, isLeft, isOther);
  Value isLast = math.notEqual(math.bitAnd(member, 1), 0);
  Value exists = math.less(math.constant(0), segment.count);
  isOdd = arith::AndIOp::create(builder, loc, isOdd, exists);
  Value stores = arith::SelectOp::create(builder, loc, isLast, isOther, isOdd);
  OpBuilder thread = insideRows(builder, at);
  OpBuilder inside = scf::IfOp::create(thread, loc, stores).getThenBodyBuilder();
  I32Math inner(inside, loc);
  Value column = inner.select(isLast, last, inner.constant(0));
  VectorExpr::Scope scope(expr);
  assignColumns(inside, expr, tile, inner.add(segment.column, column));
  assignFlat(inside, expr, frame.problem.a.rows, at);
  Value address = sumAddress(inside, inTile, inner.add(column, segment.inTile));
  expr.bind(frame.problem.op->getResult(0), sumsAt(inside, address));
  expr.emitStore(inside, frame.problem.stores.front());
}

} // namespace zyxc

#include "passes/lower/matrix/OperandCopy.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace zyxc {

static constexpr int64_t pieceHalves = 8; ///< of 16 bytes
static constexpr int64_t piecesPerRow = chunkRows / pieceHalves;

OperandCopy::OperandCopy(MatrixFrame &frame, const MatrixOperand &operand,
                         const MatrixSource &source, int64_t tileRows)
    : frame(frame), operand(operand), source(source), tileRows(tileRows),
      rows(productOf(frame.table, operand.rows)), rowsAtOnce(frame.plan.threads / piecesPerRow),
      isRagged(rows % tileRows != 0 || frame.problem.depth % frame.plan.tileK != 0) {
  I32Math &math = frame.math;
  piece = math.rem(frame.thread(), piecesPerRow);
  storedRow = math.div(frame.thread(), piecesPerRow);
  Value swizzled = math.bitXor(piece, math.bitAnd(storedRow, 7));
  sharedOffset = math.add(math.mul(storedRow, swizzleBytes), math.shiftLeft(swizzled, 4));
}

Value OperandCopy::origin() {
  OpBuilder &builder = frame.builder;
  Value memory = source.port ? frame.launch.ports[*source.port] : frame.launch.scratch;
  Value address = memref::ExtractAlignedPointerAsIndexOp::create(builder, frame.loc, memory);
  address = arith::IndexCastUIOp::create(builder, frame.loc, builder.getI64Type(), address);
  if (source.offset == 0) {
    return address;
  }
  Value offset = arith::ConstantIntOp::create(builder, frame.loc, source.offset, 64);
  return arith::AddIOp::create(builder, frame.loc, address, offset);
}

/// sum + index * stride halves, in bytes.
static Value addScaled(OpBuilder &builder, Location loc, Value sum, Value index, int64_t stride) {
  Value wide = arith::ExtUIOp::create(builder, loc, builder.getI64Type(), index);
  Value bytes = arith::ConstantIntOp::create(builder, loc, stride * halfBytes, 64);
  Value product = arith::MulIOp::create(builder, loc, wide, bytes);
  return arith::AddIOp::create(builder, loc, sum, product);
}

void OperandCopy::setTile(const TilePosition &tile, Value firstRow) {
  OpBuilder &builder = frame.builder;
  Location loc = frame.loc;
  first = firstRow;
  global = origin();
  for (auto [axis, at] : llvm::zip_equal(frame.problem.batch, tile.batch)) {
    const auto *own = llvm::find(operand.batch, axis);
    if (own != operand.batch.end()) {
      int64_t stride = source.batchStrides[own - operand.batch.begin()];
      global = addScaled(builder, loc, global, at, stride);
    }
  }
  I32Math &math = frame.math;
  Value along = math.mul(piece, pieceHalves);
  if (source.kMajor) {
    global = addScaled(builder, loc, global, math.add(first, storedRow), source.rowStride);
    global = addScaled(builder, loc, global, along, 1);
  } else {
    global = addScaled(builder, loc, global, storedRow, source.kStride);
    global = addScaled(builder, loc, global, math.add(first, along), 1);
  }
}

/// Bytes of a piece inside: of `left` (i32, signed) elements along it, if `across` < `limit`.
static Value bytesInside(I32Math &math, OpBuilder &builder, Location loc, Value left, Value across,
                         int64_t limit) {
  Value zero = math.constant(0);
  Value count = arith::MaxSIOp::create(builder, loc, left, zero);
  count = arith::MinSIOp::create(builder, loc, count, math.constant(pieceHalves));
  Value bytes = math.mul(count, halfBytes);
  return math.select(math.less(across, limit), bytes, zero);
}

void OperandCopy::start(OpBuilder &builder, Value shared, Value step) {
  I32Math math(builder, frame.loc);
  PtxAtoms ptx(builder, frame.loc);
  int64_t tileK = frame.plan.tileK;
  Value own = math.add(shared, sharedOffset);
  Value from = addScaled(builder, frame.loc, global, step, tileK * source.kStride);
  Value firstK = math.mul(step, tileK);
  // Stored rows of one column, and the columns.
  int64_t storedRows = source.kMajor ? tileRows : tileK;
  int64_t columns = source.kMajor ? 1 : tileRows / chunkRows;
  int64_t pitch = source.kMajor ? source.rowStride : source.kStride;
  for (int64_t column = 0; column < columns; ++column) {
    for (int64_t row = 0; row < storedRows; row += rowsAtOnce) {
      int64_t to = column * chunkBytes + row * swizzleBytes;
      int64_t along = column * chunkRows;
      int64_t bytes = (along + row * pitch) * halfBytes;
      if (!isRagged) {
        ptx.copyAsync(own, to, from, bytes);
        continue;
      }
      // Coordinates along and across the stored row.
      Value firstAlong =
          math.add(math.mul(piece, pieceHalves), source.kMajor ? firstK : math.add(first, along));
      Value across = math.add(math.add(storedRow, row), source.kMajor ? first : firstK);
      int64_t alongEnd = source.kMajor ? frame.problem.depth : rows;
      int64_t acrossEnd = source.kMajor ? rows : frame.problem.depth;
      Value left = math.sub(math.constant(alongEnd), firstAlong);
      ptx.copyAsyncPart(own, to, from, bytes,
                        bytesInside(math, builder, frame.loc, left, across, acrossEnd));
    }
  }
}

} // namespace zyxc

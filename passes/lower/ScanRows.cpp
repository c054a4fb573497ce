#include "passes/lower/ScanRows.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/lower/emit/BoolMemory.h"
#include "passes/lower/emit/Monoid.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

namespace {

class ScanEmitter {
public:
  ScanEmitter(VectorExpr &expr, ScanOp scan)
      : expr(expr), scan(scan), monoid(scan), loc(scan.getLoc()), width(expr.width()),
        extent(expr.table().extent(scan.getAxis())) {}

  void emit(OpBuilder &builder, Value row);

private:
  Value constant(OpBuilder &builder, int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  /// Lane i of the result is lane i - distance of `value`; the first lanes are those of `before`.
  Value shifted(OpBuilder &builder, Value value, Value before, int64_t distance);
  Value combine(OpBuilder &builder, Value a, Value b) {
    return monoid.combine(builder, {a, Value()}, {b, Value()}).value;
  }
  Value reversed(OpBuilder &builder, Value value);
  /// The operand in the order of the scan, the identity behind the end of the row.
  Value operandAt(OpBuilder &builder, Value at);
  Value splat(OpBuilder &builder, Value scalar) {
    auto type = VectorType::get({width}, scalar.getType());
    return vector::BroadcastOp::create(builder, loc, type, scalar);
  }

  VectorExpr &expr;
  ScanOp scan;
  Monoid monoid;
  Location loc;
  int64_t width;
  int64_t extent;
};

} // namespace

Value ScanEmitter::shifted(OpBuilder &builder, Value value, Value before, int64_t distance) {
  SmallVector<int64_t> pick;
  for (int64_t lane = 0; lane < width; ++lane) {
    pick.push_back(lane < distance ? lane : width + lane - distance);
  }
  return vector::ShuffleOp::create(builder, loc, before, value, pick);
}

Value ScanEmitter::reversed(OpBuilder &builder, Value value) {
  SmallVector<int64_t> pick;
  for (int64_t lane = width - 1; lane >= 0; --lane) {
    pick.push_back(lane);
  }
  return vector::ShuffleOp::create(builder, loc, value, value, pick);
}

Value ScanEmitter::operandAt(OpBuilder &builder, Value at) {
  VectorExpr::Scope scope(expr);
  expr.assignLanes(scan.getAxis(), at, 1, width);
  Value inside;
  if (extent % width != 0) {
    LaneIndexEmitter emit(builder, loc, width);
    LaneIndex left =
        emit.add(LaneIndex::constant(extent - 1), emit.scale(LaneIndex::strided(at, 1), -1));
    inside = emit.holds(left, /*equality=*/false, extent < INT32_MAX - width);
    expr.setLaneMask(inside);
  }
  Value value = expr.evaluateVector(builder, scan.getValue());
  if (inside) {
    Value identity = monoid.identity(builder, width).value;
    value = arith::SelectOp::create(builder, loc, inside, value, identity);
  }
  return scan.getReverse() ? reversed(builder, value) : value;
}

void ScanEmitter::emit(OpBuilder &builder, Value row) {
  Value none = monoid.identity(builder, width).value;
  Value carried = monoid.identity(builder, 0).value;
  int64_t vectors = llvm::divideCeil(extent, width);
  auto loop = scf::ForOp::create(builder, loc, constant(builder, 0), constant(builder, vectors),
                                 constant(builder, 1), carried);
  OpBuilder inside = OpBuilder::atBlockEnd(loop.getBody());
  Value number = loop.getInductionVar();
  if (scan.getReverse()) {
    number = arith::SubIOp::create(inside, loc, constant(inside, vectors - 1), number);
  }
  Value at = arith::MulIOp::create(inside, loc, number, constant(inside, width));
  Value prefix = operandAt(inside, at);
  for (int64_t distance = 1; distance < width; distance *= 2) {
    prefix = combine(inside, shifted(inside, prefix, none, distance), prefix);
  }
  Value before = splat(inside, loop.getRegionIterArgs().front());
  prefix = combine(inside, before, prefix);
  Value next = vector::ExtractOp::create(inside, loc, prefix, width - 1);
  Value result = scan.getExclusive() ? shifted(inside, prefix, before, 1) : prefix;
  result = scan.getReverse() ? reversed(inside, result) : result;
  vector::StoreOp::create(inside, loc, toStored(inside, loc, result), row, at);
  scf::YieldOp::create(inside, loc, next);
}

void emitScanRow(OpBuilder &builder, VectorExpr &expr, ScanOp scan, Value row) {
  ScanEmitter(expr, scan).emit(builder, row);
}

} // namespace zyxc

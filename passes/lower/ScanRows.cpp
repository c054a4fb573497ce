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
  /// At the coordinates of the scope: the prefixes of a vector, and what is carried behind it.
  /// `mask`: lanes before the end of the row; null: all.
  std::pair<Value, Value> emitVector(OpBuilder &builder, Value mask, Value carried);
  Value first(OpBuilder &builder) { return monoid.identity(builder, 0).value; }

private:
  /// `operand` in the order of the scan.
  std::pair<Value, Value> prefixes(OpBuilder &builder, Value operand, Value none, Value carried);
  Value ordered(OpBuilder &builder, Value mask);
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
  return ordered(builder, inside);
}

Value ScanEmitter::ordered(OpBuilder &builder, Value mask) {
  Value value = expr.evaluateVector(builder, scan.getValue());
  if (mask) {
    Value identity = monoid.identity(builder, width).value;
    value = arith::SelectOp::create(builder, loc, mask, value, identity);
  }
  return scan.getReverse() ? reversed(builder, value) : value;
}

std::pair<Value, Value> ScanEmitter::prefixes(OpBuilder &builder, Value prefix, Value none,
                                              Value carried) {
  for (int64_t distance = 1; distance < width; distance *= 2) {
    prefix = combine(builder, shifted(builder, prefix, none, distance), prefix);
  }
  Value before = splat(builder, carried);
  prefix = combine(builder, before, prefix);
  Value next = vector::ExtractOp::create(builder, loc, prefix, width - 1);
  Value result = scan.getExclusive() ? shifted(builder, prefix, before, 1) : prefix;
  return {scan.getReverse() ? reversed(builder, result) : result, next};
}

std::pair<Value, Value> ScanEmitter::emitVector(OpBuilder &builder, Value mask, Value carried) {
  Value none = monoid.identity(builder, width).value;
  return prefixes(builder, ordered(builder, mask), none, carried);
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
  Value operand = operandAt(inside, at);
  auto [result, next] = prefixes(inside, operand, none, loop.getRegionIterArgs().front());
  vector::StoreOp::create(inside, loc, toStored(inside, loc, result), row, at);
  scf::YieldOp::create(inside, loc, next);
}

void emitScanRow(OpBuilder &builder, VectorExpr &expr, ScanOp scan, Value row) {
  ScanEmitter(expr, scan).emit(builder, row);
}

void emitScanLanes(OpBuilder &builder, VectorExpr &expr, RuntimeSizes &sizes,
                   ArrayRef<ScanOp> scans, function_ref<void(OpBuilder &)> body) {
  ScanOp front = scans.front();
  Location loc = front.getLoc();
  auto axis = static_cast<unsigned>(front.getAxis());
  int64_t width = expr.width();
  auto constant = [&](OpBuilder &at, int64_t value) -> Value {
    return arith::ConstantIndexOp::create(at, loc, value);
  };
  /// The vector from `at` on; what is carried behind it.
  auto emitVector = [&](OpBuilder &inside, Value at, bool masked, ValueRange carried) {
    VectorExpr::Scope scope(expr);
    expr.assignLanes(axis, at, 1, width);
    Value mask = masked ? expr.lanesBelow(inside, loc, axis, at) : Value();
    expr.setLaneMask(mask);
    SmallVector<Value> next;
    for (auto [each, before] : llvm::zip_equal(scans, carried)) {
      ScanOp scan = each;
      auto [result, after] = ScanEmitter(expr, scan).emitVector(inside, mask, before);
      expr.bind(scan.getResult(), result);
      next.push_back(after);
    }
    body(inside);
    return next;
  };
  SmallVector<Value> carried;
  for (ScanOp scan : scans) {
    carried.push_back(ScanEmitter(expr, scan).first(builder));
  }
  int64_t size = expr.table().sizeOf(axis);
  Value whole = sizes.wholeEnd(size, width);
  auto emitTail = [&](ValueRange before) {
    Value isRagged = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, whole,
                                           sizes.atLeast(0, size));
    auto branch = scf::IfOp::create(builder, loc, before.getTypes(), isRagged, true, true);
    OpBuilder inside = OpBuilder::atBlockEnd(branch.thenBlock());
    scf::YieldOp::create(inside, loc, emitVector(inside, whole, /*masked=*/true, before));
    inside = OpBuilder::atBlockEnd(branch.elseBlock());
    scf::YieldOp::create(inside, loc, before);
    return SmallVector<Value>(branch.getResults());
  };
  if (front.getReverse() && width > 1) {
    carried = emitTail(carried);
  }
  Value zero = constant(builder, 0);
  auto loop = scf::ForOp::create(builder, loc, zero, whole, constant(builder, width), carried);
  OpBuilder inside = OpBuilder::atBlockEnd(loop.getBody());
  Value at = loop.getInductionVar();
  if (front.getReverse()) {
    Value last = arith::SubIOp::create(inside, loc, whole, constant(inside, width));
    at = arith::SubIOp::create(inside, loc, last, at);
  }
  scf::YieldOp::create(inside, loc,
                       emitVector(inside, at, /*masked=*/false, loop.getRegionIterArgs()));
  if (!front.getReverse() && width > 1) {
    emitTail(loop.getResults());
  }
}

} // namespace zyxc

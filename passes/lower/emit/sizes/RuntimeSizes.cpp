#include "passes/lower/emit/sizes/RuntimeSizes.h"
#include "dialects/zyxk/IR/affine/SizeExpr.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace zyxc {

RuntimeSizes::RuntimeSizes(Block &entry, Location loc, ValueRange dims)
    : entry(entry), loc(loc), dims(dims.begin(), dims.end()) {}

OpBuilder RuntimeSizes::builder() {
  OpBuilder result(loc.getContext());
  if (last) {
    result.setInsertionPointAfter(last);
  } else {
    result.setInsertionPointToStart(&entry);
  }
  return result;
}

Value RuntimeSizes::keep(Value value) {
  Operation *op = value.getDefiningOp();
  if (op && (!last || last->isBeforeInBlock(op))) {
    last = op;
  }
  return value;
}

Value RuntimeSizes::constant(int64_t value) {
  OpBuilder at = builder();
  return keep(arith::ConstantIndexOp::create(at, loc, value));
}

Value RuntimeSizes::valueOf(AffineExpr expr) {
  if (Value known = values.lookup(expr)) {
    return known;
  }
  Value value = emit(expr);
  values[expr] = value;
  return value;
}

Value RuntimeSizes::valueOf(int64_t size) {
  AffineExpr expr = zyxk::exprOf(size, loc.getContext());
  assert(expr && "sizes of a kernel are made from its expressions");
  return valueOf(expr);
}

Value RuntimeSizes::atLeast(int64_t least, int64_t size) {
  return atLeast(least, zyxk::exprOf(size, loc.getContext()));
}

Value RuntimeSizes::atLeast(int64_t least, AffineExpr expr) {
  if (isa<AffineConstantExpr>(expr) || (isa<AffineSymbolExpr>(expr) && least <= 0)) {
    auto number = dyn_cast<AffineConstantExpr>(expr);
    return number ? constant(std::max(number.getValue(), least)) : valueOf(expr);
  }
  if (Value known = limited.lookup({expr, least})) {
    return known;
  }
  Value any = valueOf(expr);
  Value floor = constant(least);
  OpBuilder at = builder();
  Value value = keep(arith::MaxSIOp::create(at, loc, any, floor));
  limited[{expr, least}] = value;
  return value;
}

Value RuntimeSizes::wholeEnd(int64_t extent, int64_t step) {
  AffineExpr expr = zyxk::exprOf(extent, loc.getContext());
  if (Value known = ends.lookup({expr, step})) {
    return known;
  }
  Value size = atLeast(0, expr);
  Value by = constant(step);
  OpBuilder at = builder();
  Value rest = keep(arith::RemUIOp::create(at, loc, size, by));
  at = builder();
  Value value = keep(arith::SubIOp::create(at, loc, size, rest));
  ends[{expr, step}] = value;
  return value;
}

Value RuntimeSizes::emit(AffineExpr expr) {
  if (auto number = dyn_cast<AffineConstantExpr>(expr)) {
    return constant(number.getValue());
  }
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr)) {
    return dims[symbol.getPosition()];
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  if (expr.getKind() != AffineExprKind::Add && expr.getKind() != AffineExprKind::Mul) {
    return emitDivision(binary);
  }
  Value left = valueOf(binary.getLHS());
  Value right = valueOf(binary.getRHS());
  OpBuilder at = builder();
  return keep(expr.getKind() == AffineExprKind::Add
                  ? arith::AddIOp::create(at, loc, left, right).getResult()
                  : arith::MulIOp::create(at, loc, left, right).getResult());
}

Value RuntimeSizes::emitDivision(AffineBinaryOpExpr expr) {
  Value left = valueOf(expr.getLHS());
  Value by = atLeast(1, expr.getRHS());
  if (expr.getKind() == AffineExprKind::CeilDiv) {
    // Rounded up, as the quotient of what is larger by the divisor - 1.
    Value one = constant(1);
    OpBuilder at = builder();
    Value more = keep(arith::SubIOp::create(at, loc, by, one));
    at = builder();
    left = keep(arith::AddIOp::create(at, loc, left, more));
  }
  OpBuilder at = builder();
  Value quotient = keep(arith::FloorDivSIOp::create(at, loc, left, by));
  if (expr.getKind() != AffineExprKind::Mod) {
    return quotient;
  }
  at = builder();
  Value whole = keep(arith::MulIOp::create(at, loc, quotient, by));
  at = builder();
  return keep(arith::SubIOp::create(at, loc, left, whole));
}

} // namespace zyxc

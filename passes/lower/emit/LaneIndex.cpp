#include "passes/lower/emit/LaneIndex.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace zyxc {

Value LaneIndexEmitter::scalarConstant(int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value LaneIndexEmitter::splat(Value scalar) {
  if (width == 0) {
    return scalar;
  }
  return vector::BroadcastOp::create(builder, loc, vectorType(scalar.getType()), scalar);
}

Value LaneIndexEmitter::splatConstant(int64_t value) {
  if (width == 0) {
    return scalarConstant(value);
  }
  auto type = vectorType(builder.getIndexType());
  return arith::ConstantOp::create(builder, loc,
                                   DenseElementsAttr::get(type, builder.getIndexAttr(value)));
}

Value LaneIndexEmitter::constantLike(Value like, int64_t value) {
  return isa<VectorType>(like.getType()) ? splatConstant(value) : scalarConstant(value);
}

Value LaneIndexEmitter::steps(int64_t step, Type element) {
  if (width == 0) {
    return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(element, 0));
  }
  SmallVector<Attribute> values;
  for (int64_t lane = 0; lane < width; ++lane) {
    values.push_back(builder.getIntegerAttr(element, step * lane));
  }
  return arith::ConstantOp::create(builder, loc,
                                   DenseElementsAttr::get(vectorType(element), values));
}

Value LaneIndexEmitter::first(const LaneIndex &a) {
  if (!a.base || a.offset == 0) {
    return a.base ? a.base : scalarConstant(a.offset);
  }
  return arith::AddIOp::create(builder, loc, a.base, scalarConstant(a.offset));
}

static Value addValues(OpBuilder &builder, Location loc, Value a, Value b) {
  if (!a || !b) {
    return a ? a : b;
  }
  return builder.createOrFold<arith::AddIOp>(loc, a, b);
}

LaneIndex LaneIndexEmitter::add(LaneIndex a, LaneIndex b) {
  int64_t divisor = std::gcd(a.base ? a.divisor : 0, b.base ? b.divisor : 0);
  return {addValues(builder, loc, a.base, b.base), a.offset + b.offset, a.step + b.step,
          addValues(builder, loc, a.lanes, b.lanes), std::max<int64_t>(divisor, 1)};
}

LaneIndex LaneIndexEmitter::scale(LaneIndex a, int64_t factor) {
  if (factor == 0) {
    return {};
  }
  if (factor == 1) {
    return a;
  }
  if (a.base) {
    a.base = builder.createOrFold<arith::MulIOp>(loc, a.base, scalarConstant(factor));
  }
  if (a.lanes) {
    a.lanes = builder.createOrFold<arith::MulIOp>(loc, a.lanes, splatConstant(factor));
  }
  a.offset *= factor;
  a.step *= factor;
  a.divisor *= std::abs(factor);
  return a;
}

Value LaneIndexEmitter::vector(const LaneIndex &a) {
  Value sum = a.base || a.offset ? splat(first(a)) : Value();
  if (a.step) {
    sum = addValues(builder, loc, sum, steps(a.step, builder.getIndexType()));
  }
  sum = addValues(builder, loc, sum, a.lanes);
  return sum ? sum : splatConstant(0);
}

Value LaneIndexEmitter::divide(Value a, int64_t divisor, bool remainder) {
  if (llvm::isPowerOf2_64(divisor)) {
    // Arithmetic shift and mask round toward minus infinity.
    if (remainder) {
      return builder.createOrFold<arith::AndIOp>(loc, a, constantLike(a, divisor - 1));
    }
    return builder.createOrFold<arith::ShRSIOp>(loc, a, constantLike(a, llvm::Log2_64(divisor)));
  }
  return divide(a, constantLike(a, divisor), remainder);
}

/// No element is negative: what is clamped to begin at 0 or later, as the index of a gather is.
static bool isNeverNegative(Value x) {
  APInt value;
  if (matchPattern(x, m_ConstantInt(&value))) {
    return value.isNonNegative();
  }
  Operation *op = x.getDefiningOp();
  if (!op) {
    return false;
  }
  if (isa<arith::MaxSIOp>(op)) {
    return isNeverNegative(op->getOperand(0)) || isNeverNegative(op->getOperand(1));
  }
  if (isa<arith::MinSIOp>(op)) {
    return isNeverNegative(op->getOperand(0)) && isNeverNegative(op->getOperand(1));
  }
  return isa<arith::IndexCastOp, vector::BroadcastOp>(op) && isNeverNegative(op->getOperand(0));
}

Value LaneIndexEmitter::divide(Value a, Value by, bool remainder) {
  if (isNeverNegative(a) && isNeverNegative(by)) {
    return remainder ? builder.createOrFold<arith::RemUIOp>(loc, a, by)
                     : builder.createOrFold<arith::DivUIOp>(loc, a, by);
  }
  Value zero = constantLike(a, 0);
  Value rest = builder.createOrFold<arith::RemSIOp>(loc, a, by);
  Value isNegative =
      builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, rest, zero);
  Value wrapped = builder.createOrFold<arith::AddIOp>(loc, rest, by);
  rest = builder.createOrFold<arith::SelectOp>(loc, isNegative, wrapped, rest);
  if (remainder) {
    return rest;
  }
  Value exact = builder.createOrFold<arith::SubIOp>(loc, a, rest);
  return builder.createOrFold<arith::DivSIOp>(loc, exact, by);
}

LaneIndex LaneIndexEmitter::floorDiv(LaneIndex a, int64_t divisor) {
  if (a.isConstant()) {
    int64_t quotient = llvm::divideFloorSigned(a.offset, divisor);
    return LaneIndex::constant(quotient);
  }
  if (a.isUniform()) {
    int64_t known = a.firstDivisor();
    return LaneIndex::uniform(divide(first(a), divisor, /*remainder=*/false),
                              known % divisor == 0 ? std::max<int64_t>(known / divisor, 1) : 1);
  }
  return LaneIndex::perLane(divide(vector(a), divisor, /*remainder=*/false));
}

LaneIndex LaneIndexEmitter::mod(LaneIndex a, int64_t divisor) {
  if (a.isConstant()) {
    int64_t quotient = llvm::divideFloorSigned(a.offset, divisor);
    return LaneIndex::constant(a.offset - quotient * divisor);
  }
  if (a.isUniform()) {
    return LaneIndex::uniform(divide(first(a), divisor, /*remainder=*/true),
                              std::gcd(a.firstDivisor(), divisor));
  }
  return LaneIndex::perLane(divide(vector(a), divisor, /*remainder=*/true));
}

LaneIndex LaneIndexEmitter::scale(LaneIndex a, Value factor) {
  LaneIndex result;
  result.divisor = std::max<int64_t>(a.firstDivisor(), 1);
  if (a.base) {
    result.base = builder.createOrFold<arith::MulIOp>(loc, a.base, factor);
  }
  if (a.offset) {
    // Apart from the base, so that a loop that changes the base need not repeat it.
    Value offset = builder.createOrFold<arith::MulIOp>(loc, factor, scalarConstant(a.offset));
    result.base = addValues(builder, loc, result.base, offset);
  }
  if (!a.isUniform()) {
    Value lanes = vector({Value(), 0, a.step, a.lanes});
    result.lanes = arith::MulIOp::create(builder, loc, lanes, splat(factor));
  }
  return result;
}

/// a floordiv (or mod) `by` at lanes a constant step apart, up from the first. Where all of them
/// lie within one multiple of the divisor or the next, which a branch finds, a comparison takes the
/// place of divisions.
static Value divideSteps(OpBuilder &builder, Location loc, int64_t width, const LaneIndex &a,
                         Value by, bool remainder) {
  LaneIndexEmitter emit(builder, loc, width);
  LaneIndex start = LaneIndex::uniform(emit.first(a));
  LaneIndex quotient = emit.floorDiv(start, by);
  LaneIndex rest = emit.mod(start, by);
  Value span = arith::ConstantIndexOp::create(builder, loc, a.step * (width - 1));
  Value isNear = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sle, span, by);
  Type type = emit.vectorType(builder.getIndexType());
  auto branch = scf::IfOp::create(builder, loc, type, isNear, true, true);
  OpBuilder inside = OpBuilder::atBlockEnd(branch.thenBlock());
  LaneIndexEmitter near(inside, loc, width);
  Value at = near.vector(LaneIndex::strided(rest.base, a.step));
  Value divisor = near.vector(LaneIndex::uniform(by));
  Value isNext = arith::CmpIOp::create(inside, loc, arith::CmpIPredicate::sge, at, divisor);
  Value same = remainder ? at : near.vector(quotient);
  quotient.offset = 1;
  Value next = remainder ? arith::SubIOp::create(inside, loc, at, divisor).getResult()
                         : near.vector(quotient);
  scf::YieldOp::create(inside, loc,
                       arith::SelectOp::create(inside, loc, isNext, next, same).getResult());
  OpBuilder other = OpBuilder::atBlockEnd(branch.elseBlock());
  LaneIndexEmitter far(other, loc, width);
  LaneIndex each = LaneIndex::perLane(far.vector(a));
  each = remainder ? far.mod(each, by) : far.floorDiv(each, by);
  scf::YieldOp::create(other, loc, each.lanes);
  return branch.getResult(0);
}

LaneIndex LaneIndexEmitter::floorDiv(LaneIndex a, Value divisor) {
  if (a.isUniform()) {
    return LaneIndex::uniform(divide(first(a), divisor, /*remainder=*/false));
  }
  return LaneIndex::perLane(!a.lanes && a.step > 0
                                ? divideSteps(builder, loc, width, a, divisor, /*remainder=*/false)
                                : divide(vector(a), splat(divisor), /*remainder=*/false));
}

LaneIndex LaneIndexEmitter::mod(LaneIndex a, Value divisor) {
  if (a.isUniform()) {
    return LaneIndex::uniform(divide(first(a), divisor, /*remainder=*/true));
  }
  return LaneIndex::perLane(!a.lanes && a.step > 0
                                ? divideSteps(builder, loc, width, a, divisor, /*remainder=*/true)
                                : divide(vector(a), splat(divisor), /*remainder=*/true));
}

LaneIndex LaneIndexEmitter::clamp(LaneIndex a, Value size) {
  Value value = a.isUniform() ? first(a) : vector(a);
  Value last = arith::SubIOp::create(builder, loc, size, scalarConstant(1));
  last = a.isUniform() ? last : splat(last);
  value = arith::MinSIOp::create(builder, loc, value, last);
  value = arith::MaxSIOp::create(builder, loc, value, constantLike(value, 0));
  return a.isUniform() ? LaneIndex::uniform(value) : LaneIndex::perLane(value);
}

LaneIndex LaneIndexEmitter::clamp(LaneIndex a, int64_t size) {
  if (a.isConstant()) {
    return LaneIndex::constant(std::clamp<int64_t>(a.offset, 0, size - 1));
  }
  Value value = a.isUniform() ? first(a) : vector(a);
  value = arith::MaxSIOp::create(builder, loc, value, constantLike(value, 0));
  value = arith::MinSIOp::create(builder, loc, value, constantLike(value, size - 1));
  return a.isUniform() ? LaneIndex::uniform(value) : LaneIndex::perLane(value);
}

LaneIndex LaneIndexEmitter::evaluate(AffineExpr expr, ArrayRef<LaneIndex> dims) {
  if (auto number = dyn_cast<AffineConstantExpr>(expr)) {
    return LaneIndex::constant(number.getValue());
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    return dims[dim.getPosition()];
  }
  if (expr.isSymbolicOrConstant()) {
    return LaneIndex::uniform(sizes->valueOf(expr));
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  if (expr.getKind() != AffineExprKind::Add && !isa<AffineConstantExpr>(binary.getRHS())) {
    return evaluateSized(binary, dims);
  }
  LaneIndex left = evaluate(binary.getLHS(), dims);
  if (expr.getKind() == AffineExprKind::Add) {
    return add(left, evaluate(binary.getRHS(), dims));
  }
  int64_t right = cast<AffineConstantExpr>(binary.getRHS()).getValue();
  switch (expr.getKind()) {
  case AffineExprKind::Mul: return scale(left, right);
  case AffineExprKind::FloorDiv: return floorDiv(left, right);
  case AffineExprKind::CeilDiv: return floorDiv(add(left, LaneIndex::constant(right - 1)), right);
  default: break;
  }
  return mod(left, right);
}

/// A product, quotient or remainder by what symbols give.
LaneIndex LaneIndexEmitter::evaluateSized(AffineBinaryOpExpr expr, ArrayRef<LaneIndex> dims) {
  AffineExpr left = expr.getLHS();
  AffineExpr right = expr.getRHS();
  if (expr.getKind() == AffineExprKind::Mul) {
    if (!right.isSymbolicOrConstant()) {
      std::swap(left, right);
    }
    return scale(evaluate(left, dims), sizes->valueOf(right));
  }
  LaneIndex value = evaluate(left, dims);
  Value divisor = sizes->atLeast(1, right);
  if (expr.getKind() == AffineExprKind::CeilDiv) {
    value = add(add(value, LaneIndex::uniform(divisor)), LaneIndex::constant(-1));
  }
  return expr.getKind() == AffineExprKind::Mod ? mod(value, divisor) : floorDiv(value, divisor);
}

/// step * lane >= least, or ==, of an index `least` that fits in 32 bits.
Value LaneIndexEmitter::compareSteps(Value least, int64_t step, bool equality) {
  auto predicate = equality ? arith::CmpIPredicate::eq : arith::CmpIPredicate::sge;
  Type i32 = builder.getI32Type();
  least = arith::IndexCastOp::create(builder, loc, i32, least);
  return arith::CmpIOp::create(builder, loc, predicate, steps(step, i32), splat(least));
}

Value LaneIndexEmitter::holdsWide(const LaneIndex &a, bool equality) {
  // Steps are smaller than the limit, so that what is beyond it compares as the limit does.
  constexpr int64_t limit = int64_t(1) << 30;
  if (a.isUniform() || a.lanes || std::abs(a.step) * width >= limit) {
    return holds(a, equality, /*narrow=*/false);
  }
  Value least = scalarConstant(-a.offset);
  if (a.base) {
    least = arith::SubIOp::create(builder, loc, least, a.base);
  }
  least = arith::MaxSIOp::create(builder, loc, least, scalarConstant(-limit));
  least = arith::MinSIOp::create(builder, loc, least, scalarConstant(limit));
  return compareSteps(least, a.step, equality);
}

Value LaneIndexEmitter::holds(const LaneIndex &a, bool equality, bool narrow) {
  auto predicate = equality ? arith::CmpIPredicate::eq : arith::CmpIPredicate::sge;
  if (a.isUniform()) {
    // base + offset >= 0, as base >= -offset.
    return builder.createOrFold<arith::CmpIOp>(loc, predicate, a.base ? a.base : scalarConstant(0),
                                               scalarConstant(-a.offset));
  }
  if (!narrow || a.lanes) {
    return arith::CmpIOp::create(builder, loc, predicate, vector(a), splatConstant(0));
  }
  // In 32 bits, as step * lane >= -(base + offset): one comparison with a constant vector.
  Value negated = scalarConstant(-a.offset);
  if (a.base) {
    negated = arith::SubIOp::create(builder, loc, negated, a.base);
  }
  return compareSteps(negated, a.step, equality);
}

} // namespace zyxc

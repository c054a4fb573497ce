#include "passes/lower/emit/Monoid.h"
#include "dialects/zyxk/scalar/ScalarEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

Monoid::Monoid(ReduceOp reduce, int64_t points)
    : loc(reduce.getLoc()), context(reduce.getContext()), element(reduce.getValue().getType()),
      kind(reduce.getKind()), arg(reduce.isArg()), last(reduce.getLast()),
      wide(points > INT32_MAX || points == 0) {}

Monoid::Monoid(ScanOp scan)
    : loc(scan.getLoc()), context(scan.getContext()), element(scan.getType()), kind(scan.getKind()),
      arg(false), last(false), wide(false) {}

IntegerType Monoid::positionType() const {
  return IntegerType::get(context, wide ? 64 : 32);
}

ReduceKind valueKind(ReduceKind kind) {
  switch (kind) {
  case ReduceKind::ArgMax: return ReduceKind::Max;
  case ReduceKind::ArgMin: return ReduceKind::Min;
  case ReduceKind::UArgMax: return ReduceKind::UMax;
  case ReduceKind::UArgMin: return ReduceKind::UMin;
  default: return kind;
  }
}

TypedAttr identityOf(ReduceKind kind, Type type) {
  if (auto floating = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = floating.getFloatSemantics();
    switch (kind) {
    case ReduceKind::Mul: return FloatAttr::get(type, 1.0);
    case ReduceKind::Max: return FloatAttr::get(type, APFloat::getInf(semantics, true));
    case ReduceKind::Min: return FloatAttr::get(type, APFloat::getInf(semantics, false));
    default: return FloatAttr::get(type, 0.0);
    }
  }
  unsigned bits = type.getIntOrFloatBitWidth();
  switch (kind) {
  case ReduceKind::Mul: return IntegerAttr::get(type, APInt(bits, 1));
  case ReduceKind::Max: return IntegerAttr::get(type, APInt::getSignedMinValue(bits));
  case ReduceKind::Min: return IntegerAttr::get(type, APInt::getSignedMaxValue(bits));
  case ReduceKind::UMin:
  case ReduceKind::And: return IntegerAttr::get(type, APInt::getAllOnes(bits));
  default: return IntegerAttr::get(type, APInt(bits, 0));
  }
}

static Value constantOf(OpBuilder &builder, Location loc, TypedAttr scalar, int64_t lanes) {
  if (lanes > 0) {
    scalar = DenseElementsAttr::get(VectorType::get({lanes}, scalar.getType()), scalar);
  }
  return arith::ConstantOp::create(builder, loc, scalar);
}

Accumulator Monoid::identity(OpBuilder &builder, int64_t lanes) const {
  Accumulator result;
  result.value = constantOf(builder, loc, identityOf(valueKind(kind), element), lanes);
  if (arg) {
    // Every real position wins against this one, so that a row of identities has a position.
    unsigned bits = positionType().getWidth();
    APInt worst = last ? APInt::getSignedMinValue(bits) : APInt::getSignedMaxValue(bits);
    result.position = constantOf(builder, loc, IntegerAttr::get(positionType(), worst), lanes);
  }
  return result;
}

/// a is a more extreme value than b; NaN is the most extreme one.
Value Monoid::better(OpBuilder &builder, Value a, Value b) const {
  bool largest = kind == ReduceKind::ArgMax || kind == ReduceKind::UArgMax;
  if (!isa<FloatType>(element)) {
    bool isUnsigned = kind == ReduceKind::UArgMax || kind == ReduceKind::UArgMin;
    using P = arith::CmpIPredicate;
    P predicate = largest ? (isUnsigned ? P::ugt : P::sgt) : (isUnsigned ? P::ult : P::slt);
    return arith::CmpIOp::create(builder, loc, predicate, a, b);
  }
  using P = arith::CmpFPredicate;
  // Unordered or greater, and b is no NaN.
  Value wins = arith::CmpFOp::create(builder, loc, largest ? P::UGT : P::ULT, a, b);
  Value ordered = arith::CmpFOp::create(builder, loc, P::ORD, b, b);
  return arith::AndIOp::create(builder, loc, wins, ordered);
}

Value Monoid::same(OpBuilder &builder, Value a, Value b) const {
  if (!isa<FloatType>(element)) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, a, b);
  }
  using P = arith::CmpFPredicate;
  Value equal = arith::CmpFOp::create(builder, loc, P::OEQ, a, b);
  Value aIsNan = arith::CmpFOp::create(builder, loc, P::UNO, a, a);
  Value bIsNan = arith::CmpFOp::create(builder, loc, P::UNO, b, b);
  Value bothNan = arith::AndIOp::create(builder, loc, aIsNan, bIsNan);
  return arith::OrIOp::create(builder, loc, equal, bothNan);
}

static Value combineValues(OpBuilder &b, Location loc, ReduceKind kind, bool isFloat, Value x,
                           Value y) {
  switch (kind) {
  case ReduceKind::Add:
    return isFloat ? Value(arith::AddFOp::create(b, loc, x, y))
                   : Value(arith::AddIOp::create(b, loc, x, y));
  case ReduceKind::Mul:
    return isFloat ? Value(arith::MulFOp::create(b, loc, x, y))
                   : Value(arith::MulIOp::create(b, loc, x, y));
  case ReduceKind::Max:
    return isFloat ? emitFloatExtreme(b, loc, /*largest=*/true, y, x)
                   : Value(arith::MaxSIOp::create(b, loc, x, y));
  case ReduceKind::Min:
    return isFloat ? emitFloatExtreme(b, loc, /*largest=*/false, y, x)
                   : Value(arith::MinSIOp::create(b, loc, x, y));
  case ReduceKind::UMax: return arith::MaxUIOp::create(b, loc, x, y);
  case ReduceKind::UMin: return arith::MinUIOp::create(b, loc, x, y);
  case ReduceKind::And: return arith::AndIOp::create(b, loc, x, y);
  default: return arith::OrIOp::create(b, loc, x, y);
  }
}

Accumulator Monoid::combine(OpBuilder &builder, const Accumulator &a, const Accumulator &b) const {
  if (!arg) {
    bool isFloat = isa<FloatType>(element);
    return {combineValues(builder, loc, kind, isFloat, a.value, b.value), Value()};
  }
  auto predicate = last ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::slt;
  Value preferred = arith::CmpIOp::create(builder, loc, predicate, b.position, a.position);
  Value tie = arith::AndIOp::create(builder, loc, same(builder, a.value, b.value), preferred);
  Value take = arith::OrIOp::create(builder, loc, better(builder, b.value, a.value), tie);
  return {arith::SelectOp::create(builder, loc, take, b.value, a.value),
          arith::SelectOp::create(builder, loc, take, b.position, a.position)};
}

/// Elements [first, first + count) of a vector.
static Value slice(OpBuilder &builder, Location loc, Value vector, int64_t first, int64_t count) {
  if (!vector) {
    return {};
  }
  SmallVector<int64_t> pick;
  for (int64_t i = 0; i < count; ++i) {
    pick.push_back(first + i);
  }
  return vector::ShuffleOp::create(builder, loc, vector, vector, pick);
}

Accumulator Monoid::acrossLanes(OpBuilder &builder, Accumulator a) const {
  int64_t lanes = cast<VectorType>(a.value.getType()).getDimSize(0);
  for (; lanes > 1; lanes /= 2) {
    int64_t half = lanes / 2;
    Accumulator low = {slice(builder, loc, a.value, 0, half),
                       slice(builder, loc, a.position, 0, half)};
    Accumulator high = {slice(builder, loc, a.value, half, half),
                        slice(builder, loc, a.position, half, half)};
    a = combine(builder, low, high);
  }
  a.value = vector::ExtractOp::create(builder, loc, a.value, 0);
  if (a.position) {
    a.position = vector::ExtractOp::create(builder, loc, a.position, 0);
  }
  return a;
}

Value Monoid::finish(OpBuilder &builder, const Accumulator &a) const {
  if (!arg) {
    return a.value;
  }
  if (wide) {
    return a.position;
  }
  Type type = builder.getI64Type();
  if (auto vector = dyn_cast<VectorType>(a.position.getType())) {
    type = VectorType::get(vector.getShape(), type);
  }
  return arith::ExtSIOp::create(builder, loc, type, a.position);
}

} // namespace zyxc

// Float ops of emitScalar, on f32 and f64.
#include "dialects/zyxk/scalar/ScalarEmitter.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace zyxc {

using FloatPredicate = arith::CmpFPredicate;

Value ScalarEmitter::floatFunction(OpKind kind, Value x) {
  switch (kind) {
  case OpKind::Exp: return make<math::ExpOp>(x);
  case OpKind::Exp2: return make<math::Exp2Op>(x);
  case OpKind::Expm1: return make<math::ExpM1Op>(x);
  case OpKind::Log: return make<math::LogOp>(x);
  case OpKind::Log2: return make<math::Log2Op>(x);
  case OpKind::Log1p: return make<math::Log1pOp>(x);
  case OpKind::Sin: return make<math::SinOp>(x);
  case OpKind::Cos: return make<math::CosOp>(x);
  case OpKind::Tan: return make<math::TanOp>(x);
  case OpKind::Asin: return make<math::AsinOp>(x);
  case OpKind::Acos: return make<math::AcosOp>(x);
  case OpKind::Atan: return make<math::AtanOp>(x);
  case OpKind::Sinh: return make<math::SinhOp>(x);
  case OpKind::Cosh: return make<math::CoshOp>(x);
  case OpKind::Tanh: return make<math::TanhOp>(x);
  case OpKind::Asinh: return make<math::AsinhOp>(x);
  case OpKind::Acosh: return make<math::AcoshOp>(x);
  case OpKind::Atanh: return make<math::AtanhOp>(x);
  default: break;
  }
  assert(kind == OpKind::Erf && "a unary op on floats");
  return make<math::ErfOp>(x);
}

Value ScalarEmitter::floatUnary(OpKind kind, Value x) {
  switch (kind) {
  case OpKind::Neg: return make<arith::NegFOp>(x);
  case OpKind::Abs: return make<math::AbsFOp>(x);
  case OpKind::Sign: {
    Value zero = floatLike(x, 0);
    Value negative = select(compare(FloatPredicate::OLT, x, zero), floatLike(x, -1), x);
    return select(compare(FloatPredicate::OGT, x, zero), floatLike(x, 1), negative);
  }
  case OpKind::Ceil: return make<math::CeilOp>(x);
  case OpKind::Floor: return make<math::FloorOp>(x);
  case OpKind::Round: return make<math::RoundEvenOp>(x);
  case OpKind::Trunc: return make<math::TruncOp>(x);
  case OpKind::Sqrt: return make<math::SqrtOp>(x);
  case OpKind::Rsqrt: return make<arith::DivFOp>(floatLike(x, 1), make<math::SqrtOp>(x));
  case OpKind::Recip: return make<arith::DivFOp>(floatLike(x, 1), x);
  case OpKind::IsNan: return compare(FloatPredicate::UNO, x, x);
  case OpKind::IsInf:
    return compare(FloatPredicate::OEQ, make<math::AbsFOp>(x),
                   floatLike(x, std::numeric_limits<double>::infinity()));
  default: return floatFunction(kind, x);
  }
}

/// A float constant that is no NaN.
static bool isOrderedConstant(Value value) {
  APFloat number(0.0);
  return matchPattern(value, m_ConstantFloat(&number)) && !number.isNaN();
}

Value ScalarEmitter::floatExtreme(bool largest, Value x, Value y) {
  // `x > y ? x : y` gives y if either is NaN: the one instruction that x86 has. Only a NaN in x is
  // then lost, so a constant goes to the left.
  if (isOrderedConstant(y)) {
    std::swap(x, y);
  }
  auto predicate = largest ? FloatPredicate::OGT : FloatPredicate::OLT;
  Value result = select(compare(predicate, x, y), x, y);
  if (isOrderedConstant(x)) {
    return result;
  }
  return select(compare(FloatPredicate::UNO, x, x), x, result);
}

/// x to the power of a constant that square roots and products give within 2 ulp; else null.
Value ScalarEmitter::rootPower(Value x, Value y) {
  APFloat constant(0.0);
  if (!matchPattern(y, m_ConstantFloat(&constant))) {
    return {};
  }
  double exponent = constant.convertToDouble();
  if (exponent == 1 || exponent == 2) {
    return exponent == 1 ? x : Value(make<arith::MulFOp>(x, x));
  }
  double quarters = std::abs(exponent) * 4;
  if (quarters != 1 && quarters != 2 && quarters != 3) {
    return {};
  }
  // C's pow gives +0 for -0, and takes -inf for inf, where a root differs.
  double inf = std::numeric_limits<double>::infinity();
  Value isNegativeInf = compare(FloatPredicate::OEQ, x, floatLike(x, -inf));
  Value base = make<arith::AddFOp>(x, floatLike(x, 0));
  Value root = make<math::SqrtOp>(select(isNegativeInf, floatLike(x, inf), base));
  Value result = root;
  if (quarters != 2) {
    result = make<math::SqrtOp>(root);
  }
  if (quarters == 3) {
    result = make<arith::MulFOp>(root, result);
  }
  return exponent > 0 ? result : Value(make<arith::DivFOp>(floatLike(x, 1), result));
}

Value ScalarEmitter::floatBinary(OpKind kind, Value x, Value y) {
  switch (kind) {
  case OpKind::Add: return make<arith::AddFOp>(x, y);
  case OpKind::Sub: return make<arith::SubFOp>(x, y);
  case OpKind::Mul: return make<arith::MulFOp>(x, y);
  case OpKind::Div: return make<arith::DivFOp>(x, y);
  case OpKind::Rem: return make<arith::RemFOp>(x, y);
  case OpKind::Mod: {
    Value zero = floatLike(x, 0);
    Value rest = make<arith::RemFOp>(x, y);
    Value differ = make<arith::XOrIOp>(compare(FloatPredicate::OLT, rest, zero),
                                       compare(FloatPredicate::OLT, y, zero));
    Value moved = select(differ, make<arith::AddFOp>(rest, y), rest);
    return select(compare(FloatPredicate::OEQ, rest, zero), make<math::CopySignOp>(rest, y), moved);
  }
  case OpKind::Pow: {
    Value power = rootPower(x, y);
    return power ? power : Value(make<math::PowFOp>(x, y));
  }
  case OpKind::Max: return floatExtreme(/*largest=*/true, x, y);
  default: break;
  }
  assert(kind == OpKind::Min && "a binary op on floats");
  return floatExtreme(/*largest=*/false, x, y);
}

} // namespace zyxc

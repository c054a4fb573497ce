// Integer and bool ops of emitScalar.
#include "dialects/zyxk/scalar/ScalarEmitter.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace zyxc {

using IntPredicate = arith::CmpIPredicate;

Value ScalarEmitter::intUnary(OpKind kind, bool isSigned, Value x) {
  Value zero = intLike(x, 0);
  switch (kind) {
  case OpKind::Neg: return make<arith::SubIOp>(zero, x);
  case OpKind::Abs:
    return isSigned ? select(compare(IntPredicate::slt, x, zero), make<arith::SubIOp>(zero, x), x)
                    : x;
  case OpKind::Sign: {
    Value one = intLike(x, 1);
    Value positive = select(compare(IntPredicate::ne, x, zero), one, zero);
    return isSigned ? select(compare(IntPredicate::slt, x, zero), intLike(x, -1), positive)
                    : positive;
  }
  default: break;
  }
  assert(kind == OpKind::Not && "a unary op on integers");
  return make<arith::XOrIOp>(x, intLike(x, -1));
}

/// Quotient toward zero; 0 for y = 0; the smallest integer by -1 is itself.
Value ScalarEmitter::quotient(bool isSigned, Value x, Value y) {
  Value zero = intLike(x, 0);
  Value one = intLike(x, 1);
  Value byZero = compare(IntPredicate::eq, y, zero);
  Value divisor = select(byZero, one, y);
  if (isSigned) {
    unsigned width = getElementTypeOrSelf(x.getType()).getIntOrFloatBitWidth();
    Value smallest = intLike(x, static_cast<int64_t>(uint64_t(1) << (width - 1)));
    Value overflows = make<arith::AndIOp>(compare(IntPredicate::eq, x, smallest),
                                          compare(IntPredicate::eq, y, intLike(y, -1)));
    divisor = select(overflows, one, divisor);
    return select(byZero, zero, make<arith::DivSIOp>(x, divisor));
  }
  return select(byZero, zero, make<arith::DivUIOp>(x, divisor));
}

/// Wrapping power by squaring, once per bit of the exponent.
Value ScalarEmitter::intPower(bool isSigned, Value x, Value y) {
  unsigned width = getElementTypeOrSelf(x.getType()).getIntOrFloatBitWidth();
  Value zero = intLike(x, 0);
  Value one = intLike(x, 1);
  Value result = one;
  Value base = x;
  for (unsigned bit = 0; bit < width; ++bit) {
    Value mask = intLike(y, static_cast<int64_t>(uint64_t(1) << bit));
    Value isSet = compare(IntPredicate::ne, make<arith::AndIOp>(y, mask), zero);
    result = select(isSet, make<arith::MulIOp>(result, base), result);
    base = bit + 1 < width ? make<arith::MulIOp>(base, base) : base;
  }
  if (!isSigned) {
    return result;
  }
  // 1 / x^-y toward zero: 1 for x = 1, 1 or -1 for x = -1, else 0.
  Value isOdd = compare(IntPredicate::ne, make<arith::AndIOp>(y, one), zero);
  Value minusOne = intLike(x, -1);
  Value ofMinusOne = select(isOdd, minusOne, one);
  Value inverse = select(compare(IntPredicate::eq, x, minusOne), ofMinusOne, zero);
  inverse = select(compare(IntPredicate::eq, x, one), one, inverse);
  return select(compare(IntPredicate::slt, y, zero), inverse, result);
}

Value ScalarEmitter::intBinary(OpKind kind, bool isSigned, Value x, Value y) {
  unsigned width = getElementTypeOrSelf(x.getType()).getIntOrFloatBitWidth();
  Value zero = intLike(x, 0);
  auto remainder = [&] {
    Value multiple = make<arith::MulIOp>(quotient(isSigned, x, y), y);
    return make<arith::SubIOp>(x, multiple);
  };
  auto inWidth = [&] {
    return compare(IntPredicate::ult, y, intLike(y, width));
  };
  switch (kind) {
  case OpKind::Add: return make<arith::AddIOp>(x, y);
  case OpKind::Sub: return make<arith::SubIOp>(x, y);
  case OpKind::Mul: return make<arith::MulIOp>(x, y);
  case OpKind::Div: return quotient(isSigned, x, y);
  case OpKind::Rem: return remainder();
  case OpKind::Mod: {
    Value rest = remainder();
    if (!isSigned) {
      return rest;
    }
    Value signs = make<arith::XOrIOp>(compare(IntPredicate::slt, rest, zero),
                                      compare(IntPredicate::slt, y, zero));
    Value moves = make<arith::AndIOp>(compare(IntPredicate::ne, rest, zero), signs);
    return select(moves, make<arith::AddIOp>(rest, y), rest);
  }
  case OpKind::Pow: return intPower(isSigned, x, y);
  case OpKind::Max: return isSigned ? make<arith::MaxSIOp>(x, y) : make<arith::MaxUIOp>(x, y);
  case OpKind::Min: return isSigned ? make<arith::MinSIOp>(x, y) : make<arith::MinUIOp>(x, y);
  case OpKind::And: return make<arith::AndIOp>(x, y);
  case OpKind::Or: return make<arith::OrIOp>(x, y);
  case OpKind::Xor: return make<arith::XOrIOp>(x, y);
  case OpKind::Shl: {
    Value valid = inWidth();
    return select(valid, make<arith::ShLIOp>(x, select(valid, y, zero)), zero);
  }
  default: break;
  }
  assert(kind == OpKind::Shr && "a binary op on integers");
  Value valid = inWidth();
  if (isSigned) {
    return make<arith::ShRSIOp>(x, select(valid, y, intLike(y, width - 1)));
  }
  return select(valid, make<arith::ShRUIOp>(x, select(valid, y, zero)), zero);
}

} // namespace zyxc

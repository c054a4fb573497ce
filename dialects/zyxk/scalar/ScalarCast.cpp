// Casts of emitScalar, and the narrow floats: f16, bf16 and the 8-bit formats compute in f32.
#include "dialects/zyxk/scalar/ScalarEmitter.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include <bit>
#include <cmath>
#include <limits>

using namespace mlir;

namespace zyxc {

using FloatPredicate = arith::CmpFPredicate;
using IntPredicate = arith::CmpIPredicate;

//===- Floats of 8 and 4 bits ----------------------------------------------------------------===//

namespace {
/// What the conversions need of a format of at most 8 bits.
struct SmallFormat {
  int mantissa;       ///< stored bits
  int bias;           ///< of the exponent
  int64_t top;        ///< encoding to which too large values go: infinity, NaN or the largest
  int64_t nan;        ///< encoding of the quiet NaN, or of what stands for it
  int64_t sign;       ///< its bit
  bool hasNaN = true; ///< encodings from `top` on are no numbers
  int64_t magnitude() const { return sign - 1; }
};
} // namespace

static SmallFormat smallFormatOf(DType dtype) {
  switch (dtype) {
  case DType::F8E4M3FN: return {3, 7, 0x7f, 0x7f, 0x80};
  case DType::F4E2M1FN: return {1, 1, 0x7, 0x8, 0x8, false}; // NaN becomes -0.0
  default: return {2, 15, 0x7c, 0x7e, 0x80};
  }
}

/// f32 from an 8-bit or 4-bit float: the digits are put in place and the exponent is corrected.
/// A denormal gets an exponent that it does not have, and the 1 before its digits is taken off
/// again: no f32 is denormal on the way, since GPUs may take those for 0.
Value ScalarEmitter::fromF8(DType dtype, Value bits) {
  SmallFormat format = smallFormatOf(dtype);
  Value wide = convert<arith::ExtUIOp>(bits, builder.getI32Type());
  Value magnitude = make<arith::AndIOp>(wide, intLike(wide, format.magnitude()));
  Value placed = make<arith::ShLIOp>(magnitude, intLike(wide, 23 - format.mantissa));
  auto withExponent = [&](int more) {
    Value offset = intLike(wide, static_cast<int64_t>(more - format.bias) << 23);
    return convert<arith::BitcastOp>(make<arith::AddIOp>(placed, offset), builder.getF32Type());
  };
  Value value = withExponent(127);
  Value denormal = withExponent(128);
  denormal = make<arith::SubFOp>(denormal, floatLike(value, std::ldexp(1.0, 1 - format.bias)));
  Value isDenormal = compare(IntPredicate::ult, placed, intLike(wide, int64_t(1) << 23));
  value = select(isDenormal, denormal, value);
  // Above the largest finite value: infinity in f8E5M2, else NaN.
  Value special = floatLike(value, std::numeric_limits<double>::quiet_NaN());
  if (format.hasNaN && format.top != format.nan) {
    Value isInf = compare(IntPredicate::eq, magnitude, intLike(wide, format.top));
    special = select(isInf, floatLike(value, std::numeric_limits<double>::infinity()), special);
  }
  if (format.hasNaN) {
    value =
        select(compare(IntPredicate::uge, magnitude, intLike(wide, format.top)), special, value);
  }
  Value isNegative = compare(IntPredicate::uge, wide, intLike(wide, format.sign));
  return select(isNegative, make<arith::NegFOp>(value), value);
}

/// An 8-bit or 4-bit float from f32, rounded to nearest even once.
Value ScalarEmitter::toF8(DType dtype, Value x) {
  SmallFormat format = smallFormatOf(dtype);
  Type i32 = builder.getI32Type();
  int dropped = 23 - format.mantissa;
  Value bits = convert<arith::BitcastOp>(x, i32);
  Value magnitude = make<arith::AndIOp>(bits, intLike(bits, 0x7fffffff));
  // Normal numbers: add just under half of the last place, plus its parity, and cut.
  Value shift = intLike(bits, dropped);
  Value parity = make<arith::AndIOp>(make<arith::ShRUIOp>(magnitude, shift), intLike(bits, 1));
  Value rounded = make<arith::AddIOp>(magnitude, intLike(bits, (int64_t(1) << (dropped - 1)) - 1));
  rounded = make<arith::ShRUIOp>(make<arith::AddIOp>(rounded, parity), shift);
  int64_t rebias = static_cast<int64_t>(127 - format.bias) << format.mantissa;
  Value normal = make<arith::SubIOp>(rounded, intLike(bits, rebias));
  // Denormals: adding a number whose last place is the smallest denormal rounds to a multiple of
  // it.
  Value magic = floatLike(x, std::ldexp(1.0, 1 - format.bias - format.mantissa + 23));
  Value sum =
      make<arith::AddFOp>(convert<arith::BitcastOp>(magnitude, builder.getF32Type()), magic);
  Value denormal = make<arith::SubIOp>(convert<arith::BitcastOp>(sum, i32),
                                       convert<arith::BitcastOp>(magic, i32));
  Value smallestNormal = intLike(bits, static_cast<int64_t>(128 - format.bias) << 23);
  Value encoded = select(compare(IntPredicate::ult, magnitude, smallestNormal), denormal, normal);
  Value top = intLike(bits, format.top);
  encoded = select(compare(IntPredicate::sge, encoded, top), top, encoded);
  Value isNan = compare(IntPredicate::ugt, magnitude, intLike(bits, 0x7f800000));
  encoded = select(isNan, intLike(bits, format.nan), encoded);
  int place = 31 - std::countr_zero(static_cast<uint64_t>(format.sign));
  Value sign = make<arith::AndIOp>(make<arith::ShRUIOp>(bits, intLike(bits, place)),
                                   intLike(bits, format.sign));
  return convert<arith::TruncIOp>(make<arith::OrIOp>(encoded, sign), builder.getI8Type());
}

//===- Widening and narrowing ----------------------------------------------------------------===//

Value ScalarEmitter::widen(DType dtype, Value x) {
  if (dtype == DType::F32 || dtype == DType::F64) {
    return x;
  }
  return isSmallFloat(dtype) ? fromF8(dtype, x) : convert<arith::ExtFOp>(x, builder.getF32Type());
}

Value ScalarEmitter::narrow(DType dtype, Value x) {
  if (dtype == DType::F32 || dtype == DType::F64) {
    return x;
  }
  return isSmallFloat(dtype) ? toF8(dtype, x)
                             : convert<arith::TruncFOp>(x, scalarType(builder.getContext(), dtype));
}

/// f64 to f32 so that a further rounding to fewer digits is right: toward zero, with the last digit
/// set where something was lost (Boldo and Melquiond, 2008).
Value ScalarEmitter::roundToOddF32(Value x) {
  Type i32 = builder.getI32Type();
  Value nearest = convert<arith::TruncFOp>(x, builder.getF32Type());
  Value back = convert<arith::ExtFOp>(nearest, builder.getF64Type());
  Value bits = convert<arith::BitcastOp>(nearest, i32);
  Value isAway = compare(FloatPredicate::OGT, make<math::AbsFOp>(back), make<math::AbsFOp>(x));
  Value towardZero = select(isAway, make<arith::SubIOp>(bits, intLike(bits, 1)), bits);
  Value odd = make<arith::OrIOp>(towardZero, intLike(bits, 1));
  Value inexact = compare(FloatPredicate::ONE, back, x);
  return convert<arith::BitcastOp>(select(inexact, odd, bits), builder.getF32Type());
}

//===- Casts ---------------------------------------------------------------------------------===//

/// Toward zero, saturated; NaN gives 0.
Value ScalarEmitter::floatToInt(DType to, Value x) {
  unsigned width = bitWidth(to);
  bool toSigned = isSigned(to);
  double limit = std::ldexp(1.0, toSigned ? width - 1 : width);
  Value tooLarge = compare(FloatPredicate::OGE, x, floatLike(x, limit));
  Value tooSmall = compare(toSigned ? FloatPredicate::OLT : FloatPredicate::OLE, x,
                           floatLike(x, toSigned ? -limit : 0));
  Value isNan = compare(FloatPredicate::UNO, x, x);
  Value outside = make<arith::OrIOp>(make<arith::OrIOp>(tooLarge, tooSmall), isNan);
  Value inside = select(outside, floatLike(x, 0), x);
  Type type = scalarType(builder.getContext(), to);
  Value result;
  if (width < 32) {
    result = convert<arith::FPToSIOp>(inside, builder.getI32Type());
    result = convert<arith::TruncIOp>(result, type);
  } else {
    result =
        toSigned ? convert<arith::FPToSIOp>(inside, type) : convert<arith::FPToUIOp>(inside, type);
  }
  unsigned stored = type.getIntOrFloatBitWidth();
  APInt largest =
      (toSigned ? APInt::getSignedMaxValue(width) : APInt::getMaxValue(width)).zext(stored);
  APInt smallest =
      toSigned ? APInt::getSignedMinValue(width).sext(stored) : APInt::getMinValue(stored);
  result = select(tooLarge, constantLike(x, IntegerAttr::get(type, largest)), result);
  return select(tooSmall, constantLike(x, IntegerAttr::get(type, smallest)), result);
}

Value ScalarEmitter::intToFloat(DType from, DType to, Value x) {
  bool fromSigned = isSigned(from);
  auto toFloat = [&](Value value, Type type) {
    return fromSigned ? convert<arith::SIToFPOp>(value, type)
                      : convert<arith::UIToFPOp>(value, type);
  };
  if (to == DType::F32 || to == DType::F64) {
    return toFloat(x, scalarType(builder.getContext(), to));
  }
  unsigned width = bitWidth(from);
  if (width <= 16) { // exact in f32
    return narrow(to, toFloat(x, builder.getF32Type()));
  }
  if (width == 64) {
    // Not exact in f64: the lowest 11 bits become one sticky bit, which is far below the last
    // place of the result. Numbers below 2^53 stay as they are.
    Value low = make<arith::AndIOp>(x, intLike(x, 0x7ff));
    Value sticky =
        select(compare(IntPredicate::ne, low, intLike(x, 0)), intLike(x, 0x800), intLike(x, 0));
    Value cut = make<arith::OrIOp>(make<arith::AndIOp>(x, intLike(x, ~int64_t(0x7ff))), sticky);
    int64_t exact = int64_t(1) << 53;
    Value isExact = fromSigned
                        ? compare(IntPredicate::ule, make<arith::AddIOp>(x, intLike(x, exact)),
                                  intLike(x, 2 * exact))
                        : compare(IntPredicate::ule, x, intLike(x, exact));
    x = select(isExact, x, cut);
  }
  return narrow(to, roundToOddF32(toFloat(x, builder.getF64Type())));
}

Value ScalarEmitter::cast(DType from, DType to, Value x) {
  if (from == to) {
    return x;
  }
  Type type = scalarType(builder.getContext(), to);
  if (isFloat(from)) {
    x = widen(from, x);
    if (to == DType::Bool) {
      return compare(FloatPredicate::UNE, x, floatLike(x, 0));
    }
    if (!isFloat(to)) {
      return floatToInt(to, x);
    }
    if (to == DType::F64) {
      return convert<arith::ExtFOp>(x, type);
    }
    if (from == DType::F64) {
      return to == DType::F32 ? convert<arith::TruncFOp>(x, type) : narrow(to, roundToOddF32(x));
    }
    return narrow(to, x);
  }
  if (to == DType::Bool) {
    return compare(IntPredicate::ne, x, intLike(x, 0));
  }
  if (from == DType::Bool && isFloat(to)) {
    x = convert<arith::ExtUIOp>(x, builder.getI8Type());
    return intToFloat(DType::U8, to, x);
  }
  if (isFloat(to)) {
    return intToFloat(from, to, x);
  }
  return wrap(to, resize(isSigned(from), x, type));
}

/// An integer cut or extended to a type.
Value ScalarEmitter::resize(bool isSigned, Value x, Type type) {
  unsigned from = getElementTypeOrSelf(x.getType()).getIntOrFloatBitWidth();
  unsigned to = type.getIntOrFloatBitWidth();
  if (from == to) {
    return x;
  }
  if (from > to) {
    return convert<arith::TruncIOp>(x, type);
  }
  return isSigned ? convert<arith::ExtSIOp>(x, type) : convert<arith::ExtUIOp>(x, type);
}

/// The low bits of a byte as an integer of less than a byte.
Value ScalarEmitter::wrap(DType dtype, Value x) {
  if (!isSubByte(dtype)) {
    return x;
  }
  int64_t unused = 8 - bitWidth(dtype);
  if (!isSigned(dtype)) {
    return make<arith::AndIOp>(x, intLike(x, 0xff >> unused));
  }
  Value high = make<arith::ShLIOp>(x, intLike(x, unused));
  return make<arith::ShRSIOp>(high, intLike(x, unused));
}

} // namespace zyxc

#include "passes/pipelines/spirv/SpirvMath.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>
#include <numbers>

using namespace mlir;

namespace zyxc {

namespace {

/// Emits arithmetic on values of one shape, by short names.
struct Arithmetic {
  OpBuilder &b;
  Location loc;
  Type shape; ///< scalar or vector of f32

  Type of(Type element) const {
    auto vector = dyn_cast<VectorType>(shape);
    return vector ? Type(vector.clone(element)) : element;
  }
  Type f32() const { return of(b.getF32Type()); }
  Type f64() const { return of(b.getF64Type()); }
  Type i32() const { return of(b.getI32Type()); }
  Type i64() const { return of(b.getI64Type()); }

  Value constant(Type type, double value) const {
    Type element = getElementTypeOrSelf(type);
    TypedAttr attr = isa<FloatType>(element)
                         ? TypedAttr(b.getFloatAttr(element, value))
                         : TypedAttr(b.getIntegerAttr(element, static_cast<int64_t>(value)));
    if (auto vector = dyn_cast<VectorType>(type)) {
      attr = DenseElementsAttr::get(vector, attr);
    }
    return arith::ConstantOp::create(b, loc, attr);
  }
  Value like(Value x, double value) const { return constant(x.getType(), value); }
  Value add(Value x, Value y) const { return arith::AddFOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) const { return arith::SubFOp::create(b, loc, x, y); }
  Value mul(Value x, Value y) const { return arith::MulFOp::create(b, loc, x, y); }
  Value div(Value x, Value y) const { return arith::DivFOp::create(b, loc, x, y); }
  Value add(Value x, double y) const { return add(x, like(x, y)); }
  Value mul(Value x, double y) const { return mul(x, like(x, y)); }
  Value fma(Value x, Value y, Value z) const { return math::FmaOp::create(b, loc, x, y, z); }
  Value neg(Value x) const { return arith::NegFOp::create(b, loc, x); }
  Value abs(Value x) const { return math::AbsFOp::create(b, loc, x); }
  Value sqrt(Value x) const { return math::SqrtOp::create(b, loc, x); }
  Value round(Value x) const { return math::RoundEvenOp::create(b, loc, x); }
  Value floor(Value x) const { return math::FloorOp::create(b, loc, x); }
  Value exp(Value x) const { return math::ExpOp::create(b, loc, x); }
  Value log(Value x) const { return math::LogOp::create(b, loc, x); }
  Value log1p(Value x) const { return math::Log1pOp::create(b, loc, x); }
  Value expm1(Value x) const { return math::ExpM1Op::create(b, loc, x); }
  Value withSign(Value x, Value sign) const { return math::CopySignOp::create(b, loc, x, sign); }
  Value compare(arith::CmpFPredicate predicate, Value x, Value y) const {
    return arith::CmpFOp::create(b, loc, predicate, x, y);
  }
  Value less(Value x, double y) const { return compare(arith::CmpFPredicate::OLT, x, like(x, y)); }
  Value greater(Value x, double y) const {
    return compare(arith::CmpFPredicate::OGT, x, like(x, y));
  }
  Value equal(Value x, Value y) const { return compare(arith::CmpFPredicate::OEQ, x, y); }
  Value equal(Value x, double y) const { return equal(x, like(x, y)); }
  /// Of -0, too.
  Value hasSign(Value f32Value) const {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, bits(i32(), f32Value),
                                 constant(i32(), 0));
  }
  Value isNan(Value x) const { return compare(arith::CmpFPredicate::UNO, x, x); }
  Value choose(Value condition, Value yes, Value no) const {
    return arith::SelectOp::create(b, loc, condition, yes, no);
  }
  Value both(Value x, Value y) const { return arith::AndIOp::create(b, loc, x, y); }
  Value either(Value x, Value y) const { return arith::OrIOp::create(b, loc, x, y); }
  Value inverted(Value x) const {
    return arith::XOrIOp::create(b, loc, x, constant(x.getType(), 1));
  }
  /// NaN stays NaN.
  Value clamp(Value x, double low, double high) const {
    x = choose(less(x, low), like(x, low), x);
    return choose(greater(x, high), like(x, high), x);
  }
  /// c[0] + c[1] x + c[2] x^2 + ..
  Value polynomial(Value x, ArrayRef<double> coefficients) const {
    Value result = like(x, coefficients.back());
    for (double c : llvm::reverse(coefficients.drop_back())) {
      result = add(mul(result, x), c);
    }
    return result;
  }
  Value toInt(Type type, Value x) const { return arith::FPToSIOp::create(b, loc, type, x); }
  Value addInt(Value x, Value y) const { return arith::AddIOp::create(b, loc, x, y); }
  Value subInt(Value x, Value y) const { return arith::SubIOp::create(b, loc, x, y); }
  Value addInt(Value x, int64_t y) const { return addInt(x, constant(x.getType(), y)); }
  Value shiftLeft(Value x, int64_t by) const {
    return arith::ShLIOp::create(b, loc, x, constant(x.getType(), by));
  }
  Value shiftRight(Value x, int64_t by) const {
    return arith::ShRSIOp::create(b, loc, x, constant(x.getType(), by));
  }
  Value andInt(Value x, int64_t y) const {
    return arith::AndIOp::create(b, loc, x, constant(x.getType(), y));
  }
  Value bits(Type type, Value x) const { return arith::BitcastOp::create(b, loc, type, x); }
};

} // namespace

//===- Exponentials --------------------------------------------------------------------------===//

/// ln(2)^k / k!, the Taylor coefficients of 2^x.
static SmallVector<double> exp2Coefficients(unsigned degree) {
  SmallVector<double> result = {1};
  for (unsigned k = 1; k <= degree; ++k) {
    result.push_back(result.back() * std::numbers::ln2 / k);
  }
  return result;
}

/// 2^x: 2^n scales 2^f with |f| <= 1/2, in two steps, so that denormals are reached.
static Value exp2(const Arithmetic &a, Value x) {
  Value inside = a.clamp(x, -151, 129);
  Value n = a.round(inside);
  Value power = a.polynomial(a.sub(inside, n), exp2Coefficients(7));
  Value exponent = a.toInt(a.i32(), n);
  Value half = a.shiftRight(exponent, 1);
  for (Value part : {half, a.subInt(exponent, half)}) {
    power = a.mul(power, a.bits(a.f32(), a.shiftLeft(a.addInt(part, 127), 23)));
  }
  return power;
}

/// exp(x) as 2^n * 2^f with x * log2(e) = n + f: 12 instructions. n is kept where 2^n is a normal
/// number, and f takes the rest: so the product overflows, or is denormal, where exp(x) does;
/// infinities and NaNs pass through f.
static Value exp(const Arithmetic &a, Value x) {
  // ln(2) in two parts: products of n with the first one are exact, for devices without a true fma.
  constexpr double ln2High = 0.693359375, ln2Low = -2.12194440e-4;
  // Adding this rounds to an integer, which then stands in the low bits.
  constexpr double rounding = 0x1.8p23;
  Value kept = a.clamp(a.mul(x, std::numbers::log2e), -126, 127);
  Value rounded = a.add(kept, rounding);
  Value n = a.add(rounded, -rounding);
  Value rest = a.fma(n, a.like(x, -ln2High), x);
  rest = a.fma(n, a.like(x, -ln2Low), rest);
  auto power = math::Exp2Op::create(a.b, a.loc, a.mul(rest, std::numbers::log2e));
  // Of an argument in [-1/2, 1/2] Vulkan bounds the error by 4 ulp.
  power->setAttr(nativeAttrName, a.b.getUnitAttr());
  // The bits of `rounded` above the integer are shifted out.
  Value scale = a.shiftLeft(a.addInt(a.bits(a.i32(), rounded), 127), 23);
  return a.mul(power, a.bits(a.f32(), scale));
}

/// Above, exp(x) may overflow where sinh and cosh do not.
static constexpr double largeHyperbolic = 80;

/// exp(x) / 2 without overflow before its own.
static Value halfExp(const Arithmetic &a, Value x) {
  Value root = a.exp(a.mul(x, 0.5));
  return a.mul(a.mul(root, 0.5), root);
}

static Value sinh(const Arithmetic &a, Value x) {
  Value size = a.abs(x);
  Value u = a.expm1(size);
  Value small = a.mul(a.add(u, a.div(u, a.add(u, 1))), 0.5);
  return a.withSign(a.choose(a.greater(size, largeHyperbolic), halfExp(a, size), small), x);
}

static Value cosh(const Arithmetic &a, Value x) {
  Value half = halfExp(a, a.abs(x));
  return a.add(half, a.div(a.like(x, 0.25), half));
}

/// Above, squares are not needed: asinh(x) is ln(2 x) to the last bit.
static constexpr double largeArea = 1e4;

static Value asinh(const Arithmetic &a, Value x) {
  Value size = a.abs(x);
  Value square = a.mul(size, size);
  Value root = a.sqrt(a.add(square, 1));
  Value small = a.log1p(a.add(size, a.div(square, a.add(root, 1))));
  Value large = a.add(a.log(size), std::numbers::ln2);
  return a.withSign(a.choose(a.greater(size, largeArea), large, small), x);
}

static Value acosh(const Arithmetic &a, Value x) {
  Value t = a.add(x, -1);
  Value small = a.log1p(a.add(t, a.sqrt(a.mul(t, a.add(t, 2)))));
  Value large = a.add(a.log(x), std::numbers::ln2);
  Value result = a.choose(a.greater(x, largeArea), large, small);
  return a.choose(a.less(x, 1), a.like(x, NAN), result);
}

static Value atanh(const Arithmetic &a, Value x) {
  Value size = a.abs(x);
  Value ratio = a.div(a.mul(size, 2), a.sub(a.like(x, 1), size));
  Value result = a.mul(a.log1p(ratio), 0.5);
  return a.withSign(a.choose(a.greater(size, 1), a.like(x, NAN), result), x);
}

//===- Circular functions --------------------------------------------------------------------===//

namespace {

/// x = quadrant * pi/2 + rest, |rest| <= pi/4; the quadrant modulo 4.
struct Reduced {
  Value rest, quadrant;
};

} // namespace

/// Cody and Waite's reduction: pi/2 in parts, products of k with all but the last are exact.
static Reduced reduce(const Arithmetic &a, Value x, bool hasDouble) {
  static constexpr double wideParts[] = {0x1.921fb544p+0, 0x1.0b4611a626331p-34};
  static constexpr double narrowParts[] = {1.5703125, 4.837512969970703125e-4,
                                           7.54978995489188216e-8};
  Value wide = hasDouble ? Value(arith::ExtFOp::create(a.b, a.loc, a.f64(), x)) : x;
  Value k = a.round(a.mul(wide, 2 / std::numbers::pi));
  Value rest = wide;
  for (double part : hasDouble ? ArrayRef<double>(wideParts) : ArrayRef<double>(narrowParts)) {
    rest = a.sub(rest, a.mul(k, part));
  }
  Value quarter = a.floor(a.mul(k, 0.25));
  Value quadrant = a.toInt(a.i32(), a.sub(k, a.mul(quarter, 4)));
  if (hasDouble) {
    rest = arith::TruncFOp::create(a.b, a.loc, a.f32(), rest);
  }
  // Of numbers beyond the range of the reduction at least the result stays in [-1, 1].
  return {a.clamp(rest, -0.8, 0.8), quadrant};
}

/// Polynomials of Cephes (sinf.c), for |x| <= pi/4.
static Value sinPolynomial(const Arithmetic &a, Value x) {
  Value z = a.mul(x, x);
  Value p = a.polynomial(z, {-1.6666654611e-1, 8.3321608736e-3, -1.9515295891e-4});
  return a.add(x, a.mul(a.mul(x, z), p));
}
static Value cosPolynomial(const Arithmetic &a, Value x) {
  Value z = a.mul(x, x);
  Value p = a.polynomial(z, {4.166664568298827e-2, -1.388731625493765e-3, 2.443315711809948e-5});
  return a.add(a.add(a.mul(a.mul(z, z), p), a.mul(z, -0.5)), 1);
}

static Value isBitSet(const Arithmetic &a, Value x, int64_t bit) {
  return arith::CmpIOp::create(a.b, a.loc, arith::CmpIPredicate::ne, a.andInt(x, bit),
                               a.constant(x.getType(), 0));
}

/// sin(x + turns * pi/2).
static Value sine(const Arithmetic &a, Value x, int64_t turns, bool hasDouble) {
  Reduced reduced = reduce(a, x, hasDouble);
  Value quadrant = a.addInt(reduced.quadrant, turns);
  Value result = a.choose(isBitSet(a, quadrant, 1), cosPolynomial(a, reduced.rest),
                          sinPolynomial(a, reduced.rest));
  result = a.choose(isBitSet(a, quadrant, 2), a.neg(result), result);
  return turns == 0 ? a.choose(a.equal(x, 0), x, result) : result; // keeps -0
}

static Value tangent(const Arithmetic &a, Value x, bool hasDouble) {
  Reduced reduced = reduce(a, x, hasDouble);
  Value sin = sinPolynomial(a, reduced.rest), cos = cosPolynomial(a, reduced.rest);
  Value isOdd = isBitSet(a, reduced.quadrant, 1);
  Value result = a.div(a.choose(isOdd, a.neg(cos), sin), a.choose(isOdd, sin, cos));
  return a.choose(a.equal(x, 0), x, result);
}

/// asin(x) for 0 <= x <= 1/2 (Cephes, asinf.c).
static Value asinPolynomial(const Arithmetic &a, Value x) {
  Value z = a.mul(x, x);
  Value p = a.polynomial(
      z, {1.6666752422e-1, 7.4953002686e-2, 4.5470025998e-2, 2.4181311049e-2, 4.2163199048e-2});
  return a.add(x, a.mul(a.mul(x, z), p));
}

/// asin of |x| above 1/2 is pi/2 - 2 asin(sqrt((1 - |x|) / 2)).
static Value asin(const Arithmetic &a, Value x) {
  Value size = a.abs(x);
  Value root = a.sqrt(a.mul(a.sub(a.like(x, 1), size), 0.5));
  Value outer = a.sub(a.like(x, std::numbers::pi / 2), a.mul(asinPolynomial(a, root), 2));
  Value result = a.choose(a.greater(size, 0.5), outer, asinPolynomial(a, size));
  return a.withSign(result, x);
}

static Value acos(const Arithmetic &a, Value x) {
  Value size = a.abs(x);
  Value root = a.sqrt(a.mul(a.sub(a.like(x, 1), size), 0.5));
  Value twice = a.mul(asinPolynomial(a, root), 2);
  Value outer = a.choose(a.less(x, 0), a.sub(a.like(x, std::numbers::pi), twice), twice);
  Value inner = a.sub(a.like(x, std::numbers::pi / 2), a.withSign(asinPolynomial(a, size), x));
  return a.choose(a.greater(size, 0.5), outer, inner);
}

/// atan by Abramowitz and Stegun 4.4.49 on [0, 1]; above, pi/2 - atan(1 / x).
static Value atan(const Arithmetic &a, Value x) {
  Value size = a.abs(x);
  Value isLarge = a.greater(size, 1);
  Value t = a.choose(isLarge, a.div(a.like(x, 1), size), size);
  Value z = a.mul(t, t);
  Value p = a.polynomial(z, {-0.3333314528, 0.1999355085, -0.1420889944, 0.1065626393,
                             -0.0752896400, 0.0429096138, -0.0161657367, 0.0028662257});
  Value small = a.add(t, a.mul(a.mul(t, z), p));
  Value large = a.sub(a.like(x, std::numbers::pi / 2), small);
  return a.withSign(a.choose(isLarge, large, small), x);
}

//===- Powers --------------------------------------------------------------------------------===//

/// log2 of a positive f64 that is not denormal: exponent + log2(m), 1/sqrt(2) <= m < sqrt(2), by
/// the series of artanh.
static Value log2Wide(const Arithmetic &a, Value x) {
  Value bits = a.bits(a.i64(), x);
  Value exponent = a.addInt(a.shiftRight(bits, 52), -1023);
  Value mantissa = a.andInt(bits, (int64_t(1) << 52) - 1);
  Value m = a.bits(a.f64(), a.addInt(mantissa, int64_t(1023) << 52));
  Value isHigh = a.greater(m, std::numbers::sqrt2);
  m = a.choose(isHigh, a.mul(m, 0.5), m);
  Value e = arith::SIToFPOp::create(a.b, a.loc, a.f64(), exponent);
  e = a.choose(isHigh, a.add(e, 1), e);
  Value s = a.div(a.add(m, -1), a.add(m, 1));
  SmallVector<double> series;
  for (int k = 1; k <= 17; k += 2) {
    series.push_back(2 / (std::numbers::ln2 * k));
  }
  return a.add(e, a.mul(s, a.polynomial(a.mul(s, s), series)));
}

/// x^y as 2^(y log2|x|) in f64, rounded once; signs and special values as in C's powf.
static Value pow(const Arithmetic &a, Value x, Value y) {
  auto widen = [&](Value v) -> Value {
    return arith::ExtFOp::create(a.b, a.loc, a.f64(), v);
  };
  Value size = a.abs(x);
  Value log = log2Wide(a, widen(size));
  log = a.choose(a.equal(size, 0), a.like(log, -INFINITY), log);
  log = a.choose(a.equal(size, INFINITY), a.like(log, INFINITY), log);
  Value power = a.clamp(a.mul(widen(y), log), -300, 300);
  Value n = a.round(power);
  Value result = a.polynomial(a.sub(power, n), exp2Coefficients(12));
  Value scale = a.shiftLeft(a.addInt(a.toInt(a.i64(), n), 1023), 52);
  result = a.mul(result, a.bits(a.f64(), scale));
  result = arith::TruncFOp::create(a.b, a.loc, a.f32(), result);

  Value isWhole = a.equal(y, a.floor(y));
  Value half = a.mul(y, 0.5);
  Value isOdd = a.both(isWhole, a.inverted(a.equal(half, a.floor(half))));
  Value isFinite = a.both(a.less(size, INFINITY), a.greater(size, 0));
  Value isBad = a.both(a.both(a.less(x, 0), isFinite), a.inverted(isWhole));
  result = a.choose(isBad, a.like(x, NAN), result);
  // Not by masks: llvmpipe (Mesa 22.3 with AVX-512) loses that of x under such a choice.
  result = a.choose(a.both(isOdd, a.hasSign(x)), a.neg(result), result);
  result = a.choose(a.either(a.isNan(x), a.isNan(y)), a.add(x, y), result);
  Value isInfinite = a.equal(a.abs(y), INFINITY);
  Value isOne =
      a.either(a.equal(x, 1), a.either(a.equal(y, 0), a.both(a.equal(size, 1), isInfinite)));
  return a.choose(isOne, a.like(x, 1), result);
}

//===- Patterns ------------------------------------------------------------------------------===//

namespace {

/// Replaces a function of one f32 argument by what `Emit` computes.
template <class Op, auto Emit> struct UnaryFunction : OpRewritePattern<Op> {
  // Before the polynomials of host code.
  explicit UnaryFunction(MLIRContext *context) : OpRewritePattern<Op>(context, /*benefit=*/4) {}
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32() || op->hasAttr(nativeAttrName)) {
      return failure();
    }
    rewriter.replaceOp(op, Emit({rewriter, op.getLoc(), op.getType()}, op.getOperand()));
    return success();
  }
};

/// sin, cos and tan.
struct CircularFunction : RewritePattern {
  CircularFunction(MLIRContext *context, bool hasDouble)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context), hasDouble(hasDouble) {}
  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!isa<math::SinOp, math::CosOp, math::TanOp>(op) ||
        !getElementTypeOrSelf(op->getResult(0).getType()).isF32()) {
      return failure();
    }
    Arithmetic a{rewriter, op->getLoc(), op->getResult(0).getType()};
    Value x = op->getOperand(0);
    rewriter.replaceOp(op, isa<math::TanOp>(op) ? tangent(a, x, hasDouble)
                                                : sine(a, x, isa<math::CosOp>(op), hasDouble));
    return success();
  }
  bool hasDouble;
};

struct Power : OpRewritePattern<math::PowFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::PowFOp op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32()) {
      return failure();
    }
    rewriter.replaceOp(op, pow({rewriter, op.getLoc(), op.getType()}, op.getLhs(), op.getRhs()));
    return success();
  }
};

} // namespace

void populateSpirvMathPatterns(RewritePatternSet &set, bool hasDouble) {
  MLIRContext *context = set.getContext();
  // f16 and bf16 through f32.
  populateMathF32ExpansionPatterns(set, [](StringRef name) {
    return llvm::StringSwitch<bool>(name)
        .Cases({"math.exp", "math.exp2", "math.sin", "math.cos", "math.tan", "math.asin",
                "math.acos", "math.atan"},
               true)
        .Cases({"math.sinh", "math.cosh", "math.asinh", "math.acosh", "math.atanh", "math.powf"},
               true)
        .Default(false);
  });
  set.add<UnaryFunction<math::ExpOp, exp>, UnaryFunction<math::Exp2Op, exp2>,
          UnaryFunction<math::SinhOp, sinh>, UnaryFunction<math::CoshOp, cosh>,
          UnaryFunction<math::AsinhOp, asinh>, UnaryFunction<math::AcoshOp, acosh>,
          UnaryFunction<math::AtanhOp, atanh>, UnaryFunction<math::AsinOp, asin>,
          UnaryFunction<math::AcosOp, acos>, UnaryFunction<math::AtanOp, atan>>(context);
  set.add<CircularFunction>(context, hasDouble);
  populateSpirvArithmeticPatterns(set);
  if (hasDouble) {
    set.add<Power>(context);
  }
}

bool hasExactSpirvForm(Operation *op) {
  return op->hasAttr(nativeAttrName) ||
         isa<math::AbsFOp, math::CeilOp, math::FloorOp, math::RoundOp, math::RoundEvenOp,
             math::FmaOp, math::SqrtOp, math::RsqrtOp, math::CopySignOp>(op);
}

} // namespace zyxc

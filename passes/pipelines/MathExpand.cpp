#include "passes/pipelines/MathExpand.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;

namespace zyxc {

/// Functions whose f32 polynomial is right for every special value and within 5 ulp. Not here:
/// erf (loses the sign of -0), sin and cos (no ulp bound), cbrt (wrong at infinity), atan (40 ulp).
static bool hasAccuratePolynomial(StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Case(math::ExpOp::getOperationName(), true)
      .Case(math::ExpM1Op::getOperationName(), true)
      .Case(math::LogOp::getOperationName(), true)
      .Case(math::Log2Op::getOperationName(), true)
      .Case(math::Log1pOp::getOperationName(), true)
      .Case(math::TanhOp::getOperationName(), true)
      .Case(math::ErfOp::getOperationName(), true)
      .Default(false);
}

namespace {

/// erf(x) as copysign(erf(x), x): the polynomial gives +0 for -0, so the sign is put back.
struct SignedErf : OpRewritePattern<math::ErfOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ErfOp op, PatternRewriter &rewriter) const override {
    constexpr StringLiteral done = "zyxc.signed";
    if (op->hasAttr(done) || !getElementTypeOrSelf(op.getType()).isF32()) {
      return failure();
    }
    auto erf = math::ErfOp::create(rewriter, op.getLoc(), op.getOperand());
    erf->setAttr(done, rewriter.getUnitAttr());
    rewriter.replaceOpWithNewOp<math::CopySignOp>(op, erf, op.getOperand());
    return success();
  }
};

/// Arithmetic on f32 values of one type, scalars or vectors.
class FloatMath {
public:
  FloatMath(PatternRewriter &rewriter, Location loc, Type type)
      : rewriter(rewriter), loc(loc), type(type) {}

  Value constant(float value) const { return splat(rewriter.getF32FloatAttr(value)); }
  Value integer(int32_t value) const { return splat(rewriter.getI32IntegerAttr(value)); }
  Value fma(Value x, Value y, Value z) const { return math::FmaOp::create(rewriter, loc, x, y, z); }
  Value mul(Value x, Value y) const { return arith::MulFOp::create(rewriter, loc, x, y); }
  Value add(Value x, Value y) const { return arith::AddFOp::create(rewriter, loc, x, y); }
  Value sub(Value x, Value y) const { return arith::SubFOp::create(rewriter, loc, x, y); }
  /// The limit where x is beyond it, else x: a NaN stays.
  Value atLeast(Value x, float limit) const { return limited(arith::CmpFPredicate::OLT, x, limit); }
  Value atMost(Value x, float limit) const { return limited(arith::CmpFPredicate::OGT, x, limit); }
  /// c[0] + c[1] x + c[2] x^2 + ...
  Value polynomial(Value x, ArrayRef<float> coefficients) const {
    Value sum = constant(coefficients.back());
    for (float coefficient : llvm::reverse(coefficients.drop_back())) {
      sum = fma(sum, x, constant(coefficient));
    }
    return sum;
  }
  Type integerType() const {
    auto vector = dyn_cast<VectorType>(type);
    Type i32 = rewriter.getI32Type();
    return vector ? Type(vector.clone(i32)) : i32;
  }

private:
  Value splat(TypedAttr attr) const {
    if (auto vector = dyn_cast<VectorType>(type)) {
      attr = DenseElementsAttr::get(vector.clone(attr.getType()), attr);
    }
    return arith::ConstantOp::create(rewriter, loc, attr);
  }
  Value limited(arith::CmpFPredicate beyond, Value x, float limit) const {
    Value bound = constant(limit);
    Value isBeyond = arith::CmpFOp::create(rewriter, loc, beyond, x, bound);
    return arith::SelectOp::create(rewriter, loc, isBeyond, bound, x);
  }

  PatternRewriter &rewriter;
  Location loc;
  Type type;
};

/// Multiplication by powers of two, which are x rounded to an integer.
class PowerScale {
public:
  PowerScale(PatternRewriter &rewriter, Location loc, const FloatMath &math, bool scalef)
      : rewriter(rewriter), loc(loc), math(math), scalef(scalef) {}

  /// Adding it leaves the integer in the low bits.
  Value magic() const { return math.constant(roundToInteger); }
  /// x * 2^n, where `rounded` is n + magic(): beyond 2^127 and denormal, too.
  Value scale(Value x, Value n, Value rounded) const {
    auto vector = dyn_cast<VectorType>(x.getType());
    bool byInstruction = scalef && vector && vector.getShape() == ArrayRef<int64_t>{16};
    return byInstruction ? scaleByInstruction(x, n) : scaleTwice(x, rounded);
  }

private:
  static constexpr float roundToInteger = 0x1.8p23F;
  static constexpr int32_t roundBits = 0x4b400000;

  /// By AVX-512.
  Value scaleByInstruction(Value x, Value n) const {
    auto constant = [&](IntegerAttr value) -> Value {
      return arith::ConstantOp::create(rewriter, loc, value);
    };
    constexpr int currentRounding = 4;
    Value operands[] = {x, n, x, constant(rewriter.getI16IntegerAttr(-1)),
                        constant(rewriter.getI32IntegerAttr(currentRounding))};
    auto name = rewriter.getStringAttr("llvm.x86.avx512.mask.scalef.ps.512");
    return LLVM::CallIntrinsicOp::create(rewriter, loc, x.getType(), name, ValueRange(operands))
        .getResult(0);
  }

  /// By two powers of two.
  Value scaleTwice(Value x, Value rounded) const {
    Type bits = math.integerType();
    Value power =
        arith::SubIOp::create(rewriter, loc, arith::BitcastOp::create(rewriter, loc, bits, rounded),
                              math.integer(roundBits));
    Value half = arith::ShRSIOp::create(rewriter, loc, power, math.integer(1));
    Value rest = arith::SubIOp::create(rewriter, loc, power, half);
    auto powerOfTwo = [&](Value exponent) -> Value {
      Value shifted = arith::ShLIOp::create(rewriter, loc, exponent, math.integer(23));
      Value biased = arith::AddIOp::create(rewriter, loc, shifted, math.integer(127 << 23));
      return arith::BitcastOp::create(rewriter, loc, x.getType(), biased);
    };
    return math.mul(math.mul(x, powerOfTwo(half)), powerOfTwo(rest));
  }

  PatternRewriter &rewriter;
  Location loc;
  const FloatMath &math;
  bool scalef;
};

/// exp(x) in f32 = 2^n * exp(r), n = round(x / ln 2), |r| <= ln 2 / 2: the polynomial of Cephes
/// (Moshier), and two powers of two, so that results beyond 2^127 and denormal ones come out as
/// they should. The limits give infinity and 0; a NaN passes through all of it.
struct FastExp : OpRewritePattern<math::ExpOp> {
  FastExp(MLIRContext *context, bool scalef)
      : OpRewritePattern(context, /*benefit=*/2), scalef(scalef) {}

  LogicalResult matchAndRewrite(math::ExpOp op, PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!getElementTypeOrSelf(type).isF32()) {
      return failure();
    }
    constexpr float log2e = 1.44269504088896341F;
    constexpr float ln2High = 0.693359375F;
    constexpr float ln2Low = -2.12194440e-4F;
    constexpr float terms[] = {1.0F,
                               1.0F,
                               5.0000001201e-1F,
                               1.6666665459e-1F,
                               4.1665795894e-2F,
                               8.3334519073e-3F,
                               1.3981999507e-3F,
                               1.9875691500e-4F};
    Location loc = op.getLoc();
    FloatMath math(rewriter, loc, type);
    Value x = math.atMost(math.atLeast(op.getOperand(), -104), 89);
    PowerScale power(rewriter, loc, math, scalef);
    Value rounded = math.fma(x, math.constant(log2e), power.magic());
    Value n = math.sub(rounded, power.magic());
    Value r = math.fma(n, math.constant(-ln2High), x);
    r = math.fma(n, math.constant(-ln2Low), r);
    Value exp = math.polynomial(r, terms);
    rewriter.replaceOp(op, power.scale(exp, n, rounded));
    return success();
  }

private:
  bool scalef;
};

/// 2^x in f32 = 2^n * 2^r, n = round(x), |r| <= 1/2, likewise.
struct FastExp2 : OpRewritePattern<math::Exp2Op> {
  FastExp2(MLIRContext *context, bool scalef)
      : OpRewritePattern(context, /*benefit=*/2), scalef(scalef) {}

  LogicalResult matchAndRewrite(math::Exp2Op op, PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!getElementTypeOrSelf(type).isF32()) {
      return failure();
    }
    constexpr float terms[] = {1.0F,
                               6.931472028550421e-1F,
                               2.402264791363012e-1F,
                               5.550332471162809e-2F,
                               9.618437357674640e-3F,
                               1.339887440266574e-3F,
                               1.535336188319500e-4F};
    Location loc = op.getLoc();
    FloatMath math(rewriter, loc, type);
    PowerScale power(rewriter, loc, math, scalef);
    Value x = math.atMost(math.atLeast(op.getOperand(), -151), 129);
    Value rounded = math.add(x, power.magic());
    Value n = math.sub(rounded, power.magic());
    Value exp = math.polynomial(math.sub(x, n), terms);
    rewriter.replaceOp(op, power.scale(exp, n, rounded));
    return success();
  }

private:
  bool scalef;
};

/// The f32 polynomials of log and log2 take denormals for the smallest normal number: those are
/// scaled by 2^23 first, and `perScale`, the logarithm of that factor, is taken off again.
template <class Log> struct ScaledLog : OpRewritePattern<Log> {
  ScaledLog(MLIRContext *context, double perScale)
      : OpRewritePattern<Log>(context, /*benefit=*/2), perScale(perScale) {}

  LogicalResult matchAndRewrite(Log op, PatternRewriter &rewriter) const override {
    constexpr StringLiteral done = "zyxc.scaled";
    if (op->hasAttr(done) || !getElementTypeOrSelf(op.getType()).isF32()) {
      return failure();
    }
    Location loc = op.getLoc();
    Value x = op.getOperand();
    auto constant = [&](double value) -> Value {
      TypedAttr attr = rewriter.getF32FloatAttr(static_cast<float>(value));
      if (auto vector = dyn_cast<VectorType>(x.getType())) {
        attr = DenseElementsAttr::get(vector, attr);
      }
      return arith::ConstantOp::create(rewriter, loc, attr);
    };
    Value isTiny =
        arith::CmpFOp::create(rewriter, loc, arith::CmpFPredicate::OLT, x, constant(0x1p-126));
    Value scaled = arith::MulFOp::create(rewriter, loc, x, constant(0x1p23));
    Value normal = arith::SelectOp::create(rewriter, loc, isTiny, scaled, x);
    auto log = Log::create(rewriter, loc, normal);
    log->setAttr(done, rewriter.getUnitAttr());
    Value excess = arith::SelectOp::create(rewriter, loc, isTiny, constant(perScale), constant(0));
    rewriter.replaceOpWithNewOp<arith::SubFOp>(op, log, excess);
    return success();
  }

  double perScale;
};

/// expm1 in f64, which would become exp(x) - 1: with u = exp(x), (u - 1) * x / log(u) is accurate
/// for small x as well (Kahan; Higham, Accuracy and Stability of Numerical Algorithms, 1.14.1).
struct AccurateExpm1 : OpRewritePattern<math::ExpM1Op> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ExpM1Op op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF64()) {
      return failure();
    }
    Location loc = op.getLoc();
    Value x = op.getOperand();
    auto constant = [&](double value) -> Value {
      TypedAttr attr = rewriter.getF64FloatAttr(value);
      if (auto vector = dyn_cast<VectorType>(x.getType())) {
        attr = DenseElementsAttr::get(vector, attr);
      }
      return arith::ConstantOp::create(rewriter, loc, attr);
    };
    auto equal = [&](Value a, Value b) -> Value {
      return arith::CmpFOp::create(rewriter, loc, arith::CmpFPredicate::OEQ, a, b);
    };
    Value u = math::ExpOp::create(rewriter, loc, x);
    Value minusOne = arith::SubFOp::create(rewriter, loc, u, constant(1));
    Value ratio = arith::DivFOp::create(rewriter, loc, x, math::LogOp::create(rewriter, loc, u));
    Value result = arith::MulFOp::create(rewriter, loc, minusOne, ratio);
    // Where log(u) is 0 or infinite, the plain difference (or x itself) is right.
    Value isExtreme = arith::OrIOp::create(rewriter, loc, equal(minusOne, constant(-1)),
                                           equal(u, constant(INFINITY)));
    result = arith::SelectOp::create(rewriter, loc, isExtreme, minusOne, result);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, equal(u, constant(1)), x, result);
    return success();
  }
};

} // namespace

void populateMathExpandPatterns(RewritePatternSet &set, bool scalef) {
  populateMathF32ExpansionPatterns(set, hasAccuratePolynomial);
  populateMathPolynomialApproximationPatterns(set, hasAccuratePolynomial);
  set.add<SignedErf>(set.getContext(), /*benefit=*/2);
  set.add<AccurateExpm1>(set.getContext());
  set.add<FastExp>(set.getContext(), scalef);
  set.add<ScaledLog<math::LogOp>>(set.getContext(), 23 * llvm::numbers::ln2);
  set.add<ScaledLog<math::Log2Op>>(set.getContext(), 23.0);
}

void populateExp2Pattern(RewritePatternSet &set, bool scalef) {
  set.add<FastExp2>(set.getContext(), scalef);
}

} // namespace zyxc

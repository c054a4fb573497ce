#include "passes/pipelines/math/FloatMath.h"
#include "passes/pipelines/math/MathFamilies.h"
#include <cmath>

using namespace mlir;

namespace zyxc {

/// 1 / sqrt(2): arguments are reduced to [it, 2 * it).
static constexpr int32_t lowestBits = 0x3f3504f3;
static constexpr int32_t exponentMask = static_cast<int32_t>(0xff800000);
static constexpr float ln2 = 0x1.62e430p-1F;

namespace {

/// ln(1 + r) as r + tail, for 1 + r from 1 / sqrt(2) to sqrt(2).
struct LogParts {
  LogParts(const FloatMath &math, Value r) {
    constexpr float terms[] = {-0.5F,           0x1.555554p-2F,  -0x1.000228p-2F,
                               0x1.99a034p-3F,  -0x1.54722ep-3F, 0x1.22d664p-3F,
                               -0x1.0d8238p-3F, 0x1.0572bap-3F,  -0x1.38fd84p-4F}; // log1p
    square = math.mul(r, r);
    factor = math.polynomial(r, terms);
  }
  Value square, factor; ///< the tail is their product
};

/// What makes x = 2^e * m with m in the reduced range: e as the bits of its exponent.
Value exponentBits(const FloatMath &math, Value x) {
  return math.andBits(math.subBits(math.bits(x), math.integer(lowestBits)), exponentMask);
}

/// e * ln 2 + ln(1 + r).
Value naturalLog(const FloatMath &math, Value r, Value e) {
  LogParts parts(math, r);
  return math.fma(e, ln2, math.fma(parts.square, parts.factor, r));
}

/// The logarithm is `log` where the argument, less than infinity, is above the pole, -inf at the
/// pole, NaN below it or for NaN, and infinite for infinity.
Value withSpecialValues(const FloatMath &math, Value log, Value x, float pole) {
  Value finite = math.select(math.equal(x, INFINITY), x, log);
  Value atPole = math.select(math.equal(x, pole), math.constant(-INFINITY), math.constant(NAN));
  return math.select(math.greater(x, pole), finite, atPole);
}

/// log and log2. Denormals are scaled by 2^23 first.
template <class Log> struct Logarithm : OpRewritePattern<Log> {
  using OpRewritePattern<Log>::OpRewritePattern;

  LogicalResult matchAndRewrite(Log op, PatternRewriter &rewriter) const override {
    if (!isF32(op.getType())) {
      return failure();
    }
    FloatMath math(rewriter, op.getLoc(), op.getType());
    Value x = op.getOperand();
    Value isTiny = math.less(x, 0x1p-126F);
    Value normal = math.select(isTiny, math.mul(x, 0x1p23F), x);
    Value scale = exponentBits(math, normal);
    Value e = math.sub(math.toFloat(math.shiftRight(scale, 23)),
                       math.select(isTiny, math.constant(23), math.constant(0)));
    Value r = math.add(math.fromBits(math.subBits(math.bits(normal), scale)), -1);
    Value log = std::is_same_v<Log, math::LogOp> ? naturalLog(math, r, e) : log2(math, r, e);
    rewriter.replaceOp(op, withSpecialValues(math, log, x, 0));
    return success();
  }

  /// e + log2(1 + r): log2 e in two parts.
  static Value log2(const FloatMath &math, Value r, Value e) {
    constexpr float log2eRest = 0x1.4ae0c0p-26F;
    LogParts parts(math, r);
    Value tail = math.mul(math.mul(parts.square, parts.factor), log2e);
    return math.add(e, math.fma(r, log2e, math.fma(r, log2eRest, tail)));
  }
};

/// log(1 + x), where rounding 1 + x would lose digits of x: with 1 + x ~ 2^e * m, what is reduced
/// is x itself: r = x * 2^-e + (2^-e - 1), both exact, so r has one rounding.
struct Log1p : OpRewritePattern<math::Log1pOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::Log1pOp op, PatternRewriter &rewriter) const override {
    if (!isF32(op.getType())) {
      return failure();
    }
    FloatMath math(rewriter, op.getLoc(), op.getType());
    Value x = op.getOperand();
    Value scale = exponentBits(math, math.add(x, 1));
    Value e = math.toFloat(math.shiftRight(scale, 23));
    // 4 * 2^-e is a normal number for every e.
    constexpr int32_t bitsOf4 = 0x40800000;
    Value power = math.fromBits(math.subBits(math.integer(bitsOf4), scale));
    Value scaled = math.fromBits(math.subBits(math.bits(x), scale));
    Value r = math.add(scaled, math.fma(power, 0.25F, -1));
    Value log = math.withSignOf(naturalLog(math, r, e), x);
    rewriter.replaceOp(op, withSpecialValues(math, log, x, -1));
    return success();
  }
};

} // namespace

void populateLogarithmPatterns(RewritePatternSet &set) {
  set.add<Logarithm<math::LogOp>, Logarithm<math::Log2Op>, Log1p>(set.getContext());
}

} // namespace zyxc

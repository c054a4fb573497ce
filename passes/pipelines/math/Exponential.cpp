#include "passes/pipelines/math/FloatMath.h"
#include "passes/pipelines/math/MathExpand.h"
#include "passes/pipelines/math/MathFamilies.h"
#include "passes/pipelines/math/PowerOfTwo.h"
#include "passes/pipelines/math/Scaler.h"

using namespace mlir;

namespace zyxc {

/// x - n * ln 2 (times a power of two), in two steps: Cody and Waite's reduction (Software Manual
/// for the Elementary Functions, 1980).
static Value minusMultipleOfLn2(const FloatMath &math, Value x, Value n, float times) {
  Value r = math.fma(n, -times * ln2High, x);
  return math.fma(n, -times * ln2Low, r);
}

/// (e^r - 1 - r) / r^2 for |r| <= ln 2 / 2 (expm1).
static constexpr float expm1Terms[] = {0x1.000000p-1F, 0x1.555554p-3F,  0x1.5554eap-5F,
                                       0x1.1113acp-7F, 0x1.6d4c14p-10F, 0x1.9c608cp-13F};

namespace {

/// A function of f32, of which 16 elements may use AVX-512.
template <class Op> struct Exponential : OpRewritePattern<Op> {
  Exponential(MLIRContext *context, bool avx512)
      : OpRewritePattern<Op>(context, /*benefit=*/2), avx512(avx512) {}

  bool uses512(Type type) const { return avx512 && Avx512::fits(type); }

  bool avx512;
};

/// e^x = 2^n * e^r. Of n, half goes into each of two factors, so that results beyond 2^127 and
/// denormal ones come out as they should, with n an even number and |r| <= ln 2: that takes one
/// term more, but four operations less than an odd n. The upper limit gives infinity. At the lower
/// one, half of n is -127, of which RoundedInteger makes the factor 0: a result that is rounded to
/// 0 would take some processors a hundred cycles. A NaN passes through all of it.
struct Exp : Exponential<math::ExpOp> {
  using Exponential::Exponential;

  LogicalResult matchAndRewrite(math::ExpOp op, PatternRewriter &rewriter) const override {
    if (!isF32(op.getType())) {
      return failure();
    }
    constexpr float terms[] = {1.0F,           1.0F,           0x1.000012p-1F,  0x1.555542p-3F,
                               0x1.5546aep-5F, 0x1.110f68p-7F, 0x1.727658p-10F, 0x1.a5a608p-13F};
    constexpr float terms512[] = {1.0F,           1.0F,           0x1.fffffcp-2F, 0x1.55548cp-3F,
                                  0x1.5558a6p-5F, 0x1.123ceep-7F, 0x1.6a354ap-10F};
    FloatMath math(rewriter, op.getLoc(), op.getType());
    bool is512 = uses512(op.getType());
    Value x = math.atMost(is512 ? op.getOperand() : math.atLeast(op.getOperand(), -176.1F), 89);
    float times = is512 ? 1 : 2;
    RoundedInteger n(math, x, log2e / times);
    Value r = minusMultipleOfLn2(math, x, n.value(), times);
    if (is512) {
      Value power = math.polynomial(r, terms512); // exp-512
      rewriter.replaceOp(op, Avx512(rewriter, op.getLoc()).scale(power, n.value(), -150));
      return success();
    }
    Value power = math.polynomial(r, terms); // exp
    Value scale = n.power();
    rewriter.replaceOp(op, math.mul(math.mul(power, scale), scale));
    return success();
  }
};

/// 2^x = 2^n * 2^r likewise, with |r| <= 1; with AVX-512, n = floor(x) and 0 <= r < 1, and nothing
/// else: its instructions take infinities.
struct Exp2 : Exponential<math::Exp2Op> {
  using Exponential::Exponential;

  LogicalResult matchAndRewrite(math::Exp2Op op, PatternRewriter &rewriter) const override {
    if (!isF32(op.getType())) {
      return failure();
    }
    constexpr float terms[] = {1.0F,           0x1.62e432p-1F,  0x1.ebfbe0p-3F,  0x1.c6af74p-5F,
                               0x1.3b2466p-7F, 0x1.5dcf04p-10F, 0x1.4757c0p-13F, 0x1.eeb0fep-17F};
    constexpr float terms512[] = {1.0F,           0x1.62e42ap-1F,  0x1.ebfef6p-3F, 0x1.c65c9ep-5F,
                                  0x1.3ec1aap-7F, 0x1.38a4e6p-10F, 0x1.ef615ep-13F};
    FloatMath math(rewriter, op.getLoc(), op.getType());
    Value x = op.getOperand();
    if (uses512(op.getType())) {
      Avx512 avx512(rewriter, op.getLoc());
      Value power = math.polynomial(avx512.fraction(x), terms512); // exp2-512
      rewriter.replaceOp(op, avx512.scale(power, x, isAddedToOne(op) ? -126 : -150));
      return success();
    }
    x = math.atMost(math.atLeast(x, -254.1F), 129);
    RoundedInteger half(math, x, 0.5F);
    Value power = math.polynomial(math.fma(half.value(), -2, x), terms); // exp2
    Value scale = half.power();
    rewriter.replaceOp(op, math.mul(math.mul(power, scale), scale));
    return success();
  }
};

/// 2^x that is added to 1 or more, so that it may be 2^-125 where it is less.
struct AddedExp2 : OpRewritePattern<math::Exp2Op> {
  explicit AddedExp2(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/3) {}

  LogicalResult matchAndRewrite(math::Exp2Op op, PatternRewriter &rewriter) const override {
    if (!isF32(op.getType()) || !TablePower::fits(op.getType()) || !isAddedToOne(op)) {
      return failure();
    }
    FloatMath math(rewriter, op.getLoc(), op.getType());
    Value x = math.atMost(math.atLeast(op.getOperand(), -125), 128);
    TablePower power(rewriter, op.getLoc(), x);
    rewriter.replaceOp(op, math.mul(power.p, power.q));
    return success();
  }
};

/// e^x - 1 = 2^n * (e^r - 1) + (2^n - 1), computed at half its size, because 2^128 is infinite
/// where results are not. Below -18 the result is -1.
struct Expm1 : OpRewritePattern<math::ExpM1Op> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ExpM1Op op, PatternRewriter &rewriter) const override {
    if (!isF32(op.getType())) {
      return failure();
    }
    FloatMath math(rewriter, op.getLoc(), op.getType());
    Value x = math.atMost(math.atLeast(op.getOperand(), -18), 89);
    RoundedInteger n(math, x, log2e);
    Value r = minusMultipleOfLn2(math, x, n.value(), 1);
    Value q = math.fma(math.mul(r, r), math.polynomial(r, expm1Terms), r);
    Value halfPower = n.power(/*halved=*/true);
    Value half = math.fma(q, halfPower, math.add(halfPower, -0.5F));
    // 0 has lost its sign.
    rewriter.replaceOp(op, math.withSignOf(math.add(half, half), op.getOperand()));
    return success();
  }
};

/// tanh(x) = (1 - p) / (1 + p) with p = e^(-2 |x|) = 2^n * (1 + e^r - 1): numerator and denominator
/// are computed apart, each with one rounding of its own, and the exponent is negative because a
/// denominator just below 2 is rounded twice as finely as one just above. All is done at half its
/// size, which saves doubling x. From 9.125 on, the result is 1.
struct Tanh : OpRewritePattern<math::TanhOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::TanhOp op, PatternRewriter &rewriter) const override {
    if (!isF32(op.getType())) {
      return failure();
    }
    constexpr float halfLn2 = 0x1.62e430p-2F;
    FloatMath math(rewriter, op.getLoc(), op.getType());
    Value size = math.atMost(math.abs(op.getOperand()), 9.125F);
    RoundedInteger n(math, size, -2 * log2e);
    Value halfR = math.fma(n.value(), -halfLn2, math.neg(size));
    SmallVector<float> terms;
    for (auto [k, term] : llvm::enumerate(expm1Terms)) {
      terms.push_back(term * static_cast<float>(2 << k)); // of r / 2
    }
    Value q = math.fma(math.mul(halfR, halfR), math.polynomial(halfR, terms), halfR);
    Value power = n.power();
    Value numerator = math.fma(math.neg(q), power, math.fma(power, -0.5F, 0.5F));
    Value denominator = math.fma(q, power, math.fma(power, 0.5F, 0.5F));
    rewriter.replaceOp(op, math.withSignOf(math.div(numerator, denominator), op.getOperand()));
    return success();
  }
};

} // namespace

void populateExponentialPatterns(RewritePatternSet &set, unsigned vectorBits) {
  set.add<Exp>(set.getContext(), /*avx512=*/vectorBits >= 512);
  set.add<Expm1, Tanh>(set.getContext());
}

void populateExp2Patterns(RewritePatternSet &set, unsigned vectorBits) {
  set.add<Exp2>(set.getContext(), /*avx512=*/vectorBits >= 512);
  if (vectorBits >= 256) {
    set.add<AddedExp2>(set.getContext());
  }
}

} // namespace zyxc

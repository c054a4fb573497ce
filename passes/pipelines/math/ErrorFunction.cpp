#include "passes/pipelines/math/FloatMath.h"
#include "passes/pipelines/math/MathFamilies.h"

using namespace mlir;

namespace zyxc {

namespace {

/// erf(x): up to 1 it is x + x * P(x^2); above, 1 - Q(|x|)^4, where Q approximates the fourth root
/// of 1 - erf. A power of a polynomial instead of an exponential is Hastings' idea (Approximations
/// for Digital Computers, 1955; Abramowitz and Stegun 7.1.28 has the reciprocal of a 16th power).
/// From 4 on, Q^4 is below half of the last place of 1, so that the result is 1: GELU multiplies
/// 1 - erf with numbers of any size.
struct Erf : OpRewritePattern<math::ErfOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ErfOp op, PatternRewriter &rewriter) const override {
    if (!isF32(op.getType())) {
      return failure();
    }
    constexpr float small[] = {0x1.06eba2p-3F,  -0x1.812670p-2F, 0x1.ce0872p-4F,
                               -0x1.b59828p-6F, 0x1.420cf6p-8F,  -0x1.2678f8p-11F}; // erf-small
    constexpr float root[] = {0x1.010e82p+0F,  -0x1.368a92p-2F, -0x1.29fed2p-4F,
                              -0x1.577c8ap-5F, 0x1.f8120ep-5F,  -0x1.5453f0p-6F,
                              0x1.87ce18p-9F,  -0x1.540618p-13F}; // erfc-root
    FloatMath math(rewriter, op.getLoc(), op.getType());
    Value x = op.getOperand();
    Value size = math.atMost(math.abs(x), 4);
    Value near = math.fma(math.polynomial(math.mul(size, size), small), size, size);
    Value q = math.polynomial(size, root);
    Value square = math.mul(q, q);
    Value far = math.fma(math.neg(square), square, math.constant(1));
    Value erf = math.select(math.greater(size, 1), far, near);
    rewriter.replaceOp(op, math.withSignOf(erf, x));
    return success();
  }
};

} // namespace

void populateErrorFunctionPatterns(RewritePatternSet &set) {
  set.add<Erf>(set.getContext());
}

} // namespace zyxc

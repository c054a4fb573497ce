#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "passes/pipelines/math/MathFamilies.h"
#include <cmath>

using namespace mlir;

namespace zyxc {

namespace {

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

void populateExpm1DoublePatterns(RewritePatternSet &set) {
  set.add<AccurateExpm1>(set.getContext());
}

} // namespace zyxc

#include "passes/pipelines/math/FormFma.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace zyxc {

/// The product that `value` is, if nothing else uses it and its type has the instruction.
static arith::MulFOp productOf(Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  if (!value.hasOneUse() || !(element.isF32() || element.isF64())) {
    return {};
  }
  return value.getDefiningOp<arith::MulFOp>();
}

namespace {

struct FmaFromSum : OpRewritePattern<arith::AddFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::AddFOp op, PatternRewriter &rewriter) const override {
    Value other = op.getRhs();
    arith::MulFOp product = productOf(op.getLhs());
    if (!product) {
      product = productOf(op.getRhs());
      other = op.getLhs();
    }
    if (!product) {
      return failure();
    }
    rewriter.replaceOpWithNewOp<math::FmaOp>(op, product.getLhs(), product.getRhs(), other);
    rewriter.eraseOp(product);
    return success();
  }
};

struct FmaFromDifference : OpRewritePattern<arith::SubFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::SubFOp op, PatternRewriter &rewriter) const override {
    if (arith::MulFOp product = productOf(op.getLhs())) {
      Value minus = arith::NegFOp::create(rewriter, op.getLoc(), op.getRhs());
      rewriter.replaceOpWithNewOp<math::FmaOp>(op, product.getLhs(), product.getRhs(), minus);
      rewriter.eraseOp(product);
      return success();
    }
    if (arith::MulFOp product = productOf(op.getRhs())) {
      Value minus = arith::NegFOp::create(rewriter, op.getLoc(), product.getLhs());
      rewriter.replaceOpWithNewOp<math::FmaOp>(op, minus, product.getRhs(), op.getLhs());
      rewriter.eraseOp(product);
      return success();
    }
    return failure();
  }
};

} // namespace

void populateFormFmaPatterns(RewritePatternSet &set) {
  set.add<FmaFromSum, FmaFromDifference>(set.getContext());
}

} // namespace zyxc

// Arithmetic that MLIR has no SPIR-V form of, or one that drivers get wrong. Division of integers
// is in SpirvDivision.cpp.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "passes/pipelines/GpuToNvvmApprox.h"
#include "passes/pipelines/spirv/SpirvDivision.h"
#include "passes/pipelines/spirv/SpirvMath.h"

using namespace mlir;

namespace zyxc {

namespace {

/// x / y in f32, rounded as the host does. Vulkan allows 2.5 units in the last place, and a graph
/// that quantizes rounds its quotients to integers, where one unit is a whole number. What is left
/// of x is exact by a fused multiply-add, and corrects the quotient. Not for the quotients of
/// functions.
struct RoundedQuotient : OpRewritePattern<arith::DivFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::DivFOp op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32() || op->hasAttr(nativeAttrName) ||
        isAtLeastOne(op.getRhs())) {
      return failure();
    }
    Location loc = op.getLoc();
    Value x = op.getLhs();
    Value y = op.getRhs();
    auto quotientOf = [&](Value a, Value b) -> Value {
      auto quotient = arith::DivFOp::create(rewriter, loc, a, b);
      quotient->setAttr(nativeAttrName, rewriter.getUnitAttr());
      return quotient;
    };
    Value q = quotientOf(x, y);
    Value minusQ = arith::NegFOp::create(rewriter, loc, q);
    Value rest = math::FmaOp::create(rewriter, loc, minusQ, y, x);
    Value better = arith::AddFOp::create(rewriter, loc, q, quotientOf(rest, y));
    // Neither for zeros, infinities and NaN nor where the quotient is too small to be told from 0.
    Value isLess = arith::CmpFOp::create(rewriter, loc, arith::CmpFPredicate::OLT,
                                         math::AbsFOp::create(rewriter, loc, rest),
                                         math::AbsFOp::create(rewriter, loc, x));
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isLess, better, q);
    return success();
  }
};

/// MLIR has no SPIR-V form of trunc.
struct Truncation : OpRewritePattern<math::TruncOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::TruncOp op, PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value x = op.getOperand();
    Value zero = arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(x.getType()));
    Value isLess = arith::CmpFOp::create(rewriter, loc, arith::CmpFPredicate::OLT, x, zero);
    Value up = math::CeilOp::create(rewriter, loc, x);
    Value down = math::FloorOp::create(rewriter, loc, x);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isLess, up, down);
    return success();
  }
};

/// Nor of a signed conversion of i1, whose true is -1.
struct SignedBool : OpRewritePattern<arith::SIToFPOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::SIToFPOp op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getIn().getType()).isInteger(1)) {
      return failure();
    }
    Value positive = arith::UIToFPOp::create(rewriter, op.getLoc(), op.getType(), op.getIn());
    rewriter.replaceOpWithNewOp<arith::NegFOp>(op, positive);
    return success();
  }
};

} // namespace

void populateSpirvArithmeticPatterns(RewritePatternSet &set) {
  set.add<RoundedQuotient, Truncation, SignedBool>(set.getContext());
  populateSpirvDivisionPatterns(set);
}

} // namespace zyxc

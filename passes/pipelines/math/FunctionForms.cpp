#include "passes/pipelines/math/FunctionForms.h"
#include "passes/pipelines/math/FloatMath.h"
#include "passes/pipelines/math/Scaler.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;

namespace zyxc {

/// Of x * y, the factor that is a constant and the other one; null without a constant.
static std::pair<std::optional<double>, Value> splitConstant(arith::MulFOp product) {
  for (unsigned i : {0, 1}) {
    if (std::optional<APFloat> constant = floatConstantOf(product->getOperand(i))) {
      return {constant->convertToDouble(), product->getOperand(1 - i)};
    }
  }
  return {};
}

/// The op that defines the value and that nothing else uses.
template <class Op> static Op onlyUseOf(Value value) {
  return value.hasOneUse() ? value.getDefiningOp<Op>() : Op();
}

/// Factors that move from one constant to another leave it far from the ends of the range.
static bool isModerate(double factor) {
  return std::abs(factor) >= 0x1p-20 && std::abs(factor) <= 0x1p20;
}

namespace {

struct OnePlusTanh : OpRewritePattern<arith::AddFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::AddFOp op, PatternRewriter &rewriter) const override {
    for (unsigned i : {0, 1}) {
      auto tanh = onlyUseOf<math::TanhOp>(op->getOperand(i));
      std::optional<APFloat> other = floatConstantOf(op->getOperand(1 - i));
      if (!tanh || !isF32(op.getType()) || !other || !other->isExactlyValue(1.0)) {
        continue;
      }
      FloatMath math(rewriter, op.getLoc(), op.getType());
      Value exponent = Scaler(rewriter, op.getLoc(), -2)(tanh.getOperand());
      Value power = math::ExpOp::create(rewriter, op.getLoc(), exponent);
      rewriter.replaceOp(op, math.div(math.constant(2), math.add(power, 1)));
      return success();
    }
    return failure();
  }
};

struct AddedPower : OpRewritePattern<math::ExpOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ExpOp op, PatternRewriter &rewriter) const override {
    if (!isF32(op.getType()) || !isAddedToOne(op)) {
      return failure();
    }
    Value exponent = Scaler(rewriter, op.getLoc(), llvm::numbers::log2e).within(op.getOperand());
    if (!exponent) {
      return failure();
    }
    rewriter.replaceOpWithNewOp<math::Exp2Op>(op, exponent);
    return success();
  }
};

struct SumWithCube : OpRewritePattern<arith::AddFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::AddFOp op, PatternRewriter &rewriter) const override {
    for (unsigned i : {0, 1}) {
      Value x = op->getOperand(i);
      auto scaled = onlyUseOf<arith::MulFOp>(op->getOperand(1 - i));
      if (!scaled || !isF32(op.getType())) {
        continue;
      }
      auto [factor, cube] = splitConstant(scaled);
      if (!factor || !(*factor > 0) || !isCube(cube, x)) {
        continue;
      }
      FloatMath math(rewriter, op.getLoc(), op.getType());
      Value scaledSquare = math.mul(math.mul(x, x), static_cast<float>(*factor));
      rewriter.replaceOp(op, math.mul(x, math.add(scaledSquare, 1)));
      return success();
    }
    return failure();
  }

  static bool isCube(Value cube, Value x) {
    auto product = onlyUseOf<arith::MulFOp>(cube);
    if (!product || (product.getLhs() != x && product.getRhs() != x)) {
      return false;
    }
    Value other = product.getLhs() == x ? product.getRhs() : product.getLhs();
    auto square = other.getDefiningOp<arith::MulFOp>();
    return square && square.getLhs() == x && square.getRhs() == x;
  }
};

struct ScaledProduct : OpRewritePattern<arith::MulFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::MulFOp op, PatternRewriter &rewriter) const override {
    auto [factor, value] = splitConstant(op);
    if (!factor || !isF32(op.getType()) || !isModerate(*factor) || floatConstantOf(value)) {
      return failure();
    }
    Value scaled = Scaler(rewriter, op.getLoc(), *factor).within(value);
    if (!scaled) {
      return failure();
    }
    rewriter.replaceOp(op, scaled);
    return success();
  }
};

struct ProductWithQuotient : OpRewritePattern<arith::MulFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::MulFOp op, PatternRewriter &rewriter) const override {
    for (unsigned i : {0, 1}) {
      auto quotient = onlyUseOf<arith::DivFOp>(op->getOperand(i));
      std::optional<APFloat> dividend =
          quotient ? floatConstantOf(quotient.getLhs()) : std::optional<APFloat>();
      if (!dividend || !isF32(op.getType()) || !isModerate(dividend->convertToDouble())) {
        continue;
      }
      Value other = op->getOperand(1 - i);
      Value scaled = dividend->isExactlyValue(1.0)
                         ? other
                         : Scaler(rewriter, op.getLoc(), dividend->convertToDouble()).within(other);
      if (scaled) {
        rewriter.replaceOpWithNewOp<arith::DivFOp>(op, scaled, quotient.getRhs());
        return success();
      }
    }
    return failure();
  }
};

} // namespace

void populateFunctionFormPatterns(RewritePatternSet &set) {
  set.add<OnePlusTanh, AddedPower, SumWithCube, ScaledProduct, ProductWithQuotient>(
      set.getContext());
}

} // namespace zyxc

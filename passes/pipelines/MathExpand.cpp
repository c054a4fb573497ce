#include "passes/pipelines/MathExpand.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
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

/// exp(x) in f32. The polynomial gives 0 where the result is denormal, so there exp(x / 2) is
/// squared; and it converts NaN to an integer, which is poison, so it never sees one.
struct FullRangeExp : OpRewritePattern<math::ExpOp> {
  FullRangeExp(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(math::ExpOp op, PatternRewriter &rewriter) const override {
    constexpr StringLiteral done = "zyxc.full_range";
    if (op->hasAttr(done) || !getElementTypeOrSelf(op.getType()).isF32()) {
      return failure();
    }
    Location loc = op.getLoc();
    Value x = op.getOperand();
    auto constant = [&](float value) -> Value {
      TypedAttr attr = rewriter.getF32FloatAttr(value);
      if (auto vector = dyn_cast<VectorType>(x.getType())) {
        attr = DenseElementsAttr::get(vector, attr);
      }
      return arith::ConstantOp::create(rewriter, loc, attr);
    };
    auto compare = [&](arith::CmpFPredicate predicate, Value y) -> Value {
      return arith::CmpFOp::create(rewriter, loc, predicate, x, y);
    };
    auto choose = [&](Value condition, Value yes, Value no) -> Value {
      return arith::SelectOp::create(rewriter, loc, condition, yes, no);
    };
    Value isNan = compare(arith::CmpFPredicate::UNO, x);
    Value isTiny = compare(arith::CmpFPredicate::OLT, constant(-87)); // 2^-126 is exp(-87.3)
    Value half = arith::MulFOp::create(rewriter, loc, x, constant(0.5));
    Value argument = choose(isNan, constant(0), choose(isTiny, half, x));
    auto exp = math::ExpOp::create(rewriter, loc, argument);
    exp->setAttr(done, rewriter.getUnitAttr());
    Value square = arith::MulFOp::create(rewriter, loc, exp, exp);
    rewriter.replaceOp(op, choose(isNan, x, choose(isTiny, square, exp)));
    return success();
  }
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

void populateMathExpandPatterns(RewritePatternSet &set) {
  populateMathF32ExpansionPatterns(set, hasAccuratePolynomial);
  populateMathPolynomialApproximationPatterns(set, hasAccuratePolynomial);
  set.add<SignedErf>(set.getContext(), /*benefit=*/2);
  set.add<AccurateExpm1, FullRangeExp>(set.getContext());
  set.add<ScaledLog<math::LogOp>>(set.getContext(), 23 * llvm::numbers::ln2);
  set.add<ScaledLog<math::Log2Op>>(set.getContext(), 23.0);
}

} // namespace zyxc

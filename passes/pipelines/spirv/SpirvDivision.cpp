#include "passes/pipelines/spirv/SpirvDivision.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/pipelines/spirv/IntegerBounds.h"

using namespace mlir;

namespace zyxc {

bool isWideInteger(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isIndex() || element.isInteger(64);
}

/// The type with another element.
static Type withElement(Type type, Type element) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(vector.clone(element)) : element;
}

static Value constantLike(PatternRewriter &rewriter, Location loc, Type type, int64_t value) {
  TypedAttr attr = rewriter.getIntegerAttr(getElementTypeOrSelf(type), value);
  if (auto vector = dyn_cast<VectorType>(type)) {
    attr = DenseElementsAttr::get(vector, Attribute(attr));
  }
  return arith::ConstantOp::create(rewriter, loc, attr);
}

/// A value as an unsigned number of 32 bits, and back.
static Value narrowed(PatternRewriter &rewriter, Location loc, Value x) {
  Type type = withElement(x.getType(), rewriter.getI32Type());
  return getElementTypeOrSelf(x.getType()).isIndex()
             ? arith::IndexCastUIOp::create(rewriter, loc, type, x).getResult()
             : arith::TruncIOp::create(rewriter, loc, type, x).getResult();
}

static Value widened(PatternRewriter &rewriter, Location loc, Value x, Type type) {
  return getElementTypeOrSelf(type).isIndex()
             ? arith::IndexCastUIOp::create(rewriter, loc, type, x).getResult()
             : arith::ExtUIOp::create(rewriter, loc, type, x).getResult();
}

/// 0, of which a compiler cannot know that it is: the number of blocks is below 2^31.
static Value hiddenZero(PatternRewriter &rewriter, Location loc, Type type) {
  Type index = rewriter.getIndexType();
  Value blocks = gpu::GridDimOp::create(rewriter, loc, gpu::Dimension::x);
  Value zero =
      arith::ShRUIOp::create(rewriter, loc, blocks, constantLike(rewriter, loc, index, 31));
  if (!getElementTypeOrSelf(type).isIndex()) {
    zero = arith::IndexCastOp::create(rewriter, loc, rewriter.getI64Type(), zero);
  }
  return isa<VectorType>(type) ? vector::BroadcastOp::create(rewriter, loc, type, zero) : zero;
}

namespace {

/// Quotients and remainders whose operands fit 32 bits.
template <class Op, class Unsigned> struct NarrowDivision : OpRewritePattern<Op> {
  explicit NarrowDivision(MLIRContext *context) : OpRewritePattern<Op>(context, /*benefit=*/3) {}
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!isWideInteger(op.getType()) || !boundsOf(op.getLhs()).within(0, UINT32_MAX) ||
        !boundsOf(op.getRhs()).within(1, UINT32_MAX)) {
      return failure();
    }
    Location loc = op.getLoc();
    Value result = Unsigned::create(rewriter, loc, narrowed(rewriter, loc, op.getLhs()),
                                    narrowed(rewriter, loc, op.getRhs()));
    rewriter.replaceOp(op, widened(rewriter, loc, result, op.getType()));
    return success();
  }
};

/// Unsigned ones by a constant.
template <class Op> struct HiddenDivisor : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    IntegerBounds divisor = boundsOf(op.getRhs());
    if (!isWideInteger(op.getType()) || divisor.least != divisor.most) {
      return failure();
    }
    Location loc = op.getLoc();
    Value zero = hiddenZero(rewriter, loc, op.getType());
    Value hidden = arith::AddIOp::create(rewriter, loc, op.getRhs(), zero);
    rewriter.replaceOpWithNewOp<Op>(op, op.getLhs(), hidden);
    return success();
  }
};

/// a / b by the quotient of the magnitudes.
struct SignedQuotient : OpRewritePattern<arith::DivSIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::DivSIOp op, PatternRewriter &rewriter) const override {
    if (!isWideInteger(op.getType())) {
      return failure();
    }
    Location loc = op.getLoc();
    auto [a, aSign] = magnitude(rewriter, loc, op.getLhs());
    auto [b, bSign] = magnitude(rewriter, loc, op.getRhs());
    Value quotient = arith::DivUIOp::create(rewriter, loc, a, b);
    Value sign = aSign && bSign ? arith::XOrIOp::create(rewriter, loc, aSign, bSign).getResult()
                 : aSign        ? aSign
                                : bSign;
    rewriter.replaceOp(op, sign ? withSign(rewriter, loc, quotient, sign) : quotient);
    return success();
  }

private:
  static Value withSign(PatternRewriter &rewriter, Location loc, Value x, Value sign) {
    Value flipped = arith::XOrIOp::create(rewriter, loc, x, sign);
    return arith::SubIOp::create(rewriter, loc, flipped, sign);
  }
  /// |x| without a sign, and -1 where x is negative, else 0; no sign of what is never negative.
  /// Of a constant both are constants.
  static std::pair<Value, Value> magnitude(PatternRewriter &rewriter, Location loc, Value x) {
    IntegerBounds bounds = boundsOf(x);
    if (bounds.least >= 0) {
      return {x, Value()};
    }
    if (bounds.least == bounds.most && bounds.least != INT64_MIN) {
      return {constantLike(rewriter, loc, x.getType(), -bounds.least),
              constantLike(rewriter, loc, x.getType(), -1)};
    }
    Value sign =
        arith::ShRSIOp::create(rewriter, loc, x, constantLike(rewriter, loc, x.getType(), 63));
    return {withSign(rewriter, loc, x, sign), sign};
  }
};

/// a % b by the quotient.
struct WideRemainder : OpRewritePattern<arith::RemSIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::RemSIOp op, PatternRewriter &rewriter) const override {
    if (!isWideInteger(op.getType())) {
      return failure();
    }
    Location loc = op.getLoc();
    Value quotient = arith::DivSIOp::create(rewriter, loc, op.getLhs(), op.getRhs());
    Value product = arith::MulIOp::create(rewriter, loc, quotient, op.getRhs());
    rewriter.replaceOpWithNewOp<arith::SubIOp>(op, op.getLhs(), product);
    return success();
  }
};

} // namespace

void populateSpirvDivisionPatterns(RewritePatternSet &set) {
  set.add<NarrowDivision<arith::DivUIOp, arith::DivUIOp>,
          NarrowDivision<arith::RemUIOp, arith::RemUIOp>,
          NarrowDivision<arith::DivSIOp, arith::DivUIOp>,
          NarrowDivision<arith::RemSIOp, arith::RemUIOp>, HiddenDivisor<arith::DivUIOp>,
          HiddenDivisor<arith::RemUIOp>, SignedQuotient, WideRemainder>(set.getContext());
}

} // namespace zyxc

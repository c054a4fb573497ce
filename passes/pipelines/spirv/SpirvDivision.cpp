#include "passes/pipelines/spirv/SpirvDivision.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/lower/tile/GpuFunction.h"
#include "passes/pipelines/spirv/IntegerBounds.h"
#include "llvm/Support/DivisionByConstantInfo.h"

using namespace mlir;

namespace zyxc {

/// The result is an integer of 64 bits, an index in a module whose indices have 64 bits
/// (wideIndexAttrName), or a vector of such.
static bool isWideInteger(Operation *op) {
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  auto module = op->getParentOfType<gpu::GPUModuleOp>();
  return element.isInteger(64) ||
         (element.isIndex() && module && module->hasAttr(wideIndexAttrName));
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

/// The low 32 bits of a value, and back, without a sign.
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

namespace {

/// Emits arithmetic on numbers of 64 bits of one type.
struct Wide {
  PatternRewriter &rewriter;
  Location loc;
  Type type;

  Value constant(int64_t value) const { return constantLike(rewriter, loc, type, value); }
  Value add(Value x, Value y) const { return arith::AddIOp::create(rewriter, loc, x, y); }
  Value sub(Value x, Value y) const { return arith::SubIOp::create(rewriter, loc, x, y); }
  Value mul(Value x, Value y) const { return arith::MulIOp::create(rewriter, loc, x, y); }
  Value shift(Value x, unsigned places) const {
    return places ? arith::ShRUIOp::create(rewriter, loc, x, constant(places)).getResult() : x;
  }
  Value low(Value x) const { return arith::AndIOp::create(rewriter, loc, x, constant(UINT32_MAX)); }
  /// The upper 64 bits of a product, by its four parts.
  Value upperProduct(Value x, uint64_t factor) const {
    Value xLow = low(x);
    Value xHigh = shift(x, 32);
    Value fLow = constant(static_cast<int64_t>(factor & UINT32_MAX));
    Value fHigh = constant(static_cast<int64_t>(factor >> 32));
    Value first = mul(xLow, fHigh);
    Value second = mul(xHigh, fLow);
    Value middle = add(add(shift(mul(xLow, fLow), 32), low(first)), low(second));
    Value upper = add(mul(xHigh, fHigh), add(shift(first, 32), shift(second, 32)));
    return add(upper, shift(middle, 32));
  }
  /// x / divisor by a product with its reciprocal (Granlund and Montgomery, "Division by invariant
  /// integers using multiplication", 1994).
  Value quotient(Value x, uint64_t divisor) const {
    if (llvm::isPowerOf2_64(divisor)) {
      return shift(x, llvm::Log2_64(divisor));
    }
    auto magic = llvm::UnsignedDivisionByConstantInfo::get(APInt(64, divisor));
    Value upper = upperProduct(shift(x, magic.PreShift), magic.Magic.getZExtValue());
    if (magic.IsAdd) {
      upper = add(shift(sub(x, upper), 1), upper);
    }
    return shift(upper, magic.PostShift);
  }
};

/// The divisor where it is a constant other than 0.
std::optional<uint64_t> constantDivisor(Value divisor) {
  IntegerBounds bounds = boundsOf(divisor);
  return bounds.least == bounds.most && bounds.least != 0
             ? std::optional(static_cast<uint64_t>(bounds.least))
             : std::nullopt;
}

/// Quotients and remainders whose operands fit 32 bits.
template <class Op, class Unsigned> struct NarrowDivision : OpRewritePattern<Op> {
  explicit NarrowDivision(MLIRContext *context) : OpRewritePattern<Op>(context, /*benefit=*/3) {}
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!isWideInteger(op) || !boundsOf(op.getLhs()).within(0, UINT32_MAX) ||
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
struct ConstantQuotient : OpRewritePattern<arith::DivUIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::DivUIOp op, PatternRewriter &rewriter) const override {
    std::optional<uint64_t> divisor = constantDivisor(op.getRhs());
    if (!isWideInteger(op) || !divisor) {
      return failure();
    }
    Wide wide{rewriter, op.getLoc(), op.getType()};
    rewriter.replaceOp(op, wide.quotient(op.getLhs(), *divisor));
    return success();
  }
};

/// a / b by the quotient of the magnitudes.
struct SignedQuotient : OpRewritePattern<arith::DivSIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::DivSIOp op, PatternRewriter &rewriter) const override {
    if (!isWideInteger(op)) {
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

template <class Op, class Quotient>
LogicalResult remainderByQuotient(Op op, PatternRewriter &rewriter) {
  Location loc = op.getLoc();
  Value quotient = Quotient::create(rewriter, loc, op.getLhs(), op.getRhs());
  Value product = arith::MulIOp::create(rewriter, loc, quotient, op.getRhs());
  rewriter.replaceOpWithNewOp<arith::SubIOp>(op, op.getLhs(), product);
  return success();
}

/// a % b by the quotient, of any width: MLIR takes it of absolute values, and the smallest number
/// has none.
struct SignedRemainder : OpRewritePattern<arith::RemSIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::RemSIOp op, PatternRewriter &rewriter) const override {
    return remainderByQuotient<arith::RemSIOp, arith::DivSIOp>(op, rewriter);
  }
};

/// The same without a sign, of 64 bits: a quotient and a remainder beside each other, of which
/// drivers make one division, go wrong.
struct WideRemainder : OpRewritePattern<arith::RemUIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::RemUIOp op, PatternRewriter &rewriter) const override {
    return isWideInteger(op) ? remainderByQuotient<arith::RemUIOp, arith::DivUIOp>(op, rewriter)
                             : failure();
  }
};

} // namespace

void populateSpirvDivisionPatterns(RewritePatternSet &set) {
  set.add<NarrowDivision<arith::DivUIOp, arith::DivUIOp>,
          NarrowDivision<arith::RemUIOp, arith::RemUIOp>,
          NarrowDivision<arith::DivSIOp, arith::DivUIOp>,
          NarrowDivision<arith::RemSIOp, arith::RemUIOp>, ConstantQuotient, SignedQuotient,
          SignedRemainder, WideRemainder>(set.getContext());
}

} // namespace zyxc

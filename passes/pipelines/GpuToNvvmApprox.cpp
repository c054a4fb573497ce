#include "passes/pipelines/GpuToNvvmApprox.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace zyxc {

static constexpr llvm::StringLiteral reciprocal = "llvm.nvvm.rcp.approx.ftz.f";
static constexpr unsigned mostUses = 64; ///< that a value's way to 16 bits is followed through

static bool isF32(Value value) {
  return getElementTypeOrSelf(value.getType()).isF32();
}

static bool isCall(Operation *op, StringRef intrinsic) {
  auto call = dyn_cast_or_null<LLVM::CallIntrinsicOp>(op);
  return call && call.getIntrin() == intrinsic;
}

/// The constant that a value is at every element.
static std::optional<APFloat> constantOf(Value value) {
  if (auto broadcast = value.getDefiningOp<vector::BroadcastOp>()) {
    value = broadcast.getSource();
  }
  APFloat scalar(0.0);
  DenseFPElementsAttr elements;
  if (matchPattern(value, m_ConstantFloat(&scalar))) {
    return scalar;
  }
  if (matchPattern(value, m_Constant(&elements)) && elements.isSplat()) {
    return elements.getSplatValue<APFloat>();
  }
  return std::nullopt;
}

static bool isRoundedTo16Bits(Value value, unsigned &steps);

static bool isRoundedBy(Operation *user, unsigned &steps) {
  auto narrow = dyn_cast<arith::TruncFOp>(user);
  if (narrow && getElementTypeOrSelf(narrow.getType()).getIntOrFloatBitWidth() == 16) {
    return true;
  }
  bool hasConstant = llvm::any_of(user->getOperands(), [](Value v) { return constantOf(v); });
  bool scales =
      isa<arith::MulFOp, arith::DivFOp, arith::NegFOp, vector::ExtractOp, vector::FromElementsOp>(
          user) ||
      isCall(user, fullRangeDiv) || isCall(user, reciprocal) ||
      (isa<arith::AddFOp>(user) && hasConstant) ||
      (isa<math::FmaOp>(user) && constantOf(user->getOperand(2)));
  return scales && isRoundedTo16Bits(user->getResult(0), steps);
}

/// True if all that becomes of `value` is rounded to 16 bits, by way of products, quotients and
/// sums with constants, which hardly raise its relative error. At most `steps` operations are
/// looked at.
static bool isRoundedTo16Bits(Value value, unsigned &steps) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    if (steps == 0) {
      return false;
    }
    --steps;
    return isRoundedBy(user, steps);
  });
}

static bool isRoundedTo16Bits(Value value) {
  unsigned steps = mostUses;
  return isRoundedTo16Bits(value, steps);
}

/// True if no element of the value is below 0; NaN counts as none.
static bool isNeverNegative(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op) {
    return false;
  }
  if (auto extract = dyn_cast<vector::ExtractOp>(op)) {
    return isNeverNegative(extract.getSource());
  }
  if (auto elements = dyn_cast<vector::FromElementsOp>(op)) {
    return llvm::all_of(elements.getElements(), isNeverNegative);
  }
  bool isSquare = isa<arith::MulFOp>(op) && op->getOperand(0) == op->getOperand(1);
  return isa<math::ExpOp, math::Exp2Op, math::AbsFOp>(op) || isCall(op, powerOf2) || isSquare;
}

/// True if every element is at least 1 (or NaN): a constant of at least 1 plus what is never
/// negative.
static bool isAtLeastOne(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto extract = dyn_cast_or_null<vector::ExtractOp>(op)) {
    return isAtLeastOne(extract.getSource());
  }
  auto sum = dyn_cast_or_null<arith::AddFOp>(op);
  if (!sum) {
    return false;
  }
  auto holds = [](Value constant, Value other) {
    std::optional<APFloat> at = constantOf(constant);
    return at && at->convertToDouble() >= 1 && isNeverNegative(other);
  };
  return holds(sum.getLhs(), sum.getRhs()) || holds(sum.getRhs(), sum.getLhs());
}

namespace {

/// Multiplies values by a constant, in a constant that they have already where they can.
class Scaler {
public:
  Scaler(PatternRewriter &rewriter, Location loc, double factor)
      : rewriter(rewriter), loc(loc), factor(factor) {}

  Value operator()(Value value) {
    Value inside = within(value);
    return inside ? inside
                  : arith::MulFOp::create(rewriter, loc, value, constant(value.getType(), factor));
  }

private:
  Value constant(Type type, double value) {
    FloatAttr scalar = rewriter.getF32FloatAttr(static_cast<float>(value));
    TypedAttr attribute = scalar;
    if (auto vector = dyn_cast<VectorType>(type)) {
      attribute = DenseElementsAttr::get(vector, scalar.getValue());
    }
    return arith::ConstantOp::create(rewriter, loc, type, attribute);
  }
  /// Null if the value has no constant to scale, or is needed unscaled, too.
  Value within(Value value) {
    if (std::optional<APFloat> number = constantOf(value)) {
      return constant(value.getType(), number->convertToDouble() * factor);
    }
    Operation *op = value.getDefiningOp();
    if (!op || !value.hasOneUse()) {
      return nullptr;
    }
    if (isa<arith::NegFOp>(op)) {
      Value inner = within(op->getOperand(0));
      return inner ? arith::NegFOp::create(rewriter, loc, inner).getResult() : nullptr;
    }
    if (isa<arith::MulFOp>(op)) {
      for (unsigned i : {0, 1}) {
        if (Value inner = within(op->getOperand(i))) {
          return arith::MulFOp::create(rewriter, loc, op->getOperand(1 - i), inner);
        }
      }
      return nullptr;
    }
    if (isa<arith::AddFOp>(op)) {
      Value left = within(op->getOperand(0));
      Value right = left ? within(op->getOperand(1)) : nullptr;
      return right ? arith::AddFOp::create(rewriter, loc, left, right).getResult() : nullptr;
    }
    if (isa<math::FmaOp>(op)) {
      Value sum = within(op->getOperand(2));
      for (unsigned i = 0; sum && i < 2; ++i) {
        if (Value inner = within(op->getOperand(i))) {
          return math::FmaOp::create(rewriter, loc, op->getOperand(1 - i), inner, sum);
        }
      }
    }
    return nullptr;
  }

  PatternRewriter &rewriter;
  Location loc;
  double factor;
};

/// Benefit: before a vector's function is split into those of its elements.
constexpr unsigned beforeElements = 5;

struct ExpAsPower : OpRewritePattern<math::ExpOp> {
  explicit ExpAsPower(MLIRContext *context) : OpRewritePattern(context, beforeElements) {}

  LogicalResult matchAndRewrite(math::ExpOp op, PatternRewriter &rewriter) const override {
    bool isApproximate = bitEnumContainsAny(op.getFastmath(), arith::FastMathFlags::afn);
    if (!isF32(op) || !(isApproximate || isRoundedTo16Bits(op.getResult()))) {
      return failure();
    }
    constexpr double log2e = 1.4426950408889634;
    Value scaled = Scaler(rewriter, op.getLoc(), log2e)(op.getOperand());
    rewriter.replaceOpWithNewOp<math::Exp2Op>(op, scaled, arith::FastMathFlags::afn);
    return success();
  }
};

struct ApproximatePower : OpRewritePattern<math::Exp2Op> {
  explicit ApproximatePower(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/4) {}

  LogicalResult matchAndRewrite(math::Exp2Op op, PatternRewriter &rewriter) const override {
    if (!op.getType().isF32() || !bitEnumContainsAny(op.getFastmath(), arith::FastMathFlags::afn)) {
      return failure();
    }
    auto call = LLVM::CallIntrinsicOp::create(rewriter, op.getLoc(), op.getType(),
                                              rewriter.getStringAttr(powerOf2),
                                              ValueRange{op.getOperand()});
    rewriter.replaceOp(op, call.getResult(0));
    return success();
  }
};

struct QuotientByReciprocal : OpRewritePattern<arith::DivFOp> {
  explicit QuotientByReciprocal(MLIRContext *context) : OpRewritePattern(context, beforeElements) {}

  LogicalResult matchAndRewrite(arith::DivFOp op, PatternRewriter &rewriter) const override {
    if (!op.getType().isF32() || !isAtLeastOne(op.getRhs()) || !isRoundedTo16Bits(op.getResult())) {
      return failure();
    }
    auto inverse =
        LLVM::CallIntrinsicOp::create(rewriter, op.getLoc(), op.getType(),
                                      rewriter.getStringAttr(reciprocal), ValueRange{op.getRhs()});
    rewriter.replaceOpWithNewOp<arith::MulFOp>(op, op.getLhs(), inverse.getResult(0));
    return success();
  }
};

} // namespace

void populateApproximationPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpAsPower, ApproximatePower, QuotientByReciprocal>(patterns.getContext());
}

} // namespace zyxc

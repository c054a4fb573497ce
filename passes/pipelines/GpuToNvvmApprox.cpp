#include "passes/pipelines/GpuToNvvmApprox.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/pipelines/math/FloatMath.h"
#include "passes/pipelines/math/Scaler.h"

using namespace mlir;

namespace zyxc {

static constexpr llvm::StringLiteral reciprocal = "llvm.nvvm.rcp.approx.ftz.f";
static constexpr unsigned mostUses = 64; ///< that a value's way to 16 bits is followed through

static bool isCall(Operation *op, StringRef intrinsic) {
  auto call = dyn_cast_or_null<LLVM::CallIntrinsicOp>(op);
  return call && call.getIntrin() == intrinsic;
}

static bool isRoundedTo16Bits(Value value, unsigned &steps);

static bool isRoundedBy(Operation *user, unsigned &steps) {
  auto narrow = dyn_cast<arith::TruncFOp>(user);
  if (narrow && getElementTypeOrSelf(narrow.getType()).getIntOrFloatBitWidth() == 16) {
    return true;
  }
  bool hasConstant = llvm::any_of(user->getOperands(), [](Value v) { return floatConstantOf(v); });
  bool scales =
      isa<arith::MulFOp, arith::DivFOp, arith::NegFOp, vector::ExtractOp, vector::FromElementsOp>(
          user) ||
      isCall(user, fullRangeDiv) || isCall(user, reciprocal) ||
      (isa<arith::AddFOp>(user) && hasConstant) ||
      (isa<math::FmaOp>(user) && floatConstantOf(user->getOperand(2)));
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

bool isAtLeastOne(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto extract = dyn_cast_or_null<vector::ExtractOp>(op)) {
    return isAtLeastOne(extract.getSource());
  }
  auto sum = dyn_cast_or_null<arith::AddFOp>(op);
  if (!sum) {
    return false;
  }
  auto holds = [](Value constant, Value other) {
    std::optional<APFloat> at = floatConstantOf(constant);
    return at && at->convertToDouble() >= 1 && isNeverNegative(other);
  };
  return holds(sum.getLhs(), sum.getRhs()) || holds(sum.getRhs(), sum.getLhs());
}

namespace {

/// Benefit: before a vector's function is split into those of its elements.
constexpr unsigned beforeElements = 5;

struct ExpAsPower : OpRewritePattern<math::ExpOp> {
  explicit ExpAsPower(MLIRContext *context) : OpRewritePattern(context, beforeElements) {}

  LogicalResult matchAndRewrite(math::ExpOp op, PatternRewriter &rewriter) const override {
    bool isApproximate = bitEnumContainsAny(op.getFastmath(), arith::FastMathFlags::afn);
    if (!isF32(op.getType()) || !(isApproximate || isRoundedTo16Bits(op.getResult()))) {
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

/// tanh(|x|) = 1 - 2 / (2^(2 log2(e) |x|) + 1) by the hardware's power; below 0.8, where the
/// difference would lose bits, by a polynomial in x^2 (tools/dev/fit-polynomials, tanh-small).
struct TanhByPower : OpRewritePattern<math::TanhOp> {
  explicit TanhByPower(MLIRContext *context) : OpRewritePattern(context, beforeElements) {}

  LogicalResult matchAndRewrite(math::TanhOp op, PatternRewriter &rewriter) const override {
    bool isApproximate = bitEnumContainsAny(op.getFastmath(), arith::FastMathFlags::afn);
    if (!isF32(op.getType()) || isApproximate) { // that is one instruction
      return failure();
    }
    constexpr float twiceLog2e = 2.885390082F;
    constexpr float fitted = 0.8F;
    constexpr float terms[] = {-0x1.55541cp-2F, 0x1.10d99cp-3F, -0x1.b39da4p-5F, 0x1.3a66eap-6F,
                               -0x1.210414p-8F};
    FloatMath math(rewriter, op.getLoc(), op.getType());
    Value x = op.getOperand();
    Value size = math.abs(x);
    Value power = math::Exp2Op::create(rewriter, op.getLoc(), math.mul(size, twiceLog2e),
                                       arith::FastMathFlags::afn);
    Value large = math.add(math.div(math.constant(-2), math.add(power, 1)), 1);
    Value square = math.mul(x, x);
    Value small = math.fma(math.mul(x, square), math.polynomial(square, terms), x);
    rewriter.replaceOp(op, math.select(math.less(size, fitted), small, math.withSignOf(large, x)));
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
  patterns.add<ExpAsPower, ApproximatePower, TanhByPower, QuotientByReciprocal>(
      patterns.getContext());
}

} // namespace zyxc

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/lower/tile/GpuFunction.h"
#include "passes/pipelines/GpuToNvvm.h"
#include "passes/pipelines/GpuToNvvmApprox.h"
#include "passes/pipelines/GpuToNvvmMath.h"
#include "passes/pipelines/math/FormFma.h"
#include "passes/pipelines/math/MathExpand.h"

using namespace mlir;

namespace zyxc {

static constexpr int64_t warpSize = 32;

namespace {

/// A function on a vector, element by element: the target has no vector functions.
struct ScalarFunction : RewritePattern {
  explicit ScalarFunction(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/4, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (op->getNumResults() != 1 || !(isMathFunction(op) || isa<arith::DivFOp>(op))) {
      return failure();
    }
    auto type = dyn_cast<VectorType>(op->getResult(0).getType());
    if (!type || type.isScalable() || (isa<arith::DivFOp>(op) && !type.getElementType().isF32())) {
      return failure();
    }
    Location loc = op->getLoc();
    auto flat = VectorType::get(type.getNumElements(), type.getElementType());
    SmallVector<SmallVector<Value>> elements(flat.getNumElements());
    for (Value operand : op->getOperands()) {
      if (type.getRank() != 1) {
        operand = vector::ShapeCastOp::create(rewriter, loc, flat, operand);
      }
      for (auto [i, operands] : llvm::enumerate(elements)) {
        operands.push_back(
            vector::ExtractOp::create(rewriter, loc, operand, static_cast<int64_t>(i)));
      }
    }
    SmallVector<Value> results;
    for (const auto &operands : elements) {
      OperationState state(loc, op->getName().getStringRef(), operands, {type.getElementType()},
                           op->getAttrs());
      results.push_back(rewriter.create(state)->getResult(0));
    }
    Value result = vector::FromElementsOp::create(rewriter, loc, flat, results);
    if (type.getRank() != 1) {
      result = vector::ShapeCastOp::create(rewriter, loc, type, result);
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

Value ex2(PatternRewriter &rewriter, Location loc, Value x) {
  return LLVM::CallIntrinsicOp::create(rewriter, loc, x.getType(), rewriter.getStringAttr(powerOf2),
                                       ValueRange{x})
      .getResult(0);
}

bool isApproximate(arith::FastMathFlags flags) {
  return bitEnumContainsAny(flags, arith::FastMathFlags::afn);
}

/// exp(x) in f32 as 2^n * 2^f with x * log2(e) = n + f. n is kept where 2^n is a normal number, and
/// f takes the rest: the product then overflows, or is denormal, as exp(x) does, and f is infinite
/// or NaN where x is.
struct ExpByPowers : OpRewritePattern<math::ExpOp> {
  explicit ExpByPowers(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/4) {}

  LogicalResult matchAndRewrite(math::ExpOp op, PatternRewriter &rewriter) const override {
    if (!op.getType().isF32()) {
      return failure();
    }
    Location loc = op.getLoc();
    Value x = op.getOperand();
    auto constant = [&](float value) -> Value {
      return arith::ConstantOp::create(rewriter, loc, rewriter.getF32FloatAttr(value));
    };
    constexpr float log2e = 0x1.715476p+0F, log2eRest = 0x1.4ae0c0p-26F; // their sum is log2(e)
    Value scaled = arith::MulFOp::create(rewriter, loc, x, constant(log2e));
    // Adding 1.5 * 2^23 rounds to an integer, which then stands in the low bits; with 127 more it
    // is the biased exponent of 2^n.
    constexpr float rounding = 0x1.8p23F + 127;
    Value kept = arith::MaxNumFOp::create(rewriter, loc, scaled, constant(-126));
    kept = arith::MinNumFOp::create(rewriter, loc, kept, constant(127));
    Value biased = arith::AddFOp::create(rewriter, loc, kept, constant(rounding));
    Value n = arith::SubFOp::create(rewriter, loc, biased, constant(rounding));
    Value minusN = arith::NegFOp::create(rewriter, loc, n);
    Value f = math::FmaOp::create(rewriter, loc, x, constant(log2e), minusN);
    f = math::FmaOp::create(rewriter, loc, x, constant(log2eRest), f);
    Type i32 = rewriter.getI32Type();
    Value bits = arith::BitcastOp::create(rewriter, loc, i32, biased);
    Value shift = arith::ConstantOp::create(rewriter, loc, rewriter.getI32IntegerAttr(23));
    bits = arith::ShLIOp::create(rewriter, loc, bits, shift);
    Value power = arith::BitcastOp::create(rewriter, loc, x.getType(), bits);
    rewriter.replaceOpWithNewOp<arith::MulFOp>(op, ex2(rewriter, loc, f), power);
    return success();
  }
};

/// x / y in f32 by div.full: within 2 ulp over the full range, denormals included (PTX ISA, div).
/// For quotients of functions (of sigmoids, say) and where the reciprocal is asked for; all others
/// are exact as on the host, which takes more instructions, and a branch. A graph that quantizes
/// rounds its quotients to integers, where one bit is a whole number.
struct FullRangeDiv : OpRewritePattern<arith::DivFOp> {
  explicit FullRangeDiv(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/4) {}

  LogicalResult matchAndRewrite(arith::DivFOp op, PatternRewriter &rewriter) const override {
    bool ofReciprocal = bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::arcp);
    if (!op.getType().isF32() || !(ofReciprocal || isAtLeastOne(op.getRhs()))) {
      return failure();
    }
    auto quotient = LLVM::CallIntrinsicOp::create(rewriter, op.getLoc(), op.getType(),
                                                  rewriter.getStringAttr(fullRangeDiv),
                                                  ValueRange{op.getLhs(), op.getRhs()});
    rewriter.replaceOp(op, quotient.getResult(0));
    return success();
  }
};

/// tanh and log in f32 where an approximation is asked for (fastmath<afn>).
struct ApproximateTanh : OpRewritePattern<math::TanhOp> {
  explicit ApproximateTanh(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/4) {}

  LogicalResult matchAndRewrite(math::TanhOp op, PatternRewriter &rewriter) const override {
    if (!op.getType().isF32() || !isApproximate(op.getFastmath())) {
      return failure();
    }
    rewriter.replaceOpWithNewOp<LLVM::TanhOp>(op, op.getType(), op.getOperand(),
                                              LLVM::FastmathFlags::afn);
    return success();
  }
};

struct ApproximateLog : OpRewritePattern<math::LogOp> {
  explicit ApproximateLog(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/4) {}

  LogicalResult matchAndRewrite(math::LogOp op, PatternRewriter &rewriter) const override {
    if (!op.getType().isF32() || !isApproximate(op.getFastmath())) {
      return failure();
    }
    Location loc = op.getLoc();
    Value log2 = LLVM::CallIntrinsicOp::create(rewriter, loc, op.getType(),
                                               rewriter.getStringAttr("llvm.nvvm.lg2.approx.f"),
                                               ValueRange{op.getOperand()})
                     .getResult(0);
    Value ln2 = arith::ConstantOp::create(rewriter, loc, rewriter.getF32FloatAttr(0x1.62e430p-1F));
    rewriter.replaceOpWithNewOp<arith::MulFOp>(op, log2, ln2);
    return success();
  }
};

/// The larger or smaller of two numbers, NaN if one is: written as comparisons, one instruction
/// here. `isNan(x) ? x : (x > y ? x : y)`, without the first choice where x is a constant.
struct ExtremeBySelect : OpRewritePattern<arith::SelectOp> {
  explicit ExtremeBySelect(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/4) {}

  LogicalResult matchAndRewrite(arith::SelectOp op, PatternRewriter &rewriter) const override {
    Value x = op.getTrueValue();
    auto inner = op;
    auto isNan = op.getCondition().getDefiningOp<arith::CmpFOp>();
    if (isNan && isNan.getPredicate() == arith::CmpFPredicate::UNO && isNan.getLhs() == x &&
        isNan.getRhs() == x) {
      inner = op.getFalseValue().getDefiningOp<arith::SelectOp>();
    } else if (APFloat value(0.0); !matchPattern(x, m_ConstantFloat(&value)) || value.isNaN()) {
      return failure();
    }
    auto compare = inner ? inner.getCondition().getDefiningOp<arith::CmpFOp>() : arith::CmpFOp();
    if (!compare || inner.getTrueValue() != x || compare.getLhs() != x ||
        compare.getRhs() != inner.getFalseValue()) {
      return failure();
    }
    if (compare.getPredicate() == arith::CmpFPredicate::OGT) {
      rewriter.replaceOpWithNewOp<arith::MaximumFOp>(op, x, inner.getFalseValue());
      return success();
    }
    if (compare.getPredicate() == arith::CmpFPredicate::OLT) {
      rewriter.replaceOpWithNewOp<arith::MinimumFOp>(op, x, inner.getFalseValue());
      return success();
    }
    return failure();
  }
};

/// A shuffle of less than 32 bits: the instruction moves 32.
struct WideShuffle : OpRewritePattern<gpu::ShuffleOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(gpu::ShuffleOp op, PatternRewriter &rewriter) const override {
    Type type = op.getValue().getType();
    if (!type.isIntOrFloat() || type.getIntOrFloatBitWidth() >= 32) {
      return failure();
    }
    Location loc = op.getLoc();
    Type bits = rewriter.getIntegerType(type.getIntOrFloatBitWidth());
    Value value = op.getValue();
    if (bits != type) {
      value = arith::BitcastOp::create(rewriter, loc, bits, value);
    }
    value = arith::ExtUIOp::create(rewriter, loc, rewriter.getI32Type(), value);
    auto wide =
        gpu::ShuffleOp::create(rewriter, loc, value, op.getOffset(), op.getWidth(), op.getMode());
    Value result = arith::TruncIOp::create(rewriter, loc, bits, wide.getShuffleResult());
    if (bits != type) {
      result = arith::BitcastOp::create(rewriter, loc, type, result);
    }
    rewriter.replaceOp(op, {result, wide.getValid()});
    return success();
  }
};

struct NvvmExpandPass : PassWrapper<NvvmExpandPass, OperationPass<gpu::GPUModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(NvvmExpandPass)

  StringRef getArgument() const override { return "zyxk-nvvm-expand"; }
  StringRef getDescription() const override {
    return "Expand math functions and vector operations for PTX code";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, gpu::GPUDialect, LLVM::LLVMDialect, math::MathDialect,
                    vector::VectorDialect>();
  }
  LogicalResult initialize(MLIRContext *context) override;
  void runOnOperation() override;

  FrozenRewritePatternSet patterns;
};

} // namespace

LogicalResult NvvmExpandPass::initialize(MLIRContext *context) {
  RewritePatternSet set(context);
  set.add<ScalarFunction, ExpByPowers, FullRangeDiv, ApproximateTanh, ApproximateLog,
          ExtremeBySelect, WideShuffle>(context);
  populateApproximationPatterns(set);
  populateMathExpandPatterns(set);
  populateFormFmaPatterns(set);
  populateLibdeviceF32Patterns(set);
  populateGpuGlobalIdPatterns(set);
  populateGpuShufflePatterns(set);
  populateGpuBreakDownSubgroupReducePatterns(set, /*maxShuffleBitwidth=*/32);
  populateGpuLowerSubgroupReduceToShufflePatterns(set, warpSize, /*shuffleBitwidth=*/32);
  populateGpuLowerClusteredSubgroupReduceToShufflePatterns(set, warpSize, /*shuffleBitwidth=*/32);
  arith::populateCeilFloorDivExpandOpsPatterns(set);
  vector::populateVectorMultiReductionLoweringPatterns(
      set, vector::VectorMultiReductionLowering::InnerReduction);
  vector::populateVectorTransposeLoweringPatterns(set, vector::VectorTransposeLowering::Shuffle1D);
  vector::populateVectorBroadcastLoweringPatterns(set);
  vector::populateVectorShapeCastLoweringPatterns(set);
  vector::populateVectorInsertExtractStridedSliceTransforms(set);
  vector::populateVectorStepLoweringPatterns(set);
  patterns = FrozenRewritePatternSet(std::move(set));
  return success();
}

/// The extent of a launch in one dimension: threads of a block or blocks of the grid.
static int64_t extent(gpu::GPUFuncOp function, gpu::Dimension dimension, bool ofBlock) {
  auto at = static_cast<unsigned>(dimension);
  if (ofBlock) {
    auto sizes = function.getKnownBlockSizeAttr();
    return sizes ? sizes[at] : 0;
  }
  auto sizes = function->getAttrOfType<DenseI64ArrayAttr>(gridAttrName);
  return sizes ? sizes[at] : 0;
}

/// Sizes become constants, and identifiers get the range that follows from the sizes.
template <class SizeOp, class IdOp>
static void bindExtents(gpu::GPUFuncOp function, bool ofBlock, OpBuilder &builder) {
  function.walk([&](Operation *op) {
    builder.setInsertionPoint(op);
    if (auto size = dyn_cast<SizeOp>(op)) {
      if (int64_t value = extent(function, size.getDimension(), ofBlock)) {
        size.replaceAllUsesWith(
            Value(arith::ConstantIndexOp::create(builder, op->getLoc(), value)));
        op->erase();
      }
    } else if (auto id = dyn_cast<IdOp>(op)) {
      int64_t value = extent(function, id.getDimension(), ofBlock);
      if (value == 1) {
        id.replaceAllUsesWith(Value(arith::ConstantIndexOp::create(builder, op->getLoc(), 0)));
        op->erase();
      } else if (value) {
        id.setUpperBoundAttr(builder.getIndexAttr(value));
      }
    }
  });
}

/// Subgroups are warps of consecutive threads; blocks are one-dimensional.
static void bindSubgroups(gpu::GPUFuncOp function, OpBuilder &builder) {
  function.walk([&](Operation *op) {
    builder.setInsertionPoint(op);
    Location loc = op->getLoc();
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(builder, loc, value);
    };
    Value result;
    if (isa<gpu::SubgroupSizeOp>(op)) {
      result = constant(warpSize);
    } else if (isa<gpu::SubgroupIdOp>(op)) {
      Value thread = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
      result = arith::DivUIOp::create(builder, loc, thread, constant(warpSize));
    } else if (isa<gpu::NumSubgroupsOp>(op)) {
      Value size = gpu::BlockDimOp::create(builder, loc, gpu::Dimension::x);
      Value up = arith::AddIOp::create(builder, loc, size, constant(warpSize - 1));
      result = arith::DivUIOp::create(builder, loc, up, constant(warpSize));
    }
    if (result) {
      op->replaceAllUsesWith(ValueRange{result});
      op->erase();
    }
  });
}

void NvvmExpandPass::runOnOperation() {
  GreedyRewriteConfig config;
  config.enableFolding(false).setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  if (failed(applyPatternsGreedily(getOperation(), patterns, config))) {
    signalPassFailure();
    return;
  }
  OpBuilder builder(&getContext());
  for (auto function : getOperation().getOps<gpu::GPUFuncOp>()) {
    bindSubgroups(function, builder);
    bindExtents<gpu::BlockDimOp, gpu::ThreadIdOp>(function, /*ofBlock=*/true, builder);
    bindExtents<gpu::GridDimOp, gpu::BlockIdOp>(function, /*ofBlock=*/false, builder);
  }
}

std::unique_ptr<Pass> createNvvmExpandPass() {
  return std::make_unique<NvvmExpandPass>();
}

} // namespace zyxc

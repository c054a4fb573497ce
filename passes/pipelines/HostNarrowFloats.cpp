// f16 and bf16 on processors that only load and store them.
#include "dialects/zyxk/scalar/ScalarBody.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/pipelines/HostPipeline.h"

using namespace mlir;

namespace zyxc {

static bool isNarrow(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isF16() || element.isBF16();
}

/// `type` with f32 in the place of f16 and bf16.
static Type widened(Type type) {
  Type f32 = Float32Type::get(type.getContext());
  if (!isNarrow(type)) {
    return type;
  }
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(vector.clone(f32)) : f32;
}

/// The dtype of element types that are narrow floats or wider than f32's 24 bits, integers being
/// signed or not as the op says.
static DType dtypeOf(Type type, bool isSigned) {
  Type element = getElementTypeOrSelf(type);
  if (isa<FloatType>(element)) {
    return element.isF16() ? DType::F16 : element.isBF16() ? DType::BF16 : DType::F64;
  }
  if (element.isInteger(32)) {
    return isSigned ? DType::I32 : DType::U32;
  }
  return isSigned ? DType::I64 : DType::U64;
}

/// Whether the op computes with floats that are narrow.
static bool computesNarrow(Operation *op) {
  bool computes = isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
                  isa<vector::ReductionOp, vector::MultiDimReductionOp, vector::FMAOp>(op);
  bool moves = isa<arith::ConstantOp, arith::SelectOp, arith::BitcastOp>(op);
  return computes && !moves &&
         (llvm::any_of(op->getOperandTypes(), isNarrow) ||
          llvm::any_of(op->getResultTypes(), isNarrow));
}

namespace {

/// Rewrites the ops of a module, each after those that it uses.
class NarrowFloats {
public:
  void rewrite(Operation *op);

private:
  Value widen(OpBuilder &builder, Value value);
  void rewriteInF32(Operation *op);
  void replace(Operation *op, Value value);

  /// What a value was before it was rounded, so that a chain of ops is rounded at its end only.
  DenseMap<Value, Value> exact;
};

struct HostNarrowFloatsPass : PassWrapper<HostNarrowFloatsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(HostNarrowFloatsPass)

  StringRef getArgument() const override { return "zyxk-host-narrow-floats"; }
  StringRef getDescription() const override { return "Compute f16 and bf16 in f32"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, math::MathDialect>();
  }
  void runOnOperation() override;
};

} // namespace

Value NarrowFloats::widen(OpBuilder &builder, Value value) {
  if (!isNarrow(value.getType())) {
    return value;
  }
  if (Value known = exact.lookup(value)) {
    return known;
  }
  return arith::ExtFOp::create(builder, value.getLoc(), widened(value.getType()), value);
}

void NarrowFloats::replace(Operation *op, Value value) {
  op->getResult(0).replaceAllUsesWith(value);
  op->erase();
}

void NarrowFloats::rewriteInF32(Operation *op) {
  OpBuilder builder(op);
  IRMapping mapping;
  for (Value operand : op->getOperands()) {
    mapping.map(operand, widen(builder, operand));
  }
  Operation *wide = builder.clone(*op, mapping);
  for (auto [old, result] : llvm::zip_equal(op->getResults(), wide->getResults())) {
    Type type = old.getType();
    Value rounded = result;
    if (isNarrow(type)) {
      result.setType(widened(type));
      rounded = arith::TruncFOp::create(builder, op->getLoc(), type, result);
      exact[rounded] = result;
    }
    old.replaceAllUsesWith(rounded);
  }
  op->erase();
}

/// Conversions between narrow types and f32 stay. Those of wider types must not round twice.
void NarrowFloats::rewrite(Operation *op) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  Value from = op->getOperand(0);
  Type element = getElementTypeOrSelf(from.getType());
  Type to = op->getResult(0).getType();
  if (isa<arith::ExtFOp>(op)) {
    if (!getElementTypeOrSelf(to).isF32()) {
      Value wide = arith::ExtFOp::create(builder, loc, widened(from.getType()), from);
      replace(op, arith::ExtFOp::create(builder, loc, to, wide));
    }
    return;
  }
  bool truncates = isa<arith::TruncFOp>(op);
  if (truncates && element.isF32()) {
    return;
  }
  bool fromInteger = isa<arith::SIToFPOp, arith::UIToFPOp>(op);
  constexpr unsigned exactBits = 24; ///< of integers in f32
  if (truncates || (fromInteger && element.getIntOrFloatBitWidth() > exactBits)) {
    bool isSigned = isa<arith::SIToFPOp>(op);
    replace(op, emitScalar(builder, loc, OpKind::Cast, dtypeOf(from.getType(), isSigned), from,
                           dtypeOf(to, isSigned)));
    return;
  }
  rewriteInF32(op);
}

void HostNarrowFloatsPass::runOnOperation() {
  SmallVector<Operation *> ops;
  getOperation().walk([&](Operation *op) {
    if (computesNarrow(op)) {
      ops.push_back(op);
    }
  });
  NarrowFloats floats;
  for (Operation *op : ops) {
    floats.rewrite(op);
  }
}

std::unique_ptr<Pass> createHostNarrowFloatsPass() {
  return std::make_unique<HostNarrowFloatsPass>();
}

//===- Bits ----------------------------------------------------------------------------------===//

namespace {

/// A constant of bf16 by its bits.
struct ConstantBits : ConvertOpToLLVMPattern<arith::ConstantOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(arith::ConstantOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isBF16()) {
      return failure();
    }
    Type type = getTypeConverter()->convertType(op.getType());
    TypedAttr bits;
    if (auto scalar = dyn_cast<FloatAttr>(op.getValue())) {
      bits = rewriter.getIntegerAttr(type, scalar.getValue().bitcastToAPInt());
    } else if (auto elements = dyn_cast<DenseElementsAttr>(op.getValue())) {
      bits = elements.bitcast(rewriter.getI16Type());
    } else {
      return failure();
    }
    rewriter.replaceOpWithNewOp<LLVM::ConstantOp>(op, type, bits);
    return success();
  }
};

} // namespace

void populateBf16BitsPatterns(LLVMTypeConverter &converter, RewritePatternSet &patterns) {
  converter.addConversion(
      [](BFloat16Type type) -> Type { return IntegerType::get(type.getContext(), 16); });
  converter.addConversion([&converter](VectorType type) -> std::optional<Type> {
    if (!type.getElementType().isBF16()) {
      return std::nullopt;
    }
    return converter.convertType(type.clone(IntegerType::get(type.getContext(), 16)));
  });
  patterns.add<ConstantBits>(converter, /*benefit=*/10);
}

} // namespace zyxc

#include "passes/pipelines/GpuToNvvm.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/Passes.h"
#include "passes/lower/tile/GpuFunction.h"
#include "passes/pipelines/GpuToNvvmMath.h"
#include "passes/pipelines/GpuToNvvmMemory.h"

using namespace mlir;

namespace zyxc {

namespace {

/// A kernel's function: ports are pointers that do not alias, tensor maps lie in the parameters.
struct FunctionPattern : ConvertOpToLLVMPattern<gpu::GPUFuncOp> {
  explicit FunctionPattern(const LLVMTypeConverter &converter)
      : ConvertOpToLLVMPattern(converter, /*benefit=*/10) {}

  LogicalResult matchAndRewrite(gpu::GPUFuncOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override;
};

struct GpuToNvvmPass : PassWrapper<GpuToNvvmPass, OperationPass<gpu::GPUModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(GpuToNvvmPass)

  GpuToNvvmPass() = default;
  explicit GpuToNvvmPass(bool hasLibdevice) { this->hasLibdevice = hasLibdevice; }
  GpuToNvvmPass(const GpuToNvvmPass &other)
      : PassWrapper(other), narrow(other.narrow), wide(other.wide) {}

  StringRef getArgument() const override { return "zyxk-gpu-to-nvvm"; }
  StringRef getDescription() const override {
    return "Convert lowered GPU kernels to the LLVM and NVVM dialects";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, cf::ControlFlowDialect, LLVM::LLVMDialect,
                    NVVM::NVVMDialect>();
  }
  LogicalResult initialize(MLIRContext *context) override;
  void runOnOperation() override;

  /// Patterns and the types that they convert to. Made once: that takes longer than most kernels.
  struct Conversion {
    Conversion(MLIRContext *context, unsigned indexBits);

    LLVMTypeConverter converter;
    FrozenRewritePatternSet patterns;
  };
  std::shared_ptr<const Conversion> narrow, wide; ///< by the width of indices

  Option<bool> hasLibdevice{*this, "libdevice",
                            llvm::cl::desc("Functions may be calls of libdevice"),
                            llvm::cl::init(true)};
};

} // namespace

static constexpr StringLiteral readOnlyAttrName = "zyxk.read_only";

/// Whether nothing in the function writes through a memref or lets its address out.
static bool isOnlyRead(Value memref) {
  return llvm::all_of(memref.getUsers(), [&](Operation *user) {
    if (isa<memref::LoadOp, vector::LoadOp>(user)) {
      return true;
    }
    if (isa<memref::SubViewOp, memref::ReinterpretCastOp, memref::CastOp, memref::CollapseShapeOp,
            memref::ExpandShapeOp, memref::ViewOp, memref::AssumeAlignmentOp>(user)) {
      return isOnlyRead(user->getResult(0));
    }
    return false;
  });
}

/// Checks the form of a kernel and marks the ports that it only reads.
static LogicalResult prepare(gpu::GPUFuncOp function, bool hasLibdevice) {
  auto blocks = function.getKnownBlockSizeAttr();
  if (!blocks || blocks[1] != 1 || blocks[2] != 1) {
    return function.emitOpError("needs known_block_size, with threads in the first dimension only");
  }
  if (function.getNumWorkgroupAttributions() || function.getNumPrivateAttributions()) {
    return function.emitOpError("workgroup memory is a memref.alloc, not an attribution");
  }
  WalkResult calls = function.walk([&](Operation *op) {
    if (hasLibdevice || !isLibdeviceCall(op)) {
      return WalkResult::advance();
    }
    op->emitOpError("on ") << op->getResult(0).getType()
                           << " needs libdevice, which was not found: install the CUDA toolkit, or "
                              "set CUDA_HOME to it";
    return WalkResult::interrupt();
  });
  if (calls.wasInterrupted()) {
    return failure();
  }
  int64_t shared = 0;
  function.walk([&](memref::AllocOp op) {
    MemRefType type = op.getType();
    if (type.hasStaticShape()) {
      shared += llvm::alignTo<16>(type.getNumElements() *
                                  llvm::divideCeil(type.getElementTypeBitWidth(), 8));
    }
  });
  if (shared > staticSharedLimit) {
    return function.emitOpError("has ")
           << shared << " bytes of static workgroup memory; what exceeds " << staticSharedLimit
           << " must be dynamic (gpu.dynamic_shared_memory)";
  }
  if (function->hasAttr(startsEarlyAttrName)) {
    OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
    NVVM::GriddepcontrolOp::create(builder, function.getLoc(), NVVM::GridDepActionKind::wait);
  }
  for (BlockArgument argument : function.getArguments()) {
    if (isa<MemRefType>(argument.getType()) && isOnlyRead(argument)) {
      function.setArgAttr(argument.getArgNumber(), readOnlyAttrName,
                          UnitAttr::get(function.getContext()));
    }
  }
  return success();
}

/// What a kernel's parameter says to LLVM.
static DictionaryAttr parameterAttributes(gpu::GPUFuncOp function, unsigned i, Builder &builder) {
  Type type = function.getArgumentTypes()[i];
  SmallVector<NamedAttribute> attributes;
  UnitAttr unit = builder.getUnitAttr();
  if (isa<MemRefType>(type)) {
    attributes.push_back(builder.getNamedAttr(LLVM::LLVMDialect::getNoAliasAttrName(), unit));
    if (function.getArgAttr(i, readOnlyAttrName)) {
      attributes.push_back(builder.getNamedAttr(LLVM::LLVMDialect::getReadonlyAttrName(), unit));
    }
  } else if (isa<LLVM::LLVMPointerType>(type)) {
    // Without grid_constant LLVM copies the map to the stack, where no tensor copy finds it.
    auto map = LLVM::LLVMArrayType::get(builder.getI8Type(), 128);
    attributes = {
        builder.getNamedAttr(LLVM::LLVMDialect::getAlignAttrName(), builder.getI64IntegerAttr(64)),
        builder.getNamedAttr(LLVM::LLVMDialect::getByValAttrName(), TypeAttr::get(map)),
        builder.getNamedAttr(NVVM::NVVMDialect::getGridConstantAttrName(), unit)};
  }
  return builder.getDictionaryAttr(attributes);
}

LogicalResult FunctionPattern::matchAndRewrite(gpu::GPUFuncOp op, OpAdaptor adaptor,
                                               ConversionPatternRewriter &rewriter) const {
  TypeConverter::SignatureConversion signature(op.getNumArguments());
  SmallVector<Type> types;
  for (auto [i, type] : llvm::enumerate(op.getArgumentTypes())) {
    Type converted = getTypeConverter()->convertType(type);
    if (!converted) {
      return rewriter.notifyMatchFailure(op, "a parameter's type has no form in LLVM");
    }
    signature.addInputs(i, converted);
    types.push_back(converted);
  }
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(getContext()), types);
  auto function = LLVM::LLVMFuncOp::create(rewriter, op.getLoc(), op.getName(), type);
  for (NamedAttribute attribute : op->getDiscardableAttrs()) {
    if (attribute.getName().strref().starts_with("zyxk.")) {
      function->setAttr(attribute.getName(), attribute.getValue());
    }
  }
  if (op.isKernel()) {
    function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), rewriter.getUnitAttr());
  }
  function->setAttr(NVVM::NVVMDialect::getMaxntidAttrName(), op.getKnownBlockSizeAttr());
  if (auto blocks = op->getAttrOfType<IntegerAttr>(minBlocksAttrName)) {
    function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                      rewriter.getI32IntegerAttr(blocks.getInt()));
  }
  SmallVector<DictionaryAttr> attributes;
  for (unsigned i = 0; i < op.getNumArguments(); ++i) {
    attributes.push_back(parameterAttributes(op, i, rewriter));
  }
  function.setAllArgAttrs(llvm::to_vector_of<Attribute>(attributes));
  rewriter.inlineRegionBefore(op.getBody(), function.getBody(), function.end());
  if (failed(rewriter.convertRegionTypes(&function.getBody(), *getTypeConverter(), &signature))) {
    return failure();
  }
  rewriter.eraseOp(op);
  return success();
}

/// Whether all memory that indices reach is below 2 GiB, and nothing else needs more than 32 bits.
static bool fitsNarrowIndex(gpu::GPUModuleOp module) {
  if (module->hasAttr(wideIndexAttrName)) {
    return false;
  }
  return llvm::all_of(module.getOps<gpu::GPUFuncOp>(), [](gpu::GPUFuncOp function) {
    return llvm::all_of(function.getArgumentTypes(), [](Type type) {
      auto memref = dyn_cast<MemRefType>(type);
      return !memref ||
             (memref.hasStaticShape() &&
              memref.getNumElements() * llvm::divideCeil(memref.getElementTypeBitWidth(), 8) <
                  (int64_t(1) << 31));
    });
  });
}

/// Index arithmetic does not overflow: said here once, for all drivers.
static void markNoOverflow(gpu::GPUModuleOp module) {
  auto nsw =
      arith::IntegerOverflowFlagsAttr::get(module.getContext(), arith::IntegerOverflowFlags::nsw);
  module.walk([&](Operation *op) {
    if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op) &&
        op->getResult(0).getType().isIndex()) {
      op->setAttr("overflowFlags", nsw);
    }
  });
}

/// Functions that LLVM has an intrinsic for, but PTX no instruction.
static LogicalResult checkSelectable(gpu::GPUModuleOp module) {
  WalkResult walk = module.walk([](Operation *op) {
    if (isa<LLVM::ExpOp, LLVM::LogOp, LLVM::Log2Op, LLVM::Log10Op, LLVM::PowOp, LLVM::Exp10Op,
            LLVM::ACosOp, LLVM::ASinOp, LLVM::ATanOp, LLVM::CoshOp, LLVM::SinhOp, LLVM::TanOp>(
            op)) {
      op->emitOpError("has no instruction on this target");
      return WalkResult::interrupt();
    }
    Type type =
        op->getNumResults() == 1 ? getElementTypeOrSelf(op->getResult(0).getType()) : Type();
    if (isa<LLVM::Exp2Op, LLVM::SinOp, LLVM::CosOp, LLVM::TanhOp>(op) && !type.isF32()) {
      op->emitOpError("on ") << type << " has no instruction on this target";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

static LowerToLLVMOptions withIndexBits(MLIRContext *context, unsigned bits) {
  LowerToLLVMOptions options(context);
  options.overrideIndexBitwidth(bits);
  return options;
}

GpuToNvvmPass::Conversion::Conversion(MLIRContext *context, unsigned indexBits)
    : converter(context, withIndexBits(context, indexBits)) {
  configureGpuMemory(converter);
  RewritePatternSet set(context);
  populateSCFToControlFlowConversionPatterns(set);
  cf::populateControlFlowToLLVMConversionPatterns(converter, set);
  arith::populateArithToLLVMConversionPatterns(converter, set);
  index::populateIndexToLLVMConversionPatterns(converter, set);
  ub::populateUBToLLVMConversionPatterns(converter, set);
  populateLibdevicePatterns(converter, set);
  populateMathToLLVMConversionPatterns(converter, set, /*approximateLog1p=*/false,
                                       /*benefit=*/2);
  populateVectorToLLVMConversionPatterns(converter, set, /*reassociateFPReductions=*/false,
                                         /*force32BitVectorIndices=*/true);
  populateGpuMemoryPatterns(converter, set);
  set.add<FunctionPattern>(converter);
  // Its patterns for math call libdevice for everything; ours come first.
  populateGpuToNVVMConversionPatterns(converter, set, /*benefit=*/0);
  patterns = FrozenRewritePatternSet(std::move(set));
}

LogicalResult GpuToNvvmPass::initialize(MLIRContext *context) {
  narrow = std::make_shared<Conversion>(context, 32);
  wide = std::make_shared<Conversion>(context, 64);
  return success();
}

void GpuToNvvmPass::runOnOperation() {
  gpu::GPUModuleOp module = getOperation();
  for (auto function : module.getOps<gpu::GPUFuncOp>()) {
    if (failed(prepare(function, hasLibdevice))) {
      signalPassFailure();
      return;
    }
  }
  if (!module->hasAttr(wideIndexAttrName)) { // whose body may wrap
    markNoOverflow(module);
  }
  LLVMConversionTarget target(getContext());
  target.addLegalDialect<NVVM::NVVMDialect>();
  target.addIllegalDialect<gpu::GPUDialect>();
  target.addLegalOp<gpu::GPUModuleOp>();
  const Conversion &conversion = fitsNarrowIndex(module) ? *narrow : *wide;
  if (failed(applyFullConversion(module, target, conversion.patterns)) ||
      failed(checkSelectable(module))) {
    signalPassFailure();
  }
}

std::unique_ptr<Pass> createGpuToNvvmPass(bool hasLibdevice) {
  return std::make_unique<GpuToNvvmPass>(hasLibdevice);
}

void buildNvvmPipeline(OpPassManager &passes, bool hasLibdevice) {
  OpPassManager &module = passes.nest<gpu::GPUModuleOp>();
  module.addPass(createNvvmExpandPass());
  module.addPass(createCSEPass());
  module.addPass(createGpuToNvvmPass(hasLibdevice));
}

void registerNvvmPipeline() {
  registerPass(createNvvmExpandPass);
  registerPass([] { return createGpuToNvvmPass(); });
  PassPipelineRegistration<>("zyxk-nvvm-pipeline",
                             "Lowered GPU kernels to the LLVM and NVVM dialects",
                             [](OpPassManager &passes) { buildNvvmPipeline(passes); });
}

} // namespace zyxc

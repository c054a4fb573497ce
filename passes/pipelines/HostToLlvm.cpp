#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/DialectConversion.h"
#include "passes/pipelines/HostPipeline.h"

using namespace mlir;

namespace zyxc {

namespace {

struct HostToLlvmPass : PassWrapper<HostToLlvmPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(HostToLlvmPass)

  StringRef getArgument() const override { return "zyxk-host-to-llvm"; }
  StringRef getDescription() const override {
    return "Convert lowered host kernels to the LLVM dialect";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, cf::ControlFlowDialect, LLVM::LLVMDialect>();
  }
  LogicalResult initialize(MLIRContext *context) override;
  void runOnOperation() override;

  // Made once for all modules. Patterns refer to the converter.
  std::shared_ptr<LLVMTypeConverter> converter;
  FrozenRewritePatternSet patterns;
};

} // namespace

/// An entry that the runtime calls: it loads the addresses and the dims from the argument slots.
struct Entry {
  std::string name;
  SmallVector<NamedAttribute> attributes;
  unsigned numDims = 0;
};

/// Renames each lowered kernel to NAME.body, marks its ports noalias, and lists its entry.
static SmallVector<Entry> takeEntries(ModuleOp module) {
  SmallVector<Entry> entries;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function->hasAttr(numTasksAttrName)) {
      continue;
    }
    Entry entry;
    entry.name = function.getSymName().str();
    if (auto dims = function->getAttrOfType<IntegerAttr>(dimsAttrName)) {
      entry.numDims = dims.getInt();
    }
    for (NamedAttribute attribute : function->getDiscardableAttrs()) {
      entry.attributes.push_back(attribute);
    }
    for (NamedAttribute attribute : entry.attributes) {
      function->removeDiscardableAttr(attribute.getName());
    }
    function.setSymName(entry.name + ".body");
    function.setPrivate();
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      if (isa<MemRefType>(function.getArgument(i).getType())) {
        function.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                            UnitAttr::get(function.getContext()));
      }
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

/// Emits `NAME(ptr args, i64 lo, i64 hi)`, which calls NAME.body.
static void emitEntry(ModuleOp module, const Entry &entry) {
  auto body = module.lookupSymbol<LLVM::LLVMFuncOp>(entry.name + ".body");
  OpBuilder b(body);
  Location loc = body.getLoc();
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  Type i64 = b.getI64Type();
  auto type =
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), {pointer, i64, i64});
  body.setLinkage(LLVM::Linkage::Internal);
  auto function = LLVM::LLVMFuncOp::create(b, loc, entry.name, type);
  function->setDiscardableAttrs(b.getDictionaryAttr(entry.attributes));
  Block *block = function.addEntryBlock(b);
  b.setInsertionPointToStart(block);
  SmallVector<Value> operands;
  unsigned numSlots = body.getNumArguments() - 2;
  for (unsigned i = 0; i < numSlots; ++i) {
    Value slot = LLVM::GEPOp::create(b, loc, pointer, i64, block->getArgument(0),
                                     ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
    Type type = i < numSlots - entry.numDims ? Type(pointer) : i64;
    operands.push_back(LLVM::LoadOp::create(b, loc, type, slot));
  }
  operands.push_back(block->getArgument(1));
  operands.push_back(block->getArgument(2));
  LLVM::CallOp::create(b, loc, body, operands);
  LLVM::ReturnOp::create(b, loc, ValueRange());
}

LogicalResult HostToLlvmPass::initialize(MLIRContext *context) {
  LowerToLLVMOptions options(context);
  options.useBarePtrCallConv = true;
  converter = std::make_shared<LLVMTypeConverter>(context, options);
  RewritePatternSet set(context);
  populateBf16BitsPatterns(*converter, set);
  populateSCFToControlFlowConversionPatterns(set);
  cf::populateControlFlowToLLVMConversionPatterns(*converter, set);
  arith::populateArithToLLVMConversionPatterns(*converter, set);
  index::populateIndexToLLVMConversionPatterns(*converter, set);
  ub::populateUBToLLVMConversionPatterns(*converter, set);
  populateMathToLLVMConversionPatterns(*converter, set, /*approximateLog1p=*/false, /*benefit=*/2);
  populateMathToLibmConversionPatterns(set);
  populateFinalizeMemRefToLLVMConversionPatterns(*converter, set);
  populateVectorToLLVMConversionPatterns(*converter, set, /*reassociateFPReductions=*/false,
                                         /*force32BitVectorIndices=*/true);
  populateFuncToLLVMConversionPatterns(*converter, set);
  patterns = FrozenRewritePatternSet(std::move(set));
  return success();
}

void HostToLlvmPass::runOnOperation() {
  ModuleOp module = getOperation();
  SmallVector<Entry> entries = takeEntries(module);
  LLVMConversionTarget target(getContext());
  target.addLegalOp<ModuleOp>();
  if (failed(applyFullConversion(module, target, patterns))) {
    signalPassFailure();
    return;
  }
  for (const Entry &entry : entries) {
    emitEntry(module, entry);
  }
}

std::unique_ptr<Pass> createHostToLlvmPass() {
  return std::make_unique<HostToLlvmPass>();
}

} // namespace zyxc

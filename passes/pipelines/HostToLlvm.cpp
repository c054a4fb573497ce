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
  int64_t sliceTasks = 0;  ///< 0: the body runs over all tasks
  int64_t slicePoints = 0; ///< not 0: the body takes how many points its slice has
  SmallVector<int64_t> sliceBytes;
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
    if (auto tasks = function->getAttrOfType<IntegerAttr>(sliceTasksAttrName)) {
      entry.sliceTasks = tasks.getInt();
      llvm::append_range(
          entry.sliceBytes,
          function->getAttrOfType<DenseI64ArrayAttr>(sliceBytesAttrName).asArrayRef());
      if (auto points = function->getAttrOfType<IntegerAttr>(slicePointsAttrName)) {
        entry.slicePoints = points.getInt();
      }
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

/// Ends an entry by a loop over the slices that have some of its tasks; each call of the body gets
/// the addresses of one slice and its part of the tasks. `dims` are those of the kernel.
static void emitSliceLoop(OpBuilder &b, LLVM::LLVMFuncOp body, const Entry &entry,
                          ArrayRef<Value> slots, ArrayRef<Value> dims) {
  Location loc = body.getLoc();
  Block *block = b.getInsertionBlock();
  Region *region = block->getParent();
  Value lo = block->getArgument(1);
  Value hi = block->getArgument(2);
  Type i64 = b.getI64Type();
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto constant = [&](int64_t value) -> Value {
    return LLVM::ConstantOp::create(b, loc, i64, b.getI64IntegerAttr(value));
  };
  Value tasks = constant(entry.sliceTasks);
  Value zero = constant(0);
  Value one = constant(1);
  Value points = one;
  for (Value dim : dims) {
    points = LLVM::MulOp::create(b, loc, points, dim);
  }
  Value first = LLVM::UDivOp::create(b, loc, lo, tasks);
  Block *header = b.createBlock(region, region->end(), {i64}, {loc});
  Block *inside = b.createBlock(region, region->end());
  Block *exit = b.createBlock(region, region->end());
  b.setInsertionPointToEnd(block);
  LLVM::BrOp::create(b, loc, first, header);
  b.setInsertionPointToEnd(header);
  Value slice = header->getArgument(0);
  Value begin = LLVM::MulOp::create(b, loc, slice, tasks);
  Value more = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::slt, begin, hi);
  LLVM::CondBrOp::create(b, loc, more, inside, exit);
  b.setInsertionPointToEnd(inside);
  SmallVector<Value> operands(slots);
  for (auto [port, bytes] : llvm::enumerate(entry.sliceBytes)) {
    if (bytes != 0) {
      Value offset = LLVM::MulOp::create(b, loc, slice, constant(bytes));
      operands[port] = LLVM::GEPOp::create(b, loc, pointer, b.getI8Type(), operands[port],
                                           ArrayRef<LLVM::GEPArg>{offset});
    }
  }
  Value from = LLVM::SubOp::create(b, loc, lo, begin);
  Value to = LLVM::SubOp::create(b, loc, hi, begin);
  operands.push_back(LLVM::SMaxOp::create(b, loc, from, zero));
  operands.push_back(LLVM::SMinOp::create(b, loc, to, tasks));
  if (entry.slicePoints) {
    Value most = constant(entry.slicePoints);
    Value before = LLVM::MulOp::create(b, loc, slice, most);
    Value left = LLVM::SubOp::create(b, loc, points, before);
    operands.push_back(LLVM::SMinOp::create(b, loc, left, most));
  }
  LLVM::CallOp::create(b, loc, body, operands);
  LLVM::BrOp::create(b, loc, Value(LLVM::AddOp::create(b, loc, slice, one)), header);
  b.setInsertionPointToEnd(exit);
  LLVM::ReturnOp::create(b, loc, ValueRange());
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
  // The body of a slice takes no dims; with points, those behind its tasks.
  unsigned dimsOfBody = entry.sliceTasks ? 0 : entry.numDims;
  unsigned numAddresses =
      body.getNumArguments() - 2 - dimsOfBody - (entry.slicePoints != 0 ? 1 : 0);
  SmallVector<Value> operands;
  SmallVector<Value> dims;
  for (unsigned i = 0; i < numAddresses + entry.numDims; ++i) {
    Value slot = LLVM::GEPOp::create(b, loc, pointer, i64, block->getArgument(0),
                                     ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
    bool isAddress = i < numAddresses;
    Value loaded = LLVM::LoadOp::create(b, loc, isAddress ? Type(pointer) : i64, slot);
    (isAddress ? operands : dims).push_back(loaded);
  }
  if (entry.sliceTasks) {
    emitSliceLoop(b, body, entry, operands, dims);
    return;
  }
  operands.append(dims);
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

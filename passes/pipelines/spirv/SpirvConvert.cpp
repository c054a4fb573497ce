#include "mlir/Conversion/ArithToSPIRV/ArithToSPIRV.h"
#include "mlir/Conversion/GPUToSPIRV/GPUToSPIRV.h"
#include "mlir/Conversion/IndexToSPIRV/IndexToSPIRV.h"
#include "mlir/Conversion/MathToSPIRV/MathToSPIRV.h"
#include "mlir/Conversion/SCFToSPIRV/SCFToSPIRV.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"
#include "mlir/Dialect/SPIRV/Transforms/SPIRVConversion.h"
#include "passes/lower/tile/GpuFunction.h"
#include "passes/pipelines/spirv/GpuToSpirv.h"
#include "passes/pipelines/spirv/SpirvLanes.h"

using namespace mlir;

namespace zyxc {

namespace {

struct SpirvLanesPass : PassWrapper<SpirvLanesPass, OperationPass<gpu::GPUModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SpirvLanesPass)

  SpirvLanesPass(const SpirvTarget &target) : target(target) {}
  StringRef getArgument() const override { return "zyxk-spirv-lanes"; }
  StringRef getDescription() const override {
    return "Rewrite a GPU kernel to scalars, addresses and variables";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, scf::SCFDialect, spirv::SPIRVDialect>();
  }
  void runOnOperation() override;

  SpirvTarget target;
};

struct SpirvConvertPass : PassWrapper<SpirvConvertPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SpirvConvertPass)

  SpirvConvertPass(const SpirvTarget &target) : target(target) {}
  StringRef getArgument() const override { return "zyxk-spirv-convert"; }
  StringRef getDescription() const override {
    return "Convert a GPU kernel of scalars to the SPIR-V dialect";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<spirv::SPIRVDialect>();
  }
  void runOnOperation() override;
  LogicalResult convert(gpu::GPUModuleOp module);

  SpirvTarget target;
};

} // namespace

void SpirvLanesPass::runOnOperation() {
  gpu::GPUModuleOp module = getOperation();
  bool isWide = module->hasAttr(wideIndexAttrName);
  auto functions = llvm::to_vector(module.getOps<gpu::GPUFuncOp>());
  for (gpu::GPUFuncOp function : functions) {
    if (failed(LaneRewriter(module, isWide, target.subgroupSize).run(function))) {
      return signalPassFailure();
    }
  }
}

namespace {

/// exp2 by the device: what SpirvMath leaves of it.
struct NativeExp2 : OpConversionPattern<math::Exp2Op> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(math::Exp2Op op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<spirv::GLExp2Op>(op, adaptor.getOperand());
    return success();
  }
};

} // namespace

/// What code for `target` may use.
static spirv::TargetEnvAttr targetEnv(MLIRContext *context, const SpirvTarget &target) {
  using enum spirv::Capability;
  SmallVector<spirv::Capability> capabilities = {Shader,
                                                 Int64,
                                                 PhysicalStorageBufferAddresses,
                                                 GroupNonUniform,
                                                 GroupNonUniformVote,
                                                 GroupNonUniformArithmetic,
                                                 GroupNonUniformBallot,
                                                 GroupNonUniformShuffle};
  if (target.float16) {
    capabilities.push_back(Float16);
  }
  if (target.float64) {
    capabilities.push_back(Float64);
  }
  if (target.int16) {
    capabilities.append({Int16, StorageBuffer16BitAccess});
  }
  if (target.int8) {
    capabilities.append({Int8, StorageBuffer8BitAccess});
  }
  if (target.preservesInfNan) {
    capabilities.push_back(SignedZeroInfNanPreserve);
  }
  if (target.preservesDenormals) {
    capabilities.push_back(DenormPreserve);
  }
  using enum spirv::Extension;
  SmallVector<spirv::Extension> extensions = {
      SPV_KHR_storage_buffer_storage_class, SPV_KHR_physical_storage_buffer, SPV_KHR_16bit_storage,
      SPV_KHR_8bit_storage, SPV_KHR_float_controls};
  Builder b(context);
  auto limits = spirv::ResourceLimitsAttr::get(
      context, /*max_compute_shared_memory_size=*/32768, /*max_compute_workgroup_invocations=*/1024,
      b.getI32ArrayAttr({1024, 1024, 64}), target.subgroupSize, std::nullopt, std::nullopt,
      ArrayAttr(), ArrayAttr());
  auto triple = spirv::VerCapExtAttr::get(spirv::Version::V_1_3, capabilities, extensions, context);
  return spirv::TargetEnvAttr::get(triple, limits, spirv::ClientAPI::Vulkan);
}

/// Operations must not be fused behind our back: FMAs are formed before, so that targets agree.
static void forbidContraction(spirv::ModuleOp module) {
  auto unit = UnitAttr::get(module.getContext());
  module.walk([&](Operation *op) {
    if (isa<spirv::FAddOp, spirv::FSubOp, spirv::FMulOp, spirv::FNegateOp>(op)) {
      op->setAttr("no_contraction", unit);
    }
  });
}

/// Widens i32 to i64 without an OpSConvert: x ^ 2^31 has no sign, and 2^31 is taken off again. Mesa
/// (22.3, every driver of it) compares a sign-extended i32 with a constant wrongly: x >= 1 holds
/// for all x.
static void avoidSignExtension(spirv::ModuleOp module) {
  SmallVector<spirv::SConvertOp> conversions;
  module.walk([&](spirv::SConvertOp op) {
    if (op.getOperand().getType().isInteger(32) && op.getType().isInteger(64)) {
      conversions.push_back(op);
    }
  });
  for (spirv::SConvertOp op : conversions) {
    OpBuilder b(op);
    Location loc = op.getLoc();
    constexpr int64_t sign = int64_t(1) << 31;
    auto constant = [&](Type type, int64_t value) -> Value {
      return spirv::ConstantOp::create(b, loc, type, b.getIntegerAttr(type, value));
    };
    Value narrow = op.getOperand();
    Value flipped = spirv::BitwiseXorOp::create(
        b, loc, narrow, constant(narrow.getType(), std::numeric_limits<int32_t>::min()));
    Value wide = spirv::UConvertOp::create(b, loc, op.getType(), flipped);
    Value result = spirv::ISubOp::create(b, loc, wide, constant(op.getType(), sign));
    op.replaceAllUsesWith(result);
    op.erase();
  }
}

/// Declares what the device promises about special values in f32.
static void addFloatModes(spirv::ModuleOp module, const SpirvTarget &target) {
  OpBuilder b(module.getContext());
  b.setInsertionPointToEnd(module.getBody());
  for (auto function : llvm::to_vector(module.getOps<spirv::FuncOp>())) {
    if (target.preservesInfNan) {
      spirv::ExecutionModeOp::create(b, function.getLoc(), function,
                                     spirv::ExecutionMode::SignedZeroInfNanPreserve, {32});
    }
    if (target.preservesDenormals) {
      spirv::ExecutionModeOp::create(b, function.getLoc(), function,
                                     spirv::ExecutionMode::DenormPreserve, {32});
    }
  }
}

/// MLIR's conversion of scf.for writes the loop's results to variables in its body only: a loop
/// that does not run leaves them undefined. Here they begin with the loop's initial values.
static LogicalResult initializeResults(spirv::LoopOp loop) {
  auto entry = dyn_cast<spirv::BranchOp>(loop.getEntryBlock()->getTerminator());
  auto again = dyn_cast<spirv::BranchOp>(loop.getContinueBlock()->getTerminator());
  SmallVector<spirv::StoreOp> stores;
  for (auto store : loop.getContinueBlock()->getOps<spirv::StoreOp>()) {
    auto variable = store.getPtr().getDefiningOp<spirv::VariableOp>();
    if (variable && !loop->isAncestor(variable)) {
      stores.push_back(store);
    }
  }
  if (stores.empty()) {
    return success();
  }
  // The first value that a turn hands to the next is the loop's counter.
  if (!entry || !again || again.getNumOperands() != stores.size() + 1) {
    return loop.emitError("a loop that is no scf.for has results");
  }
  OpBuilder b(loop);
  for (auto [i, store] : llvm::enumerate(stores)) {
    if (store.getValue() != again.getOperand(i + 1)) {
      return loop.emitError("the results of a loop are not in the order of its values");
    }
    spirv::StoreOp::create(b, loop.getLoc(), store.getPtr(), entry.getOperand(i + 1));
  }
  return success();
}

LogicalResult SpirvConvertPass::convert(gpu::GPUModuleOp module) {
  MLIRContext *context = &getContext();
  spirv::TargetEnvAttr env = targetEnv(context, target);
  module->setAttr(spirv::getTargetEnvAttrName(), env);
  for (auto function : module.getOps<gpu::GPUFuncOp>()) {
    auto size = function.getKnownBlockSize();
    if (!size) {
      return function.emitError("needs known_block_size");
    }
    function->setAttr(spirv::getEntryPointABIAttrName(),
                      spirv::getEntryPointABIAttr(context, *size));
  }
  SPIRVConversionOptions options;
  options.use64bitIndex = module->hasAttr(wideIndexAttrName);
  options.emulateLT32BitScalarTypes = false;
  options.emulateUnsupportedFloatTypes = false;
  SPIRVTypeConverter converter(env, options);
  ScfToSPIRVContext scfContext;
  RewritePatternSet patterns(context);
  populateGPUToSPIRVPatterns(converter, patterns);
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  arith::populateArithToSPIRVPatterns(converter, patterns);
  populateMathToSPIRVPatterns(converter, patterns);
  patterns.add<NativeExp2>(converter, context);
  populateSCFToSPIRVPatterns(converter, scfContext, patterns);
  index::populateIndexToSPIRVPatterns(converter, patterns);
  auto conversion = SPIRVConversionTarget::get(env);
  return applyFullConversion(module, *conversion, std::move(patterns));
}

void SpirvConvertPass::runOnOperation() {
  for (auto module : llvm::to_vector(getOperation().getOps<gpu::GPUModuleOp>())) {
    if (failed(convert(module))) {
      return signalPassFailure();
    }
  }
  for (auto module : getOperation().getOps<spirv::ModuleOp>()) {
    WalkResult loops = module.walk([](spirv::LoopOp loop) {
      return failed(initializeResults(loop)) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (loops.wasInterrupted()) {
      return signalPassFailure();
    }
    forbidContraction(module);
    avoidSignExtension(module);
    addFloatModes(module, target);
  }
}

std::unique_ptr<Pass> createSpirvLanesPass(const SpirvTarget &target) {
  return std::make_unique<SpirvLanesPass>(target);
}

std::unique_ptr<Pass> createSpirvConvertPass(const SpirvTarget &target) {
  return std::make_unique<SpirvConvertPass>(target);
}

} // namespace zyxc

#include "compiler/codegen/vulkan/SpirvCompiler.h"
#include "compiler/codegen/gpu/LaunchRecord.h"
#include "compiler/codegen/vulkan/SpirvValidator.h"
#include "dialects/zyxk/IR/ZyxkOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/SPIRV/Serialization.h"
#include "passes/kernel/Transforms.h"
#include "passes/lower/gpu/LowerGpu.h"
#include "passes/pipelines/spirv/GpuToSpirv.h"
#include "runtime/support/Stopwatch.h"

using namespace mlir;

namespace zyxc {

struct SpirvCompiler::Impl {
  Target target;
  SpirvTarget features;
  SpirvOptions options;
  std::unique_ptr<MLIRContext> context;
  std::string diagnostics; ///< text of the errors reported since the last kernel began
  SpirvCompileTimes times; ///< of this kernel

  Impl(const Target &target, const SpirvTarget &features, const SpirvOptions &options);

  Status error(std::string_view step) const {
    return makeError(ErrorCode::Internal, "{}: {}", step, diagnostics);
  }
  Expected<OwningOpRef<ModuleOp>> lower(const std::string &text);
  Status convert(ModuleOp module);
  Status emit(ModuleOp module, SpirvKernel &kernel);
};

Target vulkanTarget(const rt::GpuDeviceInfo &device) {
  Target target = *findTarget("vulkan");
  target.subgroupSize = device.subgroupSize;
  target.maxThreads = device.maxThreads;
  target.sharedBytes = device.sharedBytes;
  if (device.multiprocessors != 0) {
    target.multiprocessors = device.multiprocessors;
  }
  return target;
}

SpirvTarget spirvTarget(const rt::GpuDeviceInfo &device) {
  SpirvTarget target;
  target.subgroupSize = device.subgroupSize;
  target.float16 = device.float16;
  target.float64 = device.float64;
  target.int8 = device.int8;
  target.int16 = device.int16;
  target.preservesInfNan = device.preservesInfNan;
  target.preservesDenormals = device.preservesDenormals;
  return target;
}

static std::unique_ptr<MLIRContext> makeContext() {
  DialectRegistry registry;
  registry.insert<arith::ArithDialect, gpu::GPUDialect, math::MathDialect, memref::MemRefDialect,
                  scf::SCFDialect, spirv::SPIRVDialect, ub::UBDialect, vector::VectorDialect,
                  zyxk::ZyxkDialect>();
  auto context = std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects(); // kernels are lowered outside of a pass manager
  return context;
}

SpirvCompiler::Impl::Impl(const Target &target, const SpirvTarget &features,
                          const SpirvOptions &options)
    : target(target), features(features), options(options), context(makeContext()) {
  this->features.subgroupSize = target.subgroupSize;
  context->getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error) {
      diagnostics += diagnostics.empty() ? "" : "; ";
      diagnostics += diagnostic.str();
    }
    return success();
  });
}

SpirvCompiler::SpirvCompiler(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
SpirvCompiler::~SpirvCompiler() = default;
const Target &SpirvCompiler::target() const {
  return impl->target;
}

Expected<std::unique_ptr<SpirvCompiler>> SpirvCompiler::create(const Target &target,
                                                               const SpirvTarget &features,
                                                               const SpirvOptions &options) {
  if (target.kind != TargetKind::Spirv) {
    return makeError(ErrorCode::Unsupported, "{} is no target of SPIR-V", target.name);
  }
  return std::unique_ptr<SpirvCompiler>(
      new SpirvCompiler(std::make_unique<Impl>(target, features, options)));
}

static std::string print(Operation *op) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  op->print(stream);
  return text + "\n";
}

Expected<OwningOpRef<ModuleOp>> SpirvCompiler::Impl::lower(const std::string &text) {
  diagnostics.clear();
  times = {};
  OwningOpRef<ModuleOp> module;
  {
    Stopwatch watch(times.parse);
    module = parseSourceString<ModuleOp>(text, ParserConfig(context.get()));
  }
  if (!module) {
    return error("kernel does not parse");
  }
  Stopwatch watch(times.lower);
  for (zyxk::KernelOp kernel : llvm::to_vector(module->getOps<zyxk::KernelOp>())) {
    expandForLowering(kernel);
    if (failed(lowerKernelForGpu(kernel, target))) {
      return error("kernel cannot be lowered");
    }
  }
  return module;
}

/// Workgroup memory that a launch has; kernels over the device's limit fail when they run.
static Status checkWorkgroupMemory(gpu::GPUModuleOp module, const Target &target) {
  Status status = Status::ok();
  module.walk([&](gpu::GPUFuncOp function) {
    uint64_t bytes = 0;
    function.walk([&](memref::AllocOp alloc) {
      MemRefType type = alloc.getType();
      if (type.hasStaticShape() && type.getElementType().isIntOrFloat()) {
        bytes += type.getNumElements() * ((type.getElementTypeBitWidth() + 7) / 8);
      }
    });
    if (bytes > target.sharedBytes && status.isOk()) {
      status = makeError(ErrorCode::Unsupported,
                         "{}: {} bytes of workgroup memory, {} has {}: take smaller tiles",
                         function.getName().str(), bytes, target.name, target.sharedBytes);
    }
  });
  return status;
}

Status SpirvCompiler::Impl::convert(ModuleOp module) {
  PassManager passes(context.get(), ModuleOp::getOperationName());
  buildGpuToSpirvPipeline(passes, features);
  Stopwatch watch(times.convert);
  return failed(passes.run(module)) ? error("conversion to SPIR-V failed") : Status::ok();
}

Status SpirvCompiler::Impl::emit(ModuleOp module, SpirvKernel &kernel) {
  auto modules = llvm::to_vector(module.getOps<spirv::ModuleOp>());
  assert(modules.size() == 1 && "one gpu.module became one spirv.module");
  if (options.keepText) {
    kernel.spirv = print(modules.front());
  }
  SmallVector<uint32_t> words;
  {
    Stopwatch watch(times.emit);
    if (failed(spirv::serialize(modules.front(), words))) {
      return error("SPIR-V was not emitted");
    }
  }
  if (options.validate) {
    Stopwatch watch(times.validate);
    ZYXC_RETURN_IF_ERROR(validateSpirv(words));
  }
  kernel.kernel.image.assign(reinterpret_cast<const char *>(words.data()),
                             words.size() * sizeof(uint32_t));
  return Status::ok();
}

Expected<SpirvKernel> SpirvCompiler::compile(const std::string &text) {
  ZYXC_ASSIGN(OwningOpRef<ModuleOp> module, impl->lower(text));
  auto modules = llvm::to_vector(module->getOps<gpu::GPUModuleOp>());
  if (modules.size() != 1) {
    return makeError(ErrorCode::Internal, "{} kernels for a GPU in the module, not one",
                     modules.size());
  }
  SpirvKernel kernel;
  ZYXC_ASSIGN(kernel.kernel, readLaunches(modules.front(), impl->target));
  ZYXC_RETURN_IF_ERROR(checkWorkgroupMemory(modules.front(), impl->target));
  if (impl->options.keepText) {
    kernel.mlir = print(module.get());
  }
  ZYXC_RETURN_IF_ERROR(impl->convert(*module));
  ZYXC_RETURN_IF_ERROR(impl->emit(*module, kernel));
  kernel.times = impl->times;
  return kernel;
}

} // namespace zyxc

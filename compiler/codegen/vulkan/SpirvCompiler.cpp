#include "compiler/codegen/vulkan/SpirvCompiler.h"
#include "compiler/codegen/gpu/GpuLowering.h"
#include "compiler/codegen/gpu/LaunchRecord.h"
#include "compiler/codegen/vulkan/LoopTurns.h"
#include "compiler/codegen/vulkan/SpirvValidator.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/SPIRV/Serialization.h"
#include "passes/pipelines/spirv/GpuToSpirv.h"
#include "runtime/support/Stopwatch.h"

using namespace mlir;

namespace zyxc {

struct SpirvCompiler::Impl {
  Target target;
  SpirvTarget features;
  SpirvOptions options;
  GpuLowering lowering;
  SpirvCompileTimes times; ///< of this kernel

  Impl(const Target &target, const SpirvTarget &features, const SpirvOptions &options);

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
  target.maxLoopTurns = device.maxLoopTurns;
  return target;
}

static DialectRegistry spirvDialects() {
  DialectRegistry registry;
  addGpuDialects(registry);
  registry.insert<spirv::SPIRVDialect>();
  return registry;
}

SpirvCompiler::Impl::Impl(const Target &target, const SpirvTarget &features,
                          const SpirvOptions &options)
    : target(target), features(features), options(options), lowering(spirvDialects()) {
  this->features.subgroupSize = target.subgroupSize;
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

/// Turns of the kernel's loops; Unsupported where the device would leave them too early.
static Expected<int64_t> countLoopTurns(gpu::GPUModuleOp module, const SpirvTarget &features) {
  Status status = Status::ok();
  int64_t most = 0;
  module.walk([&](gpu::GPUFuncOp function) {
    int64_t turns = mostLoopTurns(function);
    most = std::max(most, turns);
    if (features.maxLoopTurns && turns > features.maxLoopTurns && status.isOk()) {
      std::string count =
          turns == INT64_MAX ? "an unknown number of" : fmt::format("up to {}", turns);
      status = makeError(ErrorCode::Unsupported,
                         "{}: {} turns of loops in one thread, this device ends threads after {} "
                         "and loses the rest; take smaller sizes, or a GPU",
                         function.getName().str(), count, features.maxLoopTurns);
    }
  });
  ZYXC_RETURN_IF_ERROR(std::move(status));
  return most;
}

Status SpirvCompiler::Impl::convert(ModuleOp module) {
  Stopwatch watch(times.convert);
  PassManager functions(lowering.context(), ModuleOp::getOperationName());
  buildSpirvFunctionPipeline(functions, features);
  if (failed(functions.run(module))) {
    return lowering.refusal("kernel cannot be compiled for Vulkan");
  }
  PassManager passes(lowering.context(), ModuleOp::getOperationName());
  buildSpirvConversionPipeline(passes, features);
  return failed(passes.run(module)) ? lowering.error("conversion to SPIR-V failed") : Status::ok();
}

Status SpirvCompiler::Impl::emit(ModuleOp module, SpirvKernel &kernel) {
  auto modules = llvm::to_vector(module.getOps<spirv::ModuleOp>());
  assert(modules.size() == 1 && "one gpu.module became one spirv.module");
  if (options.keepText) {
    kernel.spirv = textOf(modules.front());
  }
  SmallVector<uint32_t> words;
  {
    Stopwatch watch(times.emit);
    if (failed(spirv::serialize(modules.front(), words))) {
      return lowering.error("SPIR-V was not emitted");
    }
  }
  if (options.validate) {
    Stopwatch watch(times.validate);
    ZYXC_RETURN_IF_ERROR(validateSpirv(words));
  }
  kernel.kernel.image.assign(reinterpret_cast<const char *>(words.data()),
                             words.size() * sizeof(uint32_t));
  ZYXC_ASSIGN(kernel.needs, needsOfSpirv(words));
  return Status::ok();
}

Expected<SpirvKernel> SpirvCompiler::compile(const std::string &text) {
  impl->times = {};
  ZYXC_ASSIGN(OwningOpRef<ModuleOp> module,
              impl->lowering.lower(text, impl->target, impl->times.parse, impl->times.lower));
  ZYXC_ASSIGN(gpu::GPUModuleOp gpuModule, onlyGpuModule(*module));
  SpirvKernel kernel;
  ZYXC_ASSIGN(kernel.kernel, readLaunches(gpuModule, impl->target));
  ZYXC_RETURN_IF_ERROR(checkWorkgroupMemory(gpuModule, impl->target));
  ZYXC_ASSIGN(kernel.loopTurns, countLoopTurns(gpuModule, impl->features));
  if (impl->options.keepText) {
    kernel.mlir = textOf(module.get());
  }
  ZYXC_RETURN_IF_ERROR(impl->convert(*module));
  ZYXC_RETURN_IF_ERROR(impl->emit(*module, kernel));
  kernel.times = impl->times;
  return kernel;
}

} // namespace zyxc

#include "compiler/codegen/cuda/PtxCompiler.h"
#include "compiler/codegen/cuda/Assembler.h"
#include "compiler/codegen/cuda/PtxEmitter.h"
#include "compiler/codegen/gpu/GpuLowering.h"
#include "compiler/codegen/gpu/LaunchRecord.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "passes/pipelines/GpuToNvvm.h"
#include "runtime/support/Stopwatch.h"

using namespace mlir;

namespace zyxc {

struct PtxCompiler::Impl {
  Target target;
  PtxOptions options;
  CudaToolkit toolkit;
  PtxEmitter emitter;
  GpuLowering lowering;
  PassManager conversion; ///< kept, since its patterns are made once
  PtxCompileTimes times;  ///< of this kernel

  Impl(const Target &target, const PtxOptions &options, CudaToolkit toolkit, PtxEmitter emitter);

  Expected<std::unique_ptr<llvm::Module>> translate(gpu::GPUModuleOp module,
                                                    llvm::LLVMContext &llvmContext);
  /// A running ptxas for the text of a lowered kernel; null if there is none, or none is wanted.
  Expected<std::unique_ptr<Assembler>> startAssembler(gpu::GPUModuleOp module);
  Status assemble(Assembler &assembler, PtxKernel &kernel);
};

static DialectRegistry ptxDialects() {
  DialectRegistry registry;
  addGpuDialects(registry);
  registry.insert<cf::ControlFlowDialect, LLVM::LLVMDialect, NVVM::NVVMDialect>();
  registerBuiltinDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
  return registry;
}

PtxCompiler::Impl::Impl(const Target &target, const PtxOptions &options, CudaToolkit toolkit,
                        PtxEmitter emitter)
    : target(target), options(options), toolkit(std::move(toolkit)), emitter(std::move(emitter)),
      lowering(ptxDialects()), conversion(lowering.context(), ModuleOp::getOperationName()) {
  buildNvvmPipeline(conversion, !this->toolkit.libdevice.empty());
}

PtxCompiler::PtxCompiler(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
PtxCompiler::~PtxCompiler() = default;
const Target &PtxCompiler::target() const {
  return impl->target;
}
const CudaToolkit &PtxCompiler::toolkit() const {
  return impl->toolkit;
}

Expected<std::unique_ptr<PtxCompiler>> PtxCompiler::create(const Target &target,
                                                           const PtxOptions &options) {
  CudaToolkit toolkit = CudaToolkit::find();
  ZYXC_ASSIGN(PtxEmitter emitter, PtxEmitter::create(target, toolkit.libdevice));
  auto impl = std::make_unique<Impl>(target, options, std::move(toolkit), std::move(emitter));
  return std::unique_ptr<PtxCompiler>(new PtxCompiler(std::move(impl)));
}

Target cudaTarget(const Target &target, const rt::GpuDeviceInfo &device) {
  Target limits = target;
  limits.multiprocessors = std::max(device.multiprocessors, 1U);
  return limits;
}

Expected<std::unique_ptr<llvm::Module>>
PtxCompiler::Impl::translate(gpu::GPUModuleOp module, llvm::LLVMContext &llvmContext) {
  Stopwatch watch(times.translate);
  auto code = translateModuleToLLVMIR(module, llvmContext, module.getName());
  if (!code) {
    return lowering.error("translation to LLVM failed");
  }
  ZYXC_RETURN_IF_ERROR(emitter.prepare(*code));
  return code;
}

/// What of ptxas' report makes a kernel slow or wrong.
static std::vector<std::string> findFaults(const rt::GpuKernel &kernel, const PtxasReport &report,
                                           std::string &wrong) {
  std::vector<std::string> faults;
  for (const rt::GpuLaunch &launch : kernel.launches) {
    const PtxResources *entry = report.find(launch.entry);
    if (!entry) {
      continue;
    }
    if (!launch.maps.empty() && entry->stackBytes > 0) {
      faults.push_back(fmt::format("{}: a stack frame of {} bytes beside tensor maps", launch.entry,
                                   entry->stackBytes));
      wrong = faults.back();
    }
    if (entry->spillStoreBytes > 0 || entry->spillLoadBytes > 0) {
      faults.push_back(fmt::format("{}: {} bytes of registers spilled", launch.entry,
                                   std::max(entry->spillStoreBytes, entry->spillLoadBytes)));
    }
  }
  for (const std::string &note : report.notes) {
    if (note.find("(C7") != std::string::npos) {
      faults.push_back(note);
    }
  }
  return faults;
}

/// The level of ptxas for a kernel. Products by mma.sync take three times as long at the highest,
/// for the same loop over k but for copies that are predicated instead of branched around.
static int assemblerLevel(gpu::GPUModuleOp module) {
  WalkResult walk = module.walk([](LLVM::InlineAsmOp op) {
    bool isProduct = op.getAsmString().starts_with("mma.sync");
    return isProduct ? WalkResult::interrupt() : WalkResult::advance();
  });
  return walk.wasInterrupted() ? 2 : 3;
}

Expected<std::unique_ptr<Assembler>> PtxCompiler::Impl::startAssembler(gpu::GPUModuleOp module) {
  if (!options.assemble || toolkit.ptxas.empty()) {
    return std::unique_ptr<Assembler>();
  }
  Stopwatch watch(times.assemble);
  return Assembler::start(toolkit,
                          options.architecture.empty() ? target.name : options.architecture,
                          assemblerLevel(module));
}

Status PtxCompiler::Impl::assemble(Assembler &assembler, PtxKernel &kernel) {
  Stopwatch watch(times.assemble);
  ZYXC_ASSIGN(Cubin cubin, assembler.assemble(kernel.ptx));
  kernel.kernel.image = std::move(cubin.image);
  kernel.report = std::move(cubin.report);
  kernel.faults = findFaults(kernel.kernel, *kernel.report, kernel.wrong);
  if (options.refuseFaults && !kernel.faults.empty()) {
    return makeError(ErrorCode::Internal, "ptxas reports {}; take a schedule with smaller tiles",
                     fmt::join(kernel.faults, "; "));
  }
  return Status::ok();
}

Expected<PtxKernel> PtxCompiler::compile(const std::string &text) {
  impl->times = {};
  ZYXC_ASSIGN(OwningOpRef<ModuleOp> module,
              impl->lowering.lower(text, impl->target, impl->times.parse, impl->times.lower));
  ZYXC_ASSIGN(gpu::GPUModuleOp gpuModule, onlyGpuModule(*module));
  ZYXC_ASSIGN(std::unique_ptr<Assembler> assembler, impl->startAssembler(gpuModule));
  PtxKernel kernel;
  ZYXC_ASSIGN(kernel.kernel, readLaunches(gpuModule, impl->target));
  if (impl->options.keepText) {
    kernel.mlir = textOf(gpuModule);
  }
  {
    Stopwatch watch(impl->times.convert);
    if (failed(impl->conversion.run(*module))) {
      return impl->lowering.error("conversion to LLVM failed");
    }
  }
  llvm::LLVMContext llvmContext;
  ZYXC_ASSIGN(auto code, impl->translate(gpuModule, llvmContext));
  {
    Stopwatch watch(impl->times.optimize);
    ZYXC_RETURN_IF_ERROR(impl->emitter.optimize(*code));
  }
  if (impl->options.keepText) {
    llvm::raw_string_ostream(kernel.llvm) << *code;
  }
  {
    Stopwatch watch(impl->times.emit);
    ZYXC_ASSIGN(kernel.ptx, impl->emitter.emit(*code));
  }
  kernel.kernel.image = kernel.ptx;
  if (assembler) {
    ZYXC_RETURN_IF_ERROR(impl->assemble(*assembler, kernel));
  }
  kernel.times = impl->times;
  return kernel;
}

} // namespace zyxc

// CUDA architectures as targets of `zyxc kernel`.
#include "compiler/codegen/cuda/PtxCompiler.h"
#include "runtime/devices/cuda/CudaDevice.h"
#include "runtime/devices/ptxsim/PtxSimulator.h"
#include "tools/zyxc/kernel/targets/GpuRunner.h"
#include "llvm/Support/raw_ostream.h"

namespace zyxc::tool {

namespace {

class CudaKernels : public KernelTarget {
public:
  CudaKernels(std::unique_ptr<rt::GpuDevice> device, std::string missing,
              std::unique_ptr<PtxCompiler> compiler)
      : device(std::move(device)), missing(std::move(missing)), compiler(std::move(compiler)) {}

  std::string deviceMissing() const override { return missing; }
  std::string describe() const override { return describeDevice(device.get(), missing); }
  Expected<std::unique_ptr<KernelRunner>> compile(const std::string &text,
                                                  zyxk::KernelOp kernel) override;
  Expected<KernelTimes> time(std::span<const TimedLaunch> launches, const PortBytes &ports,
                             const TimeRequest &request) override {
    return timeOnGpu(*device, launches, ports, request);
  }
  std::string forms() const override { return "mlir, llvm, ptx, sass"; }
  Expected<std::string> emit(const std::string &text, const std::string &form) override;

private:
  std::unique_ptr<rt::GpuDevice> device; // outlives the kernels made for it
  std::string missing;
  std::unique_ptr<PtxCompiler> compiler;
};

} // namespace

Expected<std::unique_ptr<KernelRunner>> CudaKernels::compile(const std::string &text,
                                                             zyxk::KernelOp) {
  ZYXC_ASSIGN(PtxKernel compiled, compiler->compile(text));
  std::string resources;
  if (compiled.report) {
    resources = fmt::format("{}", fmt::join(compiled.report->lines(), "; "));
  }
  return makeGpuRunner(device.get(), std::move(compiled.kernel), std::move(resources));
}

Expected<std::string> CudaKernels::emit(const std::string &text, const std::string &form) {
  if (form != "mlir" && form != "llvm" && form != "ptx" && form != "sass") {
    return makeError(ErrorCode::Usage, "--emit={}: a CUDA architecture has zyxk, {}", form,
                     forms());
  }
  // A compiler of its own: texts are kept, faults do not hide the text that shows them.
  PtxOptions options;
  options.keepText = true;
  options.refuseFaults = false;
  ZYXC_ASSIGN(auto keeping, PtxCompiler::create(compiler->target(), options));
  ZYXC_ASSIGN(PtxKernel compiled, keeping->compile(text));
  if (form == "mlir") {
    return compiled.mlir;
  }
  if (form == "llvm") {
    return compiled.llvm;
  }
  if (!compiled.report) {
    llvm::errs() << "// ptxas was not found\n";
  } else {
    for (const std::string &line : compiled.report->lines()) {
      llvm::errs() << "// " << line << '\n';
    }
  }
  for (const std::string &fault : compiled.faults) {
    llvm::errs() << "// fault: " << fault << '\n';
  }
  if (form == "ptx") {
    return compiled.ptx;
  }
  if (!compiled.report) {
    return makeError(ErrorCode::Unsupported, "--emit=sass needs ptxas of the CUDA toolkit");
  }
  return disassembleCubin(keeping->toolkit(), compiled.kernel.image);
}

/// Why a device cannot run code for a target; empty if it can. Code for "sm_90a" runs on that
/// architecture only, other code on its own and later ones.
static std::string whyNot(const rt::GpuDeviceInfo &device, const std::string &target) {
  auto number = [](const std::string &name) {
    return std::stoi(name.substr(3));
  };
  bool runs =
      target == device.target || (target.back() != 'a' && number(device.target) >= number(target));
  return runs ? ""
              : fmt::format("{} is {}, it does not run code for {}", device.name, device.target,
                            target);
}

Expected<std::unique_ptr<KernelTarget>> openCuda(const Target &target, bool simulate) {
  if (simulate) {
    PtxOptions options;
    options.assemble = false; // the simulator runs PTX
    ZYXC_ASSIGN(auto compiler, PtxCompiler::create(target, options));
    auto device = rt::makePtxSimulator(target.name, target.multiprocessors, target.sharedBytes);
    return std::unique_ptr<KernelTarget>(
        std::make_unique<CudaKernels>(std::move(device), "", std::move(compiler)));
  }
  std::unique_ptr<rt::GpuDevice> device;
  std::string missing;
  auto opened = rt::openCudaDevice();
  PtxOptions options;
  Target limits = target;
  if (!opened) {
    missing = "no CUDA device (" + opened.error().message() + ")";
  } else if (missing = whyNot((*opened)->info(), target.name); missing.empty()) {
    // The code is the target's, assembled for this GPU.
    options.architecture = (*opened)->info().target;
    limits = cudaTarget(target, (*opened)->info());
    device = *std::move(opened);
  }
  ZYXC_ASSIGN(auto compiler, PtxCompiler::create(limits, options));
  return std::unique_ptr<KernelTarget>(
      std::make_unique<CudaKernels>(std::move(device), std::move(missing), std::move(compiler)));
}

} // namespace zyxc::tool

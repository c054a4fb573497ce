// CUDA architectures as targets of `zyxc kernel`.
#include "compiler/codegen/cuda/PtxCompiler.h"
#include "runtime/devices/cuda/CudaDevice.h"
#include "tools/zyxc/kernel/GpuRunner.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
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
  std::string resources = compiled.report ? compiled.report->text() : "";
  std::replace(resources.begin(), resources.end(), '\n', ' ');
  return makeGpuRunner(device.get(), std::move(compiled.kernel), std::move(resources));
}

/// The disassembler's text of a cubin.
static Expected<std::string> disassemble(const CudaToolkit &toolkit, const std::string &cubin) {
  llvm::SmallString<128> beside = llvm::sys::path::parent_path(toolkit.ptxas);
  llvm::ErrorOr<std::string> program = llvm::sys::findProgramByName("nvdisasm", {beside.str()});
  if (!program) {
    program = llvm::sys::findProgramByName("nvdisasm");
  }
  if (!program) {
    return makeError(ErrorCode::Unsupported,
                     "--emit=sass needs nvdisasm of the CUDA toolkit, in PATH or beside ptxas");
  }
  llvm::SmallString<128> image;
  llvm::SmallString<128> listing;
  int descriptor = -1;
  if (llvm::sys::fs::createTemporaryFile("zyxc", "cubin", descriptor, image) ||
      llvm::sys::fs::createTemporaryFile("zyxc", "sass", listing)) {
    return makeError(ErrorCode::Input, "no temporary file can be made");
  }
  llvm::FileRemover removeImage(image);
  llvm::FileRemover removeListing(listing);
  llvm::raw_fd_ostream(descriptor, /*shouldClose=*/true) << cubin;
  llvm::StringRef arguments[] = {*program, image};
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(""), listing.str(),
                                                llvm::StringRef("")};
  int code = llvm::sys::ExecuteAndWait(*program, arguments, std::nullopt, redirects);
  auto text = llvm::MemoryBuffer::getFile(listing);
  if (code != 0 || !text) {
    return makeError(ErrorCode::Unsupported, "{} failed with code {}", *program, code);
  }
  return (*text)->getBuffer().str();
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
  llvm::SmallVector<llvm::StringRef> lines;
  std::string report = compiled.report ? compiled.report->text() : "ptxas was not found";
  llvm::StringRef(report).split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef line : lines) {
    llvm::errs() << "// " << line << '\n';
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
  return disassemble(keeping->toolkit(), compiled.kernel.image);
}

Expected<std::unique_ptr<KernelTarget>> openCuda(const Target &target) {
  std::unique_ptr<rt::GpuDevice> device;
  std::string missing;
  auto opened = rt::openCudaDevice();
  if (opened) {
    device = std::move(*opened);
  } else {
    missing = "no CUDA device (" + opened.error().message() + ")";
  }
  // A cubin runs on its own architecture only; for another GPU the driver assembles the PTX.
  PtxOptions options;
  options.assemble = !device || device->info().target == target.name;
  ZYXC_ASSIGN(auto compiler, PtxCompiler::create(target, options));
  return std::unique_ptr<KernelTarget>(
      std::make_unique<CudaKernels>(std::move(device), std::move(missing), std::move(compiler)));
}

} // namespace zyxc::tool

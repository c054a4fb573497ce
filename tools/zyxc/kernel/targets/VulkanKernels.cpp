// Vulkan devices as targets of `zyxc kernel`.
#include "compiler/codegen/vulkan/SpirvCompiler.h"
#include "compiler/codegen/vulkan/SpirvValidator.h"
#include "runtime/devices/vulkan/VulkanDevice.h"
#include "tools/zyxc/kernel/targets/GpuRunner.h"

namespace zyxc::tool {

namespace {

class VulkanKernels : public KernelTarget {
public:
  VulkanKernels(std::unique_ptr<rt::GpuDevice> device, std::string missing, const Target &target,
                const SpirvTarget &features)
      : device(std::move(device)), missing(std::move(missing)), target(target), features(features) {
  }

  Status start() {
    ZYXC_ASSIGN(compiler, SpirvCompiler::create(target, features));
    return Status::ok();
  }
  std::string deviceMissing() const override { return missing; }
  std::string describe() const override { return describeDevice(device.get(), missing); }
  Expected<std::unique_ptr<KernelRunner>> compile(const std::string &text,
                                                  zyxk::KernelOp kernel) override;
  Expected<KernelTimes> time(std::span<const TimedLaunch> launches, const PortBytes &ports,
                             const TimeRequest &request) override {
    return timeOnGpu(*device, launches, ports, request);
  }
  std::string forms() const override { return "mlir, spirv, asm, words"; }
  Expected<std::string> emit(const std::string &text, const std::string &form) override;

private:
  std::unique_ptr<rt::GpuDevice> device; // outlives the kernels made for it
  std::string missing;
  Target target;
  SpirvTarget features;
  std::unique_ptr<SpirvCompiler> compiler;
};

} // namespace

Expected<std::unique_ptr<KernelRunner>> VulkanKernels::compile(const std::string &text,
                                                               zyxk::KernelOp) {
  ZYXC_ASSIGN(SpirvKernel compiled, compiler->compile(text));
  return makeGpuRunner(device.get(), std::move(compiled.kernel), "");
}

Expected<std::string> VulkanKernels::emit(const std::string &text, const std::string &form) {
  SpirvOptions options;
  options.keepText = true;
  ZYXC_ASSIGN(auto keeping, SpirvCompiler::create(target, features, options));
  ZYXC_ASSIGN(SpirvKernel compiled, keeping->compile(text));
  if (form == "mlir") {
    return compiled.mlir;
  }
  if (form == "spirv") {
    return compiled.spirv;
  }
  if (form == "asm") {
    return disassembleSpirv(compiled.kernel.image);
  }
  if (form == "words") {
    return compiled.kernel.image;
  }
  return makeError(ErrorCode::Usage, "--emit={}: vulkan has zyxk, {}", form, forms());
}

Expected<std::unique_ptr<KernelTarget>> openVulkan(const Target &target, bool validate) {
  rt::VulkanOptions options;
  options.validate = validate;
  auto opened = rt::openVulkanDevice(options);
  std::unique_ptr<VulkanKernels> kernels;
  if (opened) {
    Target own = vulkanTarget((*opened)->info());
    SpirvTarget features = spirvTarget((*opened)->info());
    kernels = std::make_unique<VulkanKernels>(std::move(*opened), "", own, features);
  } else if (validate) {
    return std::move(opened).error();
  } else {
    kernels = std::make_unique<VulkanKernels>(
        nullptr, "no Vulkan device (" + opened.error().message() + ")", target, SpirvTarget());
  }
  ZYXC_RETURN_IF_ERROR(kernels->start());
  return std::unique_ptr<KernelTarget>(std::move(kernels));
}

} // namespace zyxc::tool

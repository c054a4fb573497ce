#include "runtime/devices/open/OpenGpu.h"
#include "runtime/devices/cuda/CudaDevice.h"
#include "runtime/devices/ptxsim/PtxSimulator.h"
#include "runtime/devices/vulkan/VulkanDevice.h"

namespace zyxc::rt {

/// True if a target is of a kind: "vulkan", "vulkan:1.2".
static bool isOfKind(std::string_view target, std::string_view kind) {
  return target.starts_with(kind) && (target.size() == kind.size() || target[kind.size()] == ':');
}

bool isGpuTarget(std::string_view target) {
  return isOfKind(target, "cuda") || isOfKind(target, "vulkan");
}

static Expected<std::shared_ptr<GpuDevice>> simulatorOf(std::string_view target) {
  size_t colon = target.find(':');
  if (!isOfKind(target, "cuda") || colon == target.npos) {
    return makeError(ErrorCode::Usage,
                     "--simulate: name the NVIDIA GPU that is simulated: --target=cuda:sm_90");
  }
  // Limits of the largest GPUs: what its target allows is checked when code is made.
  constexpr uint32_t multiprocessors = 132;
  constexpr uint64_t sharedBytes = 232448;
  return std::shared_ptr<GpuDevice>(
      makePtxSimulator(std::string(target.substr(colon + 1)), multiprocessors, sharedBytes));
}

Expected<std::shared_ptr<GpuDevice>> openGpu(std::string_view target,
                                             const OpenGpuOptions &options) {
  if (options.simulate) {
    return simulatorOf(target);
  }
  bool isVulkan = isOfKind(target, "vulkan");
  if (options.validate && !isVulkan) {
    return makeError(ErrorCode::Usage, "--validate: {} has no validation layer; it is for vulkan",
                     target);
  }
  VulkanOptions vulkan;
  vulkan.validate = options.validate;
  auto opened = isVulkan ? openVulkanDevice(vulkan) : openCudaDevice();
  if (!opened) {
    return makeError(ErrorCode::Device, "--target={}: there is no {} device here ({}): {}", target,
                     isVulkan ? "Vulkan" : "CUDA", opened.error().message(), options.remedy);
  }
  return std::shared_ptr<GpuDevice>(*std::move(opened));
}

} // namespace zyxc::rt

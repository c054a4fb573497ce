// The device that programs of a target run on, by the target's name.
#pragma once
#include "runtime/device/GpuDevice.h"
#include <string_view>

namespace zyxc::rt {

struct OpenGpuOptions {
  bool validate = false; ///< Vulkan: under the validation layer, whose messages are errors
  bool simulate = false; ///< NVIDIA GPUs: a simulator of the architecture that the target names
  std::string_view remedy = "use --target=cpu"; ///< what to do where there is no device
};

/// True for targets of GPUs: "cuda", "vulkan", and these with a colon and more.
bool isGpuTarget(std::string_view target);

/// Opens the first GPU of the machine for a target such as "vulkan:1.2" or "cuda:sm_90". Device, in
/// one line, if there is none; Usage if an option is not one of the target.
Expected<std::shared_ptr<GpuDevice>> openGpu(std::string_view target,
                                             const OpenGpuOptions &options = {});

} // namespace zyxc::rt

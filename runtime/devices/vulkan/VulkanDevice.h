// GPUs, and the processor through a software driver, by Vulkan. The loader (libvulkan.so.1) is
// opened at run time: nothing of Vulkan is linked, and without it devices are an error, not a
// failed start. Drivers are found by the loader (VK_DRIVER_FILES overrides).
#pragma once
#include "runtime/device/GpuDevice.h"
#include <functional>

namespace zyxc::rt {

/// Which device to open, and how.
struct VulkanOptions {
  /// Part of a device's name, or "gpu" or "cpu" for a kind. Empty: the variable
  /// ZYXC_VULKAN_DEVICE, and without it the first GPU, discrete before integrated, then software.
  std::string device;
  /// Checks every call by the Khronos validation layer; opening fails where it is not installed.
  bool validate = false;
  /// Takes the layer's messages, also those of closing. Without it a message makes the call during
  /// which it came an error.
  std::function<void(const std::string &)> onMessage;
};

/// All devices of this machine, in the order of the driver. An error if there is no Vulkan.
Expected<std::vector<GpuDeviceInfo>> listVulkanDevices();

/// Opens a device with Vulkan 1.2, buffer device addresses and 64-bit integers. Kernels have SPIR-V
/// as their image.
Expected<std::unique_ptr<GpuDevice>> openVulkanDevice(const VulkanOptions &options = {});

} // namespace zyxc::rt

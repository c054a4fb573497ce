// Stands for the Vulkan device where its headers were not installed when zyxc was built.
#include "runtime/devices/vulkan/VulkanDevice.h"

namespace zyxc::rt {

static Status absent() {
  return makeError(
      ErrorCode::Device,
      "zyxc was built without Vulkan's headers: install libvulkan-dev and build again");
}

Expected<std::vector<GpuDeviceInfo>> listVulkanDevices() {
  return absent();
}

Expected<std::unique_ptr<GpuDevice>> openVulkanDevice(const VulkanOptions &) {
  return absent();
}

} // namespace zyxc::rt

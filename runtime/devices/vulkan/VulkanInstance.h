// A Vulkan instance with its messages, and the choice among its devices.
#pragma once
#include "runtime/devices/vulkan/VulkanApi.h"
#include "runtime/devices/vulkan/VulkanDevice.h"

namespace zyxc::rt {

class VulkanInstance {
public:
  static Expected<std::unique_ptr<VulkanInstance>> create(const VulkanOptions &options);
  ~VulkanInstance();
  VulkanInstance(const VulkanInstance &) = delete;
  VulkanInstance &operator=(const VulkanInstance &) = delete;

  Expected<std::vector<VkPhysicalDevice>> devices() const;
  /// What a device says about itself.
  GpuDeviceInfo describe(VkPhysicalDevice device) const;
  /// The device that the options ask for.
  Expected<VkPhysicalDevice> choose(const VulkanOptions &options) const;

  /// The messages since the last call as an error, if there were any.
  Status takeMessages();

  VulkanApi api;

private:
  VulkanInstance() = default;
  static VkBool32 VKAPI_PTR receive(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                    VkDebugUtilsMessageTypeFlagsEXT type,
                                    const VkDebugUtilsMessengerCallbackDataEXT *data, void *self);

  VkInstance instance = VK_NULL_HANDLE;
  VkDebugUtilsMessengerEXT messenger = VK_NULL_HANDLE;
  std::function<void(const std::string &)> onMessage;
  std::string messages; ///< not yet taken, one a line
};

} // namespace zyxc::rt

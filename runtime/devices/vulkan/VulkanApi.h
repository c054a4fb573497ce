// Vulkan's functions, loaded from libvulkan.so.1. One table lists them; a function is called as
// `api.vkCreateBuffer(..)`.
#pragma once
#include "runtime/support/Status.h"
#include <memory>
#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

namespace zyxc::rt {

// Functions that exist without an instance.
#define ZYXC_VULKAN_GLOBAL(F)                                                                      \
  F(vkCreateInstance)                                                                              \
  F(vkEnumerateInstanceVersion)                                                                    \
  F(vkEnumerateInstanceLayerProperties)

// Functions of an instance.
#define ZYXC_VULKAN_INSTANCE(F)                                                                    \
  F(vkDestroyInstance)                                                                             \
  F(vkEnumeratePhysicalDevices)                                                                    \
  F(vkEnumerateDeviceExtensionProperties)                                                          \
  F(vkGetPhysicalDeviceProperties)                                                                 \
  F(vkGetPhysicalDeviceProperties2)                                                                \
  F(vkGetPhysicalDeviceFeatures2)                                                                  \
  F(vkGetPhysicalDeviceMemoryProperties)                                                           \
  F(vkGetPhysicalDeviceQueueFamilyProperties)                                                      \
  F(vkCreateDevice)                                                                                \
  F(vkGetDeviceProcAddr)

// Functions of a device.
#define ZYXC_VULKAN_DEVICE(F)                                                                      \
  F(vkDestroyDevice)                                                                               \
  F(vkGetDeviceQueue)                                                                              \
  F(vkCreateBuffer)                                                                                \
  F(vkDestroyBuffer)                                                                               \
  F(vkGetBufferMemoryRequirements)                                                                 \
  F(vkGetBufferDeviceAddress)                                                                      \
  F(vkAllocateMemory)                                                                              \
  F(vkFreeMemory)                                                                                  \
  F(vkBindBufferMemory)                                                                            \
  F(vkMapMemory)                                                                                   \
  F(vkCreateShaderModule)                                                                          \
  F(vkDestroyShaderModule)                                                                         \
  F(vkCreatePipelineLayout)                                                                        \
  F(vkDestroyPipelineLayout)                                                                       \
  F(vkCreateComputePipelines)                                                                      \
  F(vkDestroyPipeline)                                                                             \
  F(vkCreateCommandPool)                                                                           \
  F(vkDestroyCommandPool)                                                                          \
  F(vkResetCommandPool)                                                                            \
  F(vkAllocateCommandBuffers)                                                                      \
  F(vkFreeCommandBuffers)                                                                          \
  F(vkBeginCommandBuffer)                                                                          \
  F(vkEndCommandBuffer)                                                                            \
  F(vkCmdBindPipeline)                                                                             \
  F(vkCmdPushConstants)                                                                            \
  F(vkCmdDispatch)                                                                                 \
  F(vkCmdPipelineBarrier)                                                                          \
  F(vkCmdCopyBuffer)                                                                               \
  F(vkCmdFillBuffer)                                                                               \
  F(vkCmdUpdateBuffer)                                                                             \
  F(vkCreateQueryPool)                                                                             \
  F(vkDestroyQueryPool)                                                                            \
  F(vkCmdResetQueryPool)                                                                           \
  F(vkCmdWriteTimestamp)                                                                           \
  F(vkGetQueryPoolResults)                                                                         \
  F(vkQueueSubmit)                                                                                 \
  F(vkQueueWaitIdle)

struct VulkanApi {
#define ZYXC_VULKAN_MEMBER(name) PFN_##name name = nullptr;
  ZYXC_VULKAN_GLOBAL(ZYXC_VULKAN_MEMBER)
  ZYXC_VULKAN_INSTANCE(ZYXC_VULKAN_MEMBER)
  ZYXC_VULKAN_DEVICE(ZYXC_VULKAN_MEMBER)
#undef ZYXC_VULKAN_MEMBER
  PFN_vkGetInstanceProcAddr vkGetInstanceProcAddr = nullptr;
  // Only where the extension for messages is on.
  PFN_vkCreateDebugUtilsMessengerEXT vkCreateDebugUtilsMessengerEXT = nullptr;
  PFN_vkDestroyDebugUtilsMessengerEXT vkDestroyDebugUtilsMessengerEXT = nullptr;

  /// Opens the loader, which stays open, and finds the functions that need no instance.
  static Expected<VulkanApi> load();
  Status loadInstance(VkInstance instance);
  Status loadDevice(VkDevice device);
};

/// A structure of Vulkan of which all but its type and successor is zero.
template <class T> T zeroed(VkStructureType type, void *next = nullptr) {
  T result = {}; // NOLINT(bugprone-invalid-enum-default-initialization): filled in by others
  result.sType = type;
  result.pNext = next;
  return result;
}

/// An error of Vulkan: OutOfMemory where memory was refused, else Device.
Status vulkanError(std::string_view what, VkResult result);

#define ZYXC_VULKAN_TRY(what, call)                                                                \
  do {                                                                                             \
    if (VkResult zyxcResult = (call); zyxcResult != VK_SUCCESS) {                                  \
      return ::zyxc::rt::vulkanError(what, zyxcResult);                                            \
    }                                                                                              \
  } while (false)

} // namespace zyxc::rt

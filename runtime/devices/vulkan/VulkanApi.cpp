#include "runtime/devices/vulkan/VulkanApi.h"
#include <dlfcn.h>

namespace zyxc::rt {

/// Takes a function that the loader or driver found, or did not.
template <class Function>
static Status take(Function &function, PFN_vkVoidFunction found, const char *name) {
  if (!found) {
    return makeError(ErrorCode::Device, "the Vulkan loader or driver is too old: no {}", name);
  }
  function = reinterpret_cast<Function>(found);
  return Status::ok();
}

Expected<VulkanApi> VulkanApi::load() {
  // Never closed: drivers keep threads and handlers that do not survive it.
  void *library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    return makeError(ErrorCode::Device, "no Vulkan: {}", dlerror());
  }
  VulkanApi api;
  api.vkGetInstanceProcAddr =
      reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library, "vkGetInstanceProcAddr"));
  if (!api.vkGetInstanceProcAddr) {
    return makeError(ErrorCode::Device, "libvulkan.so.1 is no Vulkan loader");
  }
#define ZYXC_VULKAN_LOAD(name)                                                                     \
  ZYXC_RETURN_IF_ERROR(take(api.name, api.vkGetInstanceProcAddr(nullptr, #name), #name));
  ZYXC_VULKAN_GLOBAL(ZYXC_VULKAN_LOAD)
#undef ZYXC_VULKAN_LOAD
  return api;
}

Status VulkanApi::loadInstance(VkInstance instance) {
#define ZYXC_VULKAN_LOAD(name)                                                                     \
  ZYXC_RETURN_IF_ERROR(take(name, vkGetInstanceProcAddr(instance, #name), #name));
  ZYXC_VULKAN_INSTANCE(ZYXC_VULKAN_LOAD)
#undef ZYXC_VULKAN_LOAD
  vkCreateDebugUtilsMessengerEXT = reinterpret_cast<PFN_vkCreateDebugUtilsMessengerEXT>(
      vkGetInstanceProcAddr(instance, "vkCreateDebugUtilsMessengerEXT"));
  vkDestroyDebugUtilsMessengerEXT = reinterpret_cast<PFN_vkDestroyDebugUtilsMessengerEXT>(
      vkGetInstanceProcAddr(instance, "vkDestroyDebugUtilsMessengerEXT"));
  return Status::ok();
}

Status VulkanApi::loadDevice(VkDevice device) {
#define ZYXC_VULKAN_LOAD(name)                                                                     \
  ZYXC_RETURN_IF_ERROR(take(name, vkGetDeviceProcAddr(device, #name), #name));
  ZYXC_VULKAN_DEVICE(ZYXC_VULKAN_LOAD)
#undef ZYXC_VULKAN_LOAD
  return Status::ok();
}

Status vulkanError(std::string_view what, VkResult result) {
  switch (result) {
  case VK_ERROR_OUT_OF_HOST_MEMORY:
  case VK_ERROR_OUT_OF_DEVICE_MEMORY:
    return makeError(ErrorCode::OutOfMemory, "{}: Vulkan has no memory left", what);
  case VK_ERROR_DEVICE_LOST:
    return makeError(ErrorCode::Device,
                     "{}: the device was lost (a kernel that faulted or ran too long)", what);
  case VK_ERROR_INCOMPATIBLE_DRIVER:
    return makeError(ErrorCode::Device, "{}: no Vulkan driver is installed", what);
  default:
    return makeError(ErrorCode::Device, "{}: Vulkan error {}", what, static_cast<int>(result));
  }
}

} // namespace zyxc::rt

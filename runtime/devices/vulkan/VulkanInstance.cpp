#include "runtime/devices/vulkan/VulkanInstance.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace zyxc::rt {

static constexpr const char *validationLayer = "VK_LAYER_KHRONOS_validation";

VkBool32 VKAPI_PTR VulkanInstance::receive(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                           VkDebugUtilsMessageTypeFlagsEXT,
                                           const VkDebugUtilsMessengerCallbackDataEXT *data,
                                           void *self) {
  auto *instance = static_cast<VulkanInstance *>(self);
  std::string text = data->pMessage;
  std::replace(text.begin(), text.end(), '\n', ' ');
  if (instance->onMessage) {
    instance->onMessage(text);
  } else {
    instance->messages += (instance->messages.empty() ? "" : "; ") + text;
  }
  // A call with an error is not made: drivers need not survive it.
  return severity == VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT ? VK_TRUE : VK_FALSE;
}

Status VulkanInstance::takeMessages() {
  if (messages.empty()) {
    return Status::ok();
  }
  return makeError(ErrorCode::Device, "Vulkan validation: {}", std::exchange(messages, {}));
}

static Expected<bool> hasLayer(const VulkanApi &api, const char *name) {
  uint32_t count = 0;
  ZYXC_VULKAN_TRY("layers", api.vkEnumerateInstanceLayerProperties(&count, nullptr));
  std::vector<VkLayerProperties> layers(count);
  ZYXC_VULKAN_TRY("layers", api.vkEnumerateInstanceLayerProperties(&count, layers.data()));
  return std::any_of(layers.begin(), layers.end(), [&](const VkLayerProperties &layer) {
    return std::strcmp(layer.layerName, name) == 0;
  });
}

Expected<std::unique_ptr<VulkanInstance>> VulkanInstance::create(const VulkanOptions &options) {
  std::unique_ptr<VulkanInstance> self(new VulkanInstance);
  ZYXC_ASSIGN(self->api, VulkanApi::load());
  VulkanApi &api = self->api;
  self->onMessage = options.onMessage;
  uint32_t version = 0;
  ZYXC_VULKAN_TRY("version", api.vkEnumerateInstanceVersion(&version));

  auto application = zeroed<VkApplicationInfo>(VK_STRUCTURE_TYPE_APPLICATION_INFO);
  application.pApplicationName = "zyxc";
  application.apiVersion = std::min<uint32_t>(version, VK_API_VERSION_1_3);
  auto listen = zeroed<VkDebugUtilsMessengerCreateInfoEXT>(
      VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT);
  listen.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                           VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  listen.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  listen.pfnUserCallback = receive;
  listen.pUserData = self.get();
  auto info = zeroed<VkInstanceCreateInfo>(VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO);
  info.pApplicationInfo = &application;
  const char *extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
  if (options.validate) {
    ZYXC_ASSIGN(bool isInstalled, hasLayer(api, validationLayer));
    if (!isInstalled) {
      return makeError(ErrorCode::Device,
                       "the Vulkan validation layer is not installed (vulkan-validationlayers)");
    }
    info.enabledLayerCount = 1;
    info.ppEnabledLayerNames = &validationLayer;
    info.enabledExtensionCount = 1;
    info.ppEnabledExtensionNames = &extension;
    info.pNext = &listen; // messages of creating and destroying the instance itself
  }
  ZYXC_VULKAN_TRY("instance", api.vkCreateInstance(&info, nullptr, &self->instance));
  ZYXC_RETURN_IF_ERROR(api.loadInstance(self->instance));
  if (options.validate) {
    ZYXC_VULKAN_TRY("messages", api.vkCreateDebugUtilsMessengerEXT(self->instance, &listen, nullptr,
                                                                   &self->messenger));
  }
  return self;
}

VulkanInstance::~VulkanInstance() {
  if (messenger) {
    api.vkDestroyDebugUtilsMessengerEXT(instance, messenger, nullptr);
  }
  if (instance && api.vkDestroyInstance) {
    api.vkDestroyInstance(instance, nullptr);
  }
}

Expected<std::vector<VkPhysicalDevice>> VulkanInstance::devices() const {
  uint32_t count = 0;
  ZYXC_VULKAN_TRY("devices", api.vkEnumeratePhysicalDevices(instance, &count, nullptr));
  std::vector<VkPhysicalDevice> devices(count);
  ZYXC_VULKAN_TRY("devices", api.vkEnumeratePhysicalDevices(instance, &count, devices.data()));
  return devices;
}

/// Fills in what needs Vulkan 1.2: features that code depends on.
static void describeFeatures(const VulkanApi &api, VkPhysicalDevice device, GpuDeviceInfo &info) {
  auto f12 = zeroed<VkPhysicalDeviceVulkan12Features>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
  auto f11 = zeroed<VkPhysicalDeviceVulkan11Features>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, &f12);
  auto features =
      zeroed<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &f11);
  api.vkGetPhysicalDeviceFeatures2(device, &features);
  info.float16 = f12.shaderFloat16 && f11.storageBuffer16BitAccess;
  info.float64 = features.features.shaderFloat64;
  info.int8 = f12.shaderInt8 && f12.storageBuffer8BitAccess;
  info.int16 = features.features.shaderInt16 && f11.storageBuffer16BitAccess;

  auto p12 = zeroed<VkPhysicalDeviceVulkan12Properties>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES);
  auto p11 = zeroed<VkPhysicalDeviceVulkan11Properties>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES, &p12);
  auto properties =
      zeroed<VkPhysicalDeviceProperties2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &p11);
  api.vkGetPhysicalDeviceProperties2(device, &properties);
  info.subgroupSize = p11.subgroupSize;
  info.preservesInfNan = p12.shaderSignedZeroInfNanPreserveFloat32;
  info.preservesDenormals =
      p12.shaderDenormPreserveFloat32 &&
      p12.denormBehaviorIndependence != VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_NONE;
}

/// Multiprocessors of NVIDIA and AMD devices, by extensions of theirs; 0 elsewhere.
static uint32_t countMultiprocessors(const VulkanApi &api, VkPhysicalDevice device) {
  uint32_t count = 0;
  api.vkEnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> extensions(count);
  api.vkEnumerateDeviceExtensionProperties(device, nullptr, &count, extensions.data());
  auto has = [&](const char *name) {
    return std::any_of(extensions.begin(), extensions.end(), [&](const auto &extension) {
      return std::strcmp(extension.extensionName, name) == 0;
    });
  };
  auto ask = [&](void *properties) {
    auto all = zeroed<VkPhysicalDeviceProperties2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                                   properties);
    api.vkGetPhysicalDeviceProperties2(device, &all);
  };
  if (has(VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME)) {
    auto nvidia = zeroed<VkPhysicalDeviceShaderSMBuiltinsPropertiesNV>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV);
    ask(&nvidia);
    return nvidia.shaderSMCount;
  }
  if (has(VK_AMD_SHADER_CORE_PROPERTIES_EXTENSION_NAME)) {
    auto amd = zeroed<VkPhysicalDeviceShaderCorePropertiesAMD>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_AMD);
    ask(&amd);
    return amd.shaderEngineCount * amd.shaderArraysPerEngineCount * amd.computeUnitsPerShaderArray;
  }
  return 0;
}

GpuDeviceInfo VulkanInstance::describe(VkPhysicalDevice device) const {
  VkPhysicalDeviceProperties properties;
  api.vkGetPhysicalDeviceProperties(device, &properties);
  VkPhysicalDeviceMemoryProperties memory;
  api.vkGetPhysicalDeviceMemoryProperties(device, &memory);
  uint32_t version = properties.apiVersion;
  GpuDeviceInfo info;
  info.name = properties.deviceName;
  info.api = fmt::format("Vulkan {}.{}.{}", VK_API_VERSION_MAJOR(version),
                         VK_API_VERSION_MINOR(version), VK_API_VERSION_PATCH(version));
  info.target = "vulkan";
  info.isSoftware = properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
  if (info.isSoftware && info.name.starts_with("llvmpipe")) {
    info.maxLoopTurns = 65535; // it ends a thread then, without an error
  }
  for (uint32_t i = 0; i < memory.memoryHeapCount; ++i) {
    if (memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) {
      info.memoryBytes = std::max<uint64_t>(info.memoryBytes, memory.memoryHeaps[i].size);
    }
  }
  info.sharedBytes = properties.limits.maxComputeSharedMemorySize;
  info.maxThreads = std::min(properties.limits.maxComputeWorkGroupInvocations,
                             properties.limits.maxComputeWorkGroupSize[0]);
  if (version >= VK_API_VERSION_1_2) {
    describeFeatures(api, device, info);
    info.multiprocessors = countMultiprocessors(api, device);
  }
  return info;
}

/// Order of preference of a kind of device; smaller is better.
static int rank(VkPhysicalDeviceType type) {
  switch (type) {
  case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU: return 0;
  case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU: return 1;
  case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU: return 2;
  case VK_PHYSICAL_DEVICE_TYPE_CPU: return 4;
  default: return 3;
  }
}

Expected<VkPhysicalDevice> VulkanInstance::choose(const VulkanOptions &options) const {
  std::string wanted = options.device;
  if (const char *variable = std::getenv("ZYXC_VULKAN_DEVICE"); wanted.empty() && variable) {
    wanted = variable;
  }
  ZYXC_ASSIGN(auto all, devices());
  VkPhysicalDevice best = VK_NULL_HANDLE;
  int bestRank = 0;
  std::string names;
  for (VkPhysicalDevice device : all) {
    VkPhysicalDeviceProperties properties;
    api.vkGetPhysicalDeviceProperties(device, &properties);
    names += fmt::format("{}{}", names.empty() ? "" : ", ", properties.deviceName);
    int deviceRank = rank(properties.deviceType);
    bool isCpu = properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
    bool isWanted = wanted.empty() || (wanted == "cpu" && isCpu) || (wanted == "gpu" && !isCpu) ||
                    std::string_view(properties.deviceName).find(wanted) != std::string_view::npos;
    if (isWanted && (!best || deviceRank < bestRank)) {
      best = device;
      bestRank = deviceRank;
    }
  }
  if (!best) {
    return makeError(ErrorCode::Device, "no Vulkan device{}; there are: {}",
                     wanted.empty() ? "" : fmt::format(" '{}'", wanted),
                     names.empty() ? "none" : names);
  }
  return best;
}

Expected<std::vector<GpuDeviceInfo>> listVulkanDevices() {
  ZYXC_ASSIGN(auto instance, VulkanInstance::create({}));
  ZYXC_ASSIGN(auto devices, instance->devices());
  std::vector<GpuDeviceInfo> result;
  result.reserve(devices.size());
  for (VkPhysicalDevice device : devices) {
    result.push_back(instance->describe(device));
  }
  return result;
}

} // namespace zyxc::rt

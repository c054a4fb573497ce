#include "runtime/devices/vulkan/VulkanDevice.h"
#include "runtime/devices/vulkan/VulkanDeviceImpl.h"
#include <algorithm>

namespace zyxc::rt {

Expected<std::unique_ptr<GpuDevice>> openVulkanDevice(const VulkanOptions &options) {
  return VulkanDevice::open(options);
}

Expected<std::unique_ptr<GpuDevice>> VulkanDevice::open(const VulkanOptions &options) {
  ZYXC_ASSIGN(auto instance, VulkanInstance::create(options));
  ZYXC_ASSIGN(VkPhysicalDevice physical, instance->choose(options));
  std::unique_ptr<VulkanDevice> device(new VulkanDevice(std::move(instance)));
  ZYXC_RETURN_IF_ERROR(device->create(physical));
  ZYXC_RETURN_IF_ERROR(device->instance->takeMessages());
  return std::unique_ptr<GpuDevice>(std::move(device));
}

Status VulkanDevice::create(VkPhysicalDevice chosen) {
  physical = chosen;
  api.vkGetPhysicalDeviceProperties(physical, &properties);
  api.vkGetPhysicalDeviceMemoryProperties(physical, &memoryProperties);
  deviceInfo = instance->describe(physical);
  if (properties.apiVersion < VK_API_VERSION_1_2) {
    return makeError(ErrorCode::Device, "{} has {}, 1.2 is needed", deviceInfo.name,
                     deviceInfo.api);
  }
  uint32_t count = 0;
  api.vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  api.vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families.data());
  uint32_t family = 0;
  while (family < count && !(families[family].queueFlags & VK_QUEUE_COMPUTE_BIT)) {
    ++family;
  }
  if (family == count) {
    return makeError(ErrorCode::Device, "{} has no queue for compute", deviceInfo.name);
  }
  timestampBits = families[family].timestampValidBits;
  ZYXC_RETURN_IF_ERROR(createLogical(family));
  ZYXC_RETURN_IF_ERROR(api.loadDevice(device));
  api.vkGetDeviceQueue(device, family, 0, &queue);
  auto poolInfo = zeroed<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
  poolInfo.queueFamilyIndex = family;
  ZYXC_VULKAN_TRY("command pool", api.vkCreateCommandPool(device, &poolInfo, nullptr, &pool));
  return Status::ok();
}

/// Makes the logical device with the features that code for it may use, and no others.
Status VulkanDevice::createLogical(uint32_t queueFamily) {
  bool has13 = properties.apiVersion >= VK_API_VERSION_1_3;
  auto f13 = zeroed<VkPhysicalDeviceVulkan13Features>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES);
  auto f12 = zeroed<VkPhysicalDeviceVulkan12Features>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, has13 ? &f13 : nullptr);
  auto f11 = zeroed<VkPhysicalDeviceVulkan11Features>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, &f12);
  auto has = zeroed<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &f11);
  api.vkGetPhysicalDeviceFeatures2(physical, &has);
  if (!f12.bufferDeviceAddress || !has.features.shaderInt64) {
    return makeError(ErrorCode::Device, "{} has no {}", deviceInfo.name,
                     f12.bufferDeviceAddress ? "64-bit integers" : "buffer device addresses");
  }
  canSetSubgroupSize = has13 && f13.subgroupSizeControl;
  canDemandFullSubgroups = has13 && f13.computeFullSubgroups;
  if (canSetSubgroupSize) {
    auto p13 = zeroed<VkPhysicalDeviceVulkan13Properties>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES);
    auto all =
        zeroed<VkPhysicalDeviceProperties2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &p13);
    api.vkGetPhysicalDeviceProperties2(physical, &all);
    canSetSubgroupSize = p13.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT;
    if (canSetSubgroupSize) { // a limit that holds only for workgroups with a demanded size
      deviceInfo.maxThreads = std::min(deviceInfo.maxThreads,
                                       deviceInfo.subgroupSize * p13.maxComputeWorkgroupSubgroups);
    }
  }
  auto use13 = zeroed<VkPhysicalDeviceVulkan13Features>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES);
  use13.subgroupSizeControl = canSetSubgroupSize;
  use13.computeFullSubgroups = canDemandFullSubgroups;
  auto use12 = zeroed<VkPhysicalDeviceVulkan12Features>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, has13 ? &use13 : nullptr);
  use12.bufferDeviceAddress = VK_TRUE;
  use12.shaderFloat16 = f12.shaderFloat16;
  use12.shaderInt8 = f12.shaderInt8;
  use12.storageBuffer8BitAccess = f12.storageBuffer8BitAccess;
  use12.shaderSubgroupExtendedTypes = f12.shaderSubgroupExtendedTypes;
  auto use11 = zeroed<VkPhysicalDeviceVulkan11Features>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, &use12);
  use11.storageBuffer16BitAccess = f11.storageBuffer16BitAccess;
  auto use =
      zeroed<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &use11);
  use.features.shaderInt64 = VK_TRUE;
  use.features.shaderInt16 = has.features.shaderInt16;
  use.features.shaderFloat64 = has.features.shaderFloat64;

  float priority = 1;
  auto queueInfo = zeroed<VkDeviceQueueCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO);
  queueInfo.queueFamilyIndex = queueFamily;
  queueInfo.queueCount = 1;
  queueInfo.pQueuePriorities = &priority;
  auto info = zeroed<VkDeviceCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &use);
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queueInfo;
  ZYXC_VULKAN_TRY("device", api.vkCreateDevice(physical, &info, nullptr, &device));
  return Status::ok();
}

VulkanDevice::~VulkanDevice() {
  if (!device) {
    return;
  }
  if (!api.vkDestroyDevice) { // its functions were not found
    return;
  }
  if (queue) {
    api.vkQueueWaitIdle(queue);
  }
  for (const auto &[address, buffer] : buffers) {
    destroyBuffer(buffer);
  }
  destroyBuffer(staging);
  if (pool) {
    api.vkDestroyCommandPool(device, pool, nullptr); // and its command buffers
  }
  api.vkDestroyDevice(device, nullptr);
}

void VulkanDevice::barrier(VkCommandBuffer commands) const {
  auto all = zeroed<VkMemoryBarrier>(VK_STRUCTURE_TYPE_MEMORY_BARRIER);
  all.srcAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  all.dstAccessMask = all.srcAccessMask;
  VkPipelineStageFlags stages = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT;
  api.vkCmdPipelineBarrier(commands, stages, stages, 0, 1, &all, 0, nullptr, 0, nullptr);
}

Expected<VkCommandBuffer> VulkanDevice::begin() {
  auto info = zeroed<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
  info.commandPool = pool;
  info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  info.commandBufferCount = 1;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  ZYXC_VULKAN_TRY("commands", api.vkAllocateCommandBuffers(device, &info, &commands));
  pending.push_back(commands);
  auto beginInfo = zeroed<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
  beginInfo.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  ZYXC_VULKAN_TRY("commands", api.vkBeginCommandBuffer(commands, &beginInfo));
  barrier(commands);
  return commands;
}

Status VulkanDevice::submit(VkCommandBuffer commands) {
  barrier(commands); // what was written is seen by the host after waiting
  ZYXC_VULKAN_TRY("commands", api.vkEndCommandBuffer(commands));
  auto info = zeroed<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO);
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands;
  ZYXC_VULKAN_TRY("submission", api.vkQueueSubmit(queue, 1, &info, VK_NULL_HANDLE));
  return instance->takeMessages();
}

Status VulkanDevice::synchronize() {
  ZYXC_VULKAN_TRY("waiting", api.vkQueueWaitIdle(queue));
  if (!pending.empty()) {
    api.vkFreeCommandBuffers(device, pool, pending.size(), pending.data());
    pending.clear();
    ZYXC_VULKAN_TRY("commands", api.vkResetCommandPool(device, pool, 0));
  }
  return instance->takeMessages();
}

template <class Record>
Expected<std::vector<double>> VulkanDevice::timeRecorded(unsigned samples, unsigned runs,
                                                         Record record) {
  if (timestampBits == 0) {
    return makeError(ErrorCode::Unsupported, "{} has no time stamps", deviceInfo.name);
  }
  auto info = zeroed<VkQueryPoolCreateInfo>(VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO);
  info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  info.queryCount = 2 * samples;
  VkQueryPool queries = VK_NULL_HANDLE;
  ZYXC_VULKAN_TRY("queries", api.vkCreateQueryPool(device, &info, nullptr, &queries));
  auto recordAll = [&]() -> Status {
    for (unsigned sample = 0, run = 0; sample < samples; ++sample) {
      ZYXC_ASSIGN(VkCommandBuffer commands, begin());
      api.vkCmdResetQueryPool(commands, queries, 2 * sample, 2);
      api.vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries, 2 * sample);
      for (unsigned i = 0; i < runs; ++i, ++run) {
        ZYXC_RETURN_IF_ERROR(record(commands, run));
        barrier(commands);
      }
      api.vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries,
                              2 * sample + 1);
      ZYXC_RETURN_IF_ERROR(submit(commands));
    }
    return synchronize();
  };
  Status status = recordAll();
  std::vector<uint64_t> ticks(2 * samples);
  if (status.isOk()) {
    VkResult result =
        api.vkGetQueryPoolResults(device, queries, 0, 2 * samples, ticks.size() * sizeof(uint64_t),
                                  ticks.data(), sizeof(uint64_t), VK_QUERY_RESULT_64_BIT);
    status = result == VK_SUCCESS ? Status::ok() : vulkanError("time stamps", result);
  }
  api.vkQueueWaitIdle(queue);
  api.vkDestroyQueryPool(device, queries, nullptr);
  ZYXC_RETURN_IF_ERROR(status);
  std::vector<double> result;
  uint64_t mask = timestampBits >= 64 ? ~uint64_t(0) : (uint64_t(1) << timestampBits) - 1;
  for (unsigned sample = 0; sample < samples; ++sample) {
    double spent = static_cast<double>((ticks[2 * sample + 1] - ticks[2 * sample]) & mask);
    result.push_back(spent * properties.limits.timestampPeriod / 1000 / runs);
  }
  return result;
}

Expected<std::vector<double>> VulkanDevice::time(std::span<const GpuStep> steps, unsigned samples,
                                                 unsigned runs) {
  return timeRecorded(samples, runs, [&](VkCommandBuffer commands, unsigned run) {
    for (const GpuStep &step : steps) {
      if (&step != steps.data()) {
        barrier(commands);
      }
      ZYXC_RETURN_IF_ERROR(record(commands, *step.program, step.ports[run % step.ports.size()]));
    }
    return Status::ok();
  });
}

Expected<std::vector<double>> VulkanDevice::timeCopy(GpuAddress to, GpuAddress from, uint64_t bytes,
                                                     unsigned samples, unsigned runs) {
  ZYXC_ASSIGN(Range target, range(to, bytes));
  ZYXC_ASSIGN(Range source, range(from, bytes));
  return timeRecorded(samples, runs, [&](VkCommandBuffer commands, unsigned) {
    VkBufferCopy copy = {source.offset, target.offset, bytes};
    api.vkCmdCopyBuffer(commands, source.buffer->buffer, target.buffer->buffer, 1, &copy);
    return Status::ok();
  });
}

} // namespace zyxc::rt

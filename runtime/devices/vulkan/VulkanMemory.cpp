// Memory of a Vulkan device: each allocation is a buffer with an address. Where the host sees the
// device's memory (software and integrated devices) it copies itself, else through a staging
// buffer.
#include "runtime/devices/vulkan/VulkanDeviceImpl.h"
#include <algorithm>
#include <cstring>

namespace zyxc::rt {

/// Large enough that the cost of a submission does not matter, small beside what it serves.
static constexpr uint64_t stagingBytes = uint64_t(32) << 20;

std::optional<uint32_t> VulkanDevice::memoryType(uint32_t allowed, VkMemoryPropertyFlags wanted,
                                                 VkMemoryPropertyFlags unwanted) const {
  for (uint32_t i = 0; i < memoryProperties.memoryTypeCount; ++i) {
    VkMemoryPropertyFlags flags = memoryProperties.memoryTypes[i].propertyFlags;
    if ((allowed >> i & 1) && (flags & wanted) == wanted && !(flags & unwanted)) {
      return i;
    }
  }
  return std::nullopt;
}

Expected<VulkanDevice::Buffer>
VulkanDevice::makeBuffer(uint64_t bytes, VkMemoryPropertyFlags wanted, bool isStaging) {
  Buffer result;
  result.bytes = bytes;
  auto info = zeroed<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
  info.size = bytes;
  info.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  if (!isStaging) {
    info.usage |= VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  }
  ZYXC_VULKAN_TRY("buffer", api.vkCreateBuffer(device, &info, nullptr, &result.buffer));
  VkMemoryRequirements needs;
  api.vkGetBufferMemoryRequirements(device, result.buffer, &needs);
  // Memory that only the device sees is the faster one where there are both kinds.
  auto type = isStaging
                  ? memoryType(needs.memoryTypeBits, wanted | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, 0)
                  : memoryType(needs.memoryTypeBits, wanted, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT);
  if (!type) {
    type = memoryType(needs.memoryTypeBits, wanted, 0);
  }
  if (!type) {
    destroyBuffer(result);
    return makeError(ErrorCode::Device, "{} has no memory of the kind needed", deviceInfo.name);
  }
  auto flags = zeroed<VkMemoryAllocateFlagsInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO);
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  auto allocation = zeroed<VkMemoryAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO);
  allocation.pNext = isStaging ? nullptr : &flags;
  allocation.allocationSize = needs.size;
  allocation.memoryTypeIndex = *type;
  VkResult status = api.vkAllocateMemory(device, &allocation, nullptr, &result.memory);
  if (status == VK_SUCCESS) {
    status = api.vkBindBufferMemory(device, result.buffer, result.memory, 0);
  }
  VkMemoryPropertyFlags have = memoryProperties.memoryTypes[*type].propertyFlags;
  VkMemoryPropertyFlags mappable =
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  if (status == VK_SUCCESS && (have & mappable) == mappable) {
    status = api.vkMapMemory(device, result.memory, 0, VK_WHOLE_SIZE, 0, &result.mapped);
  }
  if (status != VK_SUCCESS) {
    destroyBuffer(result);
    return vulkanError(fmt::format("allocation of {} bytes", bytes), status);
  }
  return result;
}

void VulkanDevice::destroyBuffer(const Buffer &buffer) {
  if (buffer.buffer) {
    api.vkDestroyBuffer(device, buffer.buffer, nullptr);
  }
  if (buffer.memory) {
    api.vkFreeMemory(device, buffer.memory, nullptr); // also unmaps it
  }
}

Expected<GpuAddress> VulkanDevice::allocate(uint64_t bytes) {
  // Drivers align buffers with addresses to 256 bytes or more; this is checked, not trusted.
  constexpr uint64_t alignment = 256;
  uint64_t rounded = std::max(alignment, (bytes + alignment - 1) / alignment * alignment);
  ZYXC_ASSIGN(Buffer buffer, makeBuffer(rounded, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, false));
  auto info = zeroed<VkBufferDeviceAddressInfo>(VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO);
  info.buffer = buffer.buffer;
  GpuAddress address = api.vkGetBufferDeviceAddress(device, &info);
  if (address == 0 || address % 16 != 0) {
    destroyBuffer(buffer);
    return makeError(ErrorCode::Device, "{} gives buffers no aligned address", deviceInfo.name);
  }
  buffers[address] = buffer;
  ZYXC_RETURN_IF_ERROR(instance->takeMessages());
  return address;
}

void VulkanDevice::release(GpuAddress address) {
  auto found = buffers.find(address);
  assert(found != buffers.end() && "released once, as allocate() returned it");
  api.vkQueueWaitIdle(queue);
  destroyBuffer(found->second);
  buffers.erase(found);
}

Expected<VulkanDevice::Range> VulkanDevice::range(GpuAddress address, uint64_t bytes) const {
  auto after = buffers.upper_bound(address);
  if (after != buffers.begin()) {
    const auto &[start, buffer] = *std::prev(after);
    if (address - start <= buffer.bytes && bytes <= buffer.bytes - (address - start)) {
      return Range{&buffer, address - start};
    }
  }
  return makeError(ErrorCode::Internal, "{} bytes at {:#x} are not in one allocation", bytes,
                   address);
}

/// Copies to the device from `source`, or, where that is null, from the device to `host`.
Status VulkanDevice::copyThroughStaging(const Range &at, void *host, const void *source,
                                        uint64_t bytes) {
  if (!staging.buffer) {
    ZYXC_ASSIGN(staging, makeBuffer(stagingBytes,
                                    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                        VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                                    true));
  }
  for (uint64_t done = 0; done < bytes; done += stagingBytes) {
    uint64_t part = std::min(stagingBytes, bytes - done);
    if (source) {
      std::memcpy(staging.mapped, static_cast<const char *>(source) + done, part);
    }
    ZYXC_ASSIGN(VkCommandBuffer commands, begin());
    VkBufferCopy copy = {source ? 0 : at.offset + done, source ? at.offset + done : 0, part};
    api.vkCmdCopyBuffer(commands, source ? staging.buffer : at.buffer->buffer,
                        source ? at.buffer->buffer : staging.buffer, 1, &copy);
    ZYXC_RETURN_IF_ERROR(submit(commands));
    ZYXC_RETURN_IF_ERROR(synchronize());
    if (!source) {
      std::memcpy(static_cast<char *>(host) + done, staging.mapped, part);
    }
  }
  return Status::ok();
}

Status VulkanDevice::upload(GpuAddress to, const void *from, uint64_t bytes) {
  ZYXC_ASSIGN(Range at, range(to, bytes));
  ZYXC_RETURN_IF_ERROR(synchronize());
  if (at.buffer->mapped) {
    std::memcpy(static_cast<char *>(at.buffer->mapped) + at.offset, from, bytes);
    return Status::ok();
  }
  return copyThroughStaging(at, nullptr, from, bytes);
}

Status VulkanDevice::download(void *to, GpuAddress from, uint64_t bytes) {
  ZYXC_ASSIGN(Range at, range(from, bytes));
  ZYXC_RETURN_IF_ERROR(synchronize());
  if (at.buffer->mapped) {
    std::memcpy(to, static_cast<const char *>(at.buffer->mapped) + at.offset, bytes);
    return Status::ok();
  }
  return copyThroughStaging(at, to, nullptr, bytes);
}

Status VulkanDevice::fill(GpuAddress to, uint8_t value, uint64_t bytes) {
  assert(to % 4 == 0 && bytes % 4 == 0 && "whole words");
  if (bytes == 0) {
    return Status::ok();
  }
  ZYXC_ASSIGN(Range at, range(to, bytes));
  ZYXC_ASSIGN(VkCommandBuffer commands, begin());
  api.vkCmdFillBuffer(commands, at.buffer->buffer, at.offset, bytes, value * 0x01010101u);
  return submit(commands);
}

} // namespace zyxc::rt

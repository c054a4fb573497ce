// Pipelines of a kernel's launches.
#include "runtime/devices/vulkan/VulkanDeviceImpl.h"
#include <cstring>

namespace zyxc::rt {

/// Every device has push constants of so many bytes; a kernel's addresses fit in them.
static constexpr uint32_t pushConstantBytes = 128;

VulkanProgram::~VulkanProgram() {
  for (const Launch &launch : launches) {
    device.api.vkDestroyPipeline(device.device, launch.pipeline, nullptr);
  }
  if (layout) {
    device.api.vkDestroyPipelineLayout(device.device, layout, nullptr);
  }
  if (hasScratch) {
    device.release(scratch);
  }
  if (table) {
    device.release(table);
  }
}

Status VulkanProgram::check(const GpuLaunch &launch) const {
  const VkPhysicalDeviceLimits &limits = device.properties.limits;
  if (launch.block > device.deviceInfo.maxThreads) {
    return makeError(ErrorCode::Unsupported, "{} threads in a workgroup, {} has at most {}",
                     launch.block, device.deviceInfo.name, device.deviceInfo.maxThreads);
  }
  for (int axis = 0; axis < 3; ++axis) {
    if (launch.grid[axis] > limits.maxComputeWorkGroupCount[axis]) {
      return makeError(ErrorCode::Unsupported, "{} workgroups along one axis, {} has at most {}",
                       launch.grid[axis], device.deviceInfo.name,
                       limits.maxComputeWorkGroupCount[axis]);
    }
  }
  if (!launch.maps.empty()) {
    return makeError(ErrorCode::Unsupported, "tensor maps are for CUDA only");
  }
  return Status::ok();
}

Status VulkanProgram::addLaunch(VkShaderModule module, const GpuLaunch &launch) {
  auto subgroup = zeroed<VkPipelineShaderStageRequiredSubgroupSizeCreateInfo>(
      VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO);
  subgroup.requiredSubgroupSize = device.deviceInfo.subgroupSize;
  auto info = zeroed<VkComputePipelineCreateInfo>(VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO);
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.pNext = device.canSetSubgroupSize ? &subgroup : nullptr;
  if (device.canDemandFullSubgroups && launch.block % subgroup.requiredSubgroupSize == 0) {
    info.stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
  }
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module;
  info.stage.pName = launch.entry.c_str();
  info.layout = layout;
  Launch made;
  made.grid = launch.grid;
  ZYXC_VULKAN_TRY("pipeline", device.api.vkCreateComputePipelines(device.device, VK_NULL_HANDLE, 1,
                                                                  &info, nullptr, &made.pipeline));
  launches.push_back(made);
  return Status::ok();
}

Status VulkanProgram::create(const GpuKernel &kernel) {
  name = kernel.name;
  sizes = kernel.sizes;
  for (const GpuLaunch &launch : kernel.launches) {
    ZYXC_RETURN_IF_ERROR(check(launch));
  }
  if (kernel.image.empty() || kernel.image.size() % 4 != 0) {
    return makeError(ErrorCode::Internal, "its image is not SPIR-V");
  }
  if (kernel.scratchBytes > 0) {
    ZYXC_ASSIGN(scratch, device.allocate(kernel.scratchBytes));
    hasScratch = true;
  }
  VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, pushConstantBytes};
  auto layoutInfo =
      zeroed<VkPipelineLayoutCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
  layoutInfo.pushConstantRangeCount = 1;
  layoutInfo.pPushConstantRanges = &range;
  ZYXC_VULKAN_TRY("pipeline layout",
                  device.api.vkCreatePipelineLayout(device.device, &layoutInfo, nullptr, &layout));
  std::vector<uint32_t> words(kernel.image.size() / 4);
  std::memcpy(words.data(), kernel.image.data(), kernel.image.size());
  auto moduleInfo = zeroed<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
  moduleInfo.codeSize = kernel.image.size();
  moduleInfo.pCode = words.data();
  VkShaderModule module = VK_NULL_HANDLE;
  ZYXC_VULKAN_TRY("shader",
                  device.api.vkCreateShaderModule(device.device, &moduleInfo, nullptr, &module));
  Status status = Status::ok();
  for (const GpuLaunch &launch : kernel.launches) {
    if (status.isOk()) {
      status = addLaunch(module, launch);
    }
  }
  device.api.vkDestroyShaderModule(device.device, module, nullptr);
  return status;
}

Expected<std::unique_ptr<GpuProgram>> VulkanDevice::load(const GpuKernel &kernel) {
  auto program = std::make_unique<VulkanProgram>(*this);
  Status created = program->create(kernel);
  // What the validation layer says explains an error better than its code.
  for (Status status : {instance->takeMessages(), std::move(created)}) {
    if (!status.isOk()) {
      return std::move(status).withContext(kernel.name);
    }
  }
  return std::unique_ptr<GpuProgram>(std::move(program));
}

Expected<std::vector<GpuAddress>> VulkanDevice::pushed(VkCommandBuffer commands,
                                                       VulkanProgram &program,
                                                       std::vector<GpuAddress> addresses) {
  uint64_t bytes = addresses.size() * sizeof(GpuAddress);
  if (bytes <= pushConstantBytes) {
    return addresses;
  }
  // Runs of a program follow each other, so one table serves them all.
  if (!program.table) {
    ZYXC_ASSIGN(program.table, allocate(bytes));
  }
  ZYXC_ASSIGN(Range at, range(program.table, bytes));
  api.vkCmdUpdateBuffer(commands, at.buffer->buffer, at.offset, bytes, addresses.data());
  barrier(commands);
  return std::vector<GpuAddress>{program.table};
}

Status VulkanDevice::record(VkCommandBuffer commands, GpuProgram &program,
                            std::span<const GpuAddress> ports) {
  auto &vulkan = static_cast<VulkanProgram &>(program);
  std::vector<GpuAddress> arguments(ports.begin(), ports.end());
  if (vulkan.hasScratch) {
    arguments.push_back(vulkan.scratch);
  }
  arguments.insert(arguments.end(), vulkan.sizes.begin(), vulkan.sizes.end());
  ZYXC_ASSIGN(arguments, pushed(commands, vulkan, std::move(arguments)));
  uint32_t bytes = arguments.size() * sizeof(GpuAddress);
  bool isFirst = true;
  for (const VulkanProgram::Launch &launch : vulkan.launches) {
    if (!std::exchange(isFirst, false)) {
      barrier(commands);
    }
    if (launch.grid[0] == 0 || launch.grid[1] == 0 || launch.grid[2] == 0) {
      continue;
    }
    api.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, launch.pipeline);
    if (bytes > 0) {
      api.vkCmdPushConstants(commands, vulkan.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, bytes,
                             arguments.data());
    }
    api.vkCmdDispatch(commands, launch.grid[0], launch.grid[1], launch.grid[2]);
  }
  return Status::ok();
}

Status VulkanDevice::launch(GpuProgram &program, std::span<const GpuAddress> ports) {
  ZYXC_ASSIGN(VkCommandBuffer commands, begin());
  ZYXC_RETURN_IF_ERROR(record(commands, program, ports));
  return submit(commands);
}

} // namespace zyxc::rt

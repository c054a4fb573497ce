// The Vulkan device behind GpuDevice: one queue, a command buffer a call, a full memory barrier at
// the start of each, so that work runs in order.
#pragma once
#include "runtime/devices/vulkan/VulkanInstance.h"
#include <array>
#include <map>
#include <optional>

namespace zyxc::rt {

class VulkanProgram;

class VulkanDevice final : public GpuDevice {
public:
  static Expected<std::unique_ptr<GpuDevice>> open(const VulkanOptions &options);
  ~VulkanDevice() override;

  const GpuDeviceInfo &info() const override { return deviceInfo; }
  Expected<GpuAddress> allocate(uint64_t bytes) override;
  void release(GpuAddress address) override;
  Status upload(GpuAddress to, const void *from, uint64_t bytes) override;
  Status download(void *to, GpuAddress from, uint64_t bytes) override;
  Status fill(GpuAddress to, uint8_t value, uint64_t bytes) override;
  Expected<std::unique_ptr<GpuProgram>> load(const GpuKernel &kernel) override;
  Status launch(GpuProgram &program, std::span<const GpuAddress> ports) override;
  Status synchronize() override;
  Expected<std::vector<double>> time(std::span<const GpuStep> steps, unsigned samples,
                                     unsigned runs) override;
  Expected<std::vector<double>> timeCopy(GpuAddress to, GpuAddress from, uint64_t bytes,
                                         unsigned samples, unsigned runs) override;

private:
  friend class VulkanProgram;
  struct Buffer {
    VkBuffer buffer = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    uint64_t bytes = 0;
    void *mapped = nullptr; ///< where the host can see it
  };
  /// A range of an allocation.
  struct Range {
    const Buffer *buffer;
    uint64_t offset;
  };

  explicit VulkanDevice(std::unique_ptr<VulkanInstance> instance) : instance(std::move(instance)) {}
  Status create(VkPhysicalDevice device);
  Status createLogical(uint32_t queueFamily);

  // Memory.
  Expected<Buffer> makeBuffer(uint64_t bytes, VkMemoryPropertyFlags wanted, bool isStaging);
  void destroyBuffer(const Buffer &buffer);
  std::optional<uint32_t> memoryType(uint32_t allowed, VkMemoryPropertyFlags wanted,
                                     VkMemoryPropertyFlags unwanted) const;
  Expected<Range> range(GpuAddress address, uint64_t bytes) const;
  Status copyThroughStaging(const Range &at, void *host, const void *source, uint64_t bytes);

  // Commands.
  Expected<VkCommandBuffer> begin();
  Status submit(VkCommandBuffer commands);
  void barrier(VkCommandBuffer commands) const;
  /// Puts addresses where a program's launches find them, and returns what to push.
  Expected<std::vector<GpuAddress>> pushed(VkCommandBuffer commands, VulkanProgram &program,
                                           std::vector<GpuAddress> addresses);
  Status record(VkCommandBuffer commands, GpuProgram &program, std::span<const GpuAddress> ports);
  /// Runs `record(commands, run)` samples times runs times between time stamps.
  template <class Record>
  Expected<std::vector<double>> timeRecorded(unsigned samples, unsigned runs, Record record);

  std::unique_ptr<VulkanInstance> instance;
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  VkPhysicalDeviceProperties properties = {};
  VkPhysicalDeviceMemoryProperties memoryProperties = {};
  GpuDeviceInfo deviceInfo;
  bool canSetSubgroupSize = false;
  bool canDemandFullSubgroups = false;
  uint32_t timestampBits = 0;
  VulkanApi &api = instance->api;
  VkDevice device = VK_NULL_HANDLE;
  VkQueue queue = VK_NULL_HANDLE;
  VkCommandPool pool = VK_NULL_HANDLE;
  std::vector<VkCommandBuffer> pending; ///< submitted, or abandoned after an error
  Buffer staging;
  std::map<GpuAddress, Buffer> buffers;
};

/// A kernel's pipelines, one a launch.
class VulkanProgram final : public GpuProgram {
public:
  explicit VulkanProgram(VulkanDevice &device) : device(device) {}
  ~VulkanProgram() override;
  VulkanProgram(const VulkanProgram &) = delete;
  VulkanProgram &operator=(const VulkanProgram &) = delete;

  Status create(const GpuKernel &kernel);

  struct Launch {
    VkPipeline pipeline = VK_NULL_HANDLE;
    std::array<uint32_t, 3> grid = {1, 1, 1};
  };
  VulkanDevice &device;
  std::string name;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  std::vector<Launch> launches;
  bool hasScratch = false;
  GpuAddress scratch = 0;
  std::vector<uint64_t> sizes; ///< GpuKernel::sizes
  /// Addresses that do not fit push constants are in this memory; 0: not needed up to now.
  GpuAddress table = 0;

private:
  Status check(const GpuLaunch &launch) const;
  Status addLaunch(VkShaderModule module, const GpuLaunch &launch);
};

} // namespace zyxc::rt

#include "test/unit/mlir/gpu/VulkanKernel.h"
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>

namespace zyxc::test {

/// Points the Vulkan loader at the software driver's manifest, unless a driver is chosen already.
static void chooseSoftwareDriver() {
  if (std::getenv("VK_DRIVER_FILES") || std::getenv("VK_ICD_FILENAMES")) {
    return;
  }
  for (const char *folder :
       {"/usr/share/vulkan/icd.d", "/usr/local/share/vulkan/icd.d", "/etc/vulkan/icd.d"}) {
    std::error_code error;
    for (const auto &entry : std::filesystem::directory_iterator(folder, error)) {
      if (entry.path().filename().string().starts_with("lvp_icd")) {
        setenv("VK_DRIVER_FILES", entry.path().c_str(), 1);
        setenv("VK_ICD_FILENAMES", entry.path().c_str(), 1); // loaders before 1.3.207
        return;
      }
    }
  }
}

std::unique_ptr<VulkanKernel> VulkanKernel::open() {
  chooseSoftwareDriver();
  std::unique_ptr<VulkanKernel> self(new VulkanKernel);
  rt::VulkanOptions options;
  options.device = "cpu";
  options.validate = true;
  options.onMessage = [messages = &self->messages](const std::string &text) {
    messages->push_back(text);
  };
  auto device = rt::openVulkanDevice(options);
  if (!device) {
    WARN("skipped: " << device.error().message());
    return nullptr;
  }
  self->device = *std::move(device);
  const rt::GpuDeviceInfo &info = self->device->info();
  auto compiler = SpirvCompiler::create(vulkanTarget(info), spirvTarget(info));
  REQUIRE(compiler);
  self->compiler = *std::move(compiler);
  return self;
}

VulkanKernel::~VulkanKernel() {
  device.reset();
  for (const std::string &message : messages) {
    UNSCOPED_INFO(message);
  }
  CHECK(messages.empty());
}

rt::GpuKernel VulkanKernel::compile(const std::string &text) {
  auto kernel = compiler->compile(text);
  if (!kernel) {
    FAIL(kernel.error().message());
  }
  return kernel->kernel;
}

std::vector<std::vector<char>> VulkanKernel::run(const std::string &text,
                                                 const std::vector<std::vector<char>> &ports) {
  auto require = [](const auto &result) {
    if (!result) {
      FAIL(result.error().message());
    }
  };
  auto requireOk = [](const Status &status) {
    if (!status.isOk()) {
      FAIL(status.message());
    }
  };
  constexpr size_t guardBytes = 256;
  constexpr char guard = 0x5a;
  rt::GpuKernel kernel = compile(text);
  std::vector<rt::GpuAddress> addresses;
  for (std::vector<char> port : ports) {
    port.resize(port.size() + guardBytes, guard);
    auto address = device->allocate(port.size());
    require(address);
    requireOk(device->upload(*address, port.data(), port.size()));
    addresses.push_back(*address);
  }
  {
    auto program = device->load(kernel);
    require(program);
    requireOk(device->launch(**program, addresses));
    requireOk(device->synchronize());
  }
  std::vector<std::vector<char>> results;
  for (size_t i = 0; i < ports.size(); ++i) {
    std::vector<char> contents(ports[i].size() + guardBytes);
    requireOk(device->download(contents.data(), addresses[i], contents.size()));
    bool isIntact =
        std::all_of(contents.end() - guardBytes, contents.end(), [](char c) { return c == guard; });
    CHECK(isIntact);
    contents.resize(ports[i].size());
    results.push_back(std::move(contents));
    device->release(addresses[i]);
  }
  return results;
}

} // namespace zyxc::test

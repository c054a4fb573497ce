// Runs kernels on the software Vulkan device (llvmpipe) under the Khronos validation layer. Its
// driver is found by its manifest; where driver or layer is not installed, tests say so and pass.
#pragma once
#include "compiler/codegen/vulkan/SpirvCompiler.h"
#include "runtime/devices/vulkan/VulkanDevice.h"
#include <cstring>
#include <span>
#include <vector>

namespace zyxc::test {

/// The bytes of some elements.
template <class T> std::vector<char> bytesOf(const std::vector<T> &elements) {
  std::vector<char> bytes(elements.size() * sizeof(T));
  std::memcpy(bytes.data(), elements.data(), bytes.size());
  return bytes;
}
template <class T> std::vector<T> elementsOf(const std::vector<char> &bytes) {
  std::vector<T> elements(bytes.size() / sizeof(T));
  std::memcpy(elements.data(), bytes.data(), bytes.size());
  return elements;
}

/// A device and a compiler for it.
class VulkanKernel {
public:
  /// Opens the device; null, with a warning that has the reason, where it cannot be had.
  static std::unique_ptr<VulkanKernel> open();
  /// Closes the device and requires that the validation layer said nothing, leaks included.
  ~VulkanKernel();

  /// Compiles one gpu.module or zyxk.kernel; the test fails with the error, if there is one.
  rt::GpuKernel compile(const std::string &text);
  /// Runs it on ports with these contents and returns their contents afterwards. Ports are followed
  /// by guard bytes; a kernel that changes them fails the test.
  std::vector<std::vector<char>> run(const std::string &text,
                                     const std::vector<std::vector<char>> &ports);

  std::vector<std::string> messages;
  std::unique_ptr<rt::GpuDevice> device;
  std::unique_ptr<SpirvCompiler> compiler;

private:
  VulkanKernel() = default;
};

} // namespace zyxc::test

// A kernel for a GPU as a device runs it: an image and the launches in it. Made by
// compiler/codegen/{cuda,vulkan}, run by runtime/devices/{cuda,vulkan}.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace zyxc::rt {

/// Element type of a tensor map.
enum class MapType : uint8_t { U8, F16, BF16, F32 };

/// Recipe of a CUDA tensor map (cuTensorMapEncodeTiled): encoded when the port's address is known.
/// Innermost dim first.
struct TensorMap {
  uint32_t port = 0;   ///< the number of ports stands for the scratch buffer
  uint64_t offset = 0; ///< bytes from its address, a multiple of 16
  MapType type = MapType::F16;
  std::vector<uint64_t> dims;    ///< elements
  std::vector<uint64_t> strides; ///< bytes, of dims 1 and up: multiples of 16
  std::vector<uint32_t> box;     ///< elements
  uint32_t swizzle = 0;          ///< bytes: 0, 32, 64 or 128
};

/// One launch. Its arguments are the addresses of all ports in order, then that of the scratch
/// buffer if the kernel has one, then its sizes, then the tensor maps by value.
struct GpuLaunch {
  std::string entry; ///< function in the image
  std::array<uint32_t, 3> grid = {1, 1, 1};
  uint32_t block = 1;       ///< threads
  uint32_t sharedBytes = 0; ///< dynamic workgroup memory
  std::vector<TensorMap> maps = {};
  /// Its code waits for the launch before it by itself, so the device may start it earlier (CUDA:
  /// programmatic stream serialization).
  bool startsEarly = false;
};

/// A kernel: launches to run in order.
struct GpuKernel {
  std::string name;
  std::string image; ///< PTX or cubin (CUDA), SPIR-V words (Vulkan)
  std::vector<GpuLaunch> launches;
  uint64_t scratchBytes = 0; ///< workspace; contents undefined at the start
  /// Numbers that a custom kernel is given behind the addresses; no tensor maps then.
  std::vector<uint64_t> sizes = {};
};

} // namespace zyxc::rt

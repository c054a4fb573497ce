// The code of a custom kernel for one kind of target, as a use of it has it: no names of dims are
// left. Sizes may be symbolic (runtime/core/Dim.h).
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace zyxc {

/// What a launch of a custom kernel takes, as its author says it. -1: not said.
struct CustomCost {
  int64_t picoseconds = -1;
  int64_t bytes = -1; ///< read and written; a size
  int64_t flops = -1; ///< a size
  bool operator==(const CustomCost &) const = default;
};

struct CustomSource {
  /// Kinds of targets.
  enum class Target : uint8_t { Host, Cuda, Vulkan };
  /// What `code` is. Host: nothing, `entry` is a C function of a library.
  enum class Form : uint8_t { Host, Ptx, CudaCpp, Spirv };
  Form form = Form::Host;
  std::string kernel; ///< the name that it was declared with; of the short form the function
  std::string entry;  ///< the function
  std::string code;   ///< text; of Spirv text of its assembly, or words as bytes
  std::array<int64_t, 3> grid = {1, 1, 1}; ///< workgroups in x, y, z; sizes
  int64_t block = 1;                       ///< threads of a workgroup; a size; Spirv: not used
  int64_t sharedBytes = 0;                 ///< dynamic workgroup memory
  std::vector<int64_t> dims;               ///< sizes that it is given behind its addresses
  std::optional<CustomCost> cost;          ///< it competes with its decomposition
  bool operator==(const CustomSource &) const = default;
};

/// "host", "ptx", "cuda", "spirv".
constexpr const char *name(CustomSource::Form form) {
  switch (form) {
  case CustomSource::Form::Host: return "host";
  case CustomSource::Form::Ptx: return "ptx";
  case CustomSource::Form::CudaCpp: return "cuda";
  case CustomSource::Form::Spirv: return "spirv";
  }
  return "";
}

} // namespace zyxc

#include "dialects/zyxk/target/Target.h"
#include <array>

namespace zyxc {

/// One line a target. GPU limits are those of the CUDA C++ Programming Guide (compute
/// capabilities); sm_90a has the multiprocessors of an H200; vulkan has the limits that every
/// Vulkan 1.1 device with subgroup operations offers in practice (llvmpipe: subgroups of 8, 32
/// KiB).
static const std::array<Target, 13> &table() {
  using enum TargetKind;
  using enum MatrixUnit;
  static const std::array<Target, 13> targets = {{
      {"host", Host, None, 256, 1, 1, 0, 0, 0, 1, 1},
      {"host-scalar", Host, None, 64, 1, 1, 0, 0, 0, 1, 1},
      {"host-avx2", Host, None, 256, 1, 1, 0, 0, 0, 1, 1},
      {"host-avx512", Host, None, 512, 1, 1, 0, 0, 0, 1, 1},
      {"sm_75", Ptx, None, 128, 32, 1024, 65536, 255, 65536, 72, 1},
      {"sm_80", Ptx, Mma, 128, 32, 1024, 166912, 255, 65536, 108, 1},
      {"sm_86", Ptx, Mma, 128, 32, 1024, 101376, 255, 65536, 84, 1},
      {"sm_89", Ptx, Mma, 128, 32, 1024, 101376, 255, 65536, 128, 1},
      {"sm_90", Ptx, Mma, 128, 32, 1024, 232448, 255, 65536, 132, 8, true},
      {"sm_90a", Ptx, Wgmma, 128, 32, 1024, 232448, 255, 65536, 132, 8, true},
      {"sm_100", Ptx, Mma, 128, 32, 1024, 232448, 255, 65536, 148, 8, true},
      {"sm_120", Ptx, Mma, 128, 32, 1024, 101376, 255, 65536, 170, 1, true},
      {"vulkan", Spirv, None, 128, 8, 256, 32768, 0, 0, 16, 1},
  }};
  return targets;
}

std::optional<Target> findTarget(std::string_view name) {
  for (const Target &target : table()) {
    if (target.name == name) {
      return target;
    }
  }
  return std::nullopt;
}

std::string targetNames(std::optional<TargetKind> kind) {
  std::string names;
  for (const Target &target : table()) {
    if (!kind || target.kind == *kind) {
      names += (names.empty() ? "" : ", ") + target.name;
    }
  }
  return names;
}

} // namespace zyxc

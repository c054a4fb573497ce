// What a model is compiled for: the names of --target, and the machine that each stands for.
#pragma once
#include "compiler/codegen/cpu/HostTarget.h"
#include "dialects/zyxk/target/Target.h"
#include "passes/pipelines/spirv/SpirvTarget.h"
#include "runtime/device/GpuDevice.h"
#include "runtime/plan/PlanHeader.h"
#include <optional>

namespace zyxc {

/// A target of a model.
struct ModelTarget {
  rt::PlanKind kind = rt::PlanKind::X86;
  std::string name; ///< in full: "cpu:native" for "cpu"
  HostTarget host;  ///< X86
  Target gpu;       ///< Cuda and Vulkan: the machine; its subgroup size is the first of `subgroups`
  SpirvTarget spirv;
  /// Vulkan: sizes of subgroups that devices may have. Kernels that count on it have code for each.
  std::vector<unsigned> subgroups;
  /// Cuda: the architecture that ptxas assembles for; empty: that of `gpu`.
  std::string assembleFor;

  bool isGpu() const { return kind != rt::PlanKind::X86; }

  /// The target of a name: "cpu" and those of HostTarget::ofModel, "cuda:sm_90" and other
  /// architectures, "vulkan:1.2" and later versions. With a device, which must be of the kind that
  /// is named, the code is for this device: "cuda" and "vulkan" alone are names then, too. Usage
  /// if there is no such target.
  static Expected<ModelTarget> named(std::string_view name,
                                     const rt::GpuDeviceInfo *device = nullptr);
  /// The name of a target in full.
  static std::string fullName(std::string_view name);
};

} // namespace zyxc

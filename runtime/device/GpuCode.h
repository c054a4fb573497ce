// A kernel's code in the forms that devices take, and what code needs of a device. Plans for GPUs
// hold it (runtime/plan/GpuPlan.h); no driver is called here.
#pragma once
#include "runtime/device/GpuDevice.h"
#include <span>
#include <string>
#include <vector>

namespace zyxc::rt {

/// What the image of a kernel is.
enum class GpuCodeForm : uint8_t { Ptx, Cubin, Spirv };

/// Code of one kernel with its launches, for some devices of a target.
struct GpuCode {
  GpuCodeForm form = GpuCodeForm::Ptx;
  std::string architecture;  ///< that a cubin was assembled for ("sm_90a"); else empty
  uint32_t subgroupSize = 0; ///< threads of the subgroups that it counts on; 0: any
  int64_t loopTurns = 0;     ///< of all loops of a thread, at most; INT64_MAX: not known
  GpuKernel kernel;
};

/// The number of the first code that a device runs. Device, with what is lacking, if there is none.
Expected<size_t> chooseCode(std::span<const GpuCode> codes, const GpuDeviceInfo &device);

/// Those of `needs` that a device lacks, in their order. A need is a word:
/// - `sm_90`: an NVIDIA GPU of this architecture or a later one; `sm_90a`: of this one only;
/// - `vulkan1.2`: a Vulkan device of this version or a later one;
/// - `float16`, `float64`, `int8`, `int16`, `storage16`: arithmetic and storage of these types;
/// - `infnan`, `denormals`: it keeps such values in f32;
/// - `threads256`, `shared32768`: limits of a workgroup.
/// What is none of these is lacking.
std::vector<std::string> missingNeeds(std::span<const std::string> needs,
                                      const GpuDeviceInfo &device);

} // namespace zyxc::rt

// A plan for a GPU: the launches and buffers of a plan, and the code of its kernels. Kernels have
// no entries then, nor tasks: how they are launched stands in their code. Sizes are static.
#pragma once
#include "runtime/device/GpuCode.h"
#include "runtime/plan/Plan.h"

namespace zyxc::rt {

/// Addresses of ports are multiples of this on a GPU, in bytes.
inline constexpr uint64_t gpuPortAlignment = 16;

/// Code of all kernels of a plan, one list each: what suits more devices comes later.
using GpuCodes = std::vector<std::vector<GpuCode>>;

/// A plan with the code that one device runs.
struct GpuPlan {
  Plan plan;
  std::vector<GpuKernel> kernels; ///< one a kernel of the plan
};

/// Takes of each kernel the code that a device runs. Device, naming the kernel, if there is none.
Expected<GpuPlan> chooseCodes(const Plan &plan, const GpuCodes &codes, const GpuDeviceInfo &device);

/// Whether a plan can be one for a GPU: its sizes are static, its buffers aligned; it has neither
/// bodies nor functions of libraries, and writes no input. Unsupported, naming the node.
Status checkGpuPlan(const Plan &plan);

} // namespace zyxc::rt

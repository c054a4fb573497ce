#include "runtime/plan/GpuPlan.h"

namespace zyxc::rt {

Expected<GpuPlan> chooseCodes(const Plan &plan, const GpuCodes &codes,
                              const GpuDeviceInfo &device) {
  GpuPlan result{plan, {}};
  for (size_t i = 0; i < plan.kernels.size(); ++i) {
    auto chosen = chooseCode(codes[i], device);
    if (!chosen) {
      return std::move(chosen).error().withContext("kernel " + plan.kernels[i].name);
    }
    result.kernels.push_back(codes[i][*chosen].kernel);
    const std::vector<int64_t> &dims = plan.kernels[i].dims;
    result.kernels.back().sizes.assign(dims.begin(), dims.end());
  }
  return result;
}

Status checkGpuPlan(const Plan &plan) {
  if (plan.isSymbolic()) {
    return makeError(ErrorCode::Unsupported, "plans for GPUs need sizes: give them, --dim NAME=N");
  }
  for (const NamedType &input : plan.inputs) {
    if (input.written) {
      return makeError(ErrorCode::Unsupported,
                       "input '{}' is written in place, which plans for GPUs do not do: use "
                       "--target=cpu",
                       input.name);
    }
  }
  for (const std::vector<Launch> *launches : {&plan.prepare, &plan.steps}) {
    for (const Launch &launch : *launches) {
      const Kernel &kernel = plan.kernels[launch.kernel];
      bool runsBodies = kernel.control.kind != Control::Kind::None;
      if (runsBodies || !kernel.symbol.empty()) {
        return makeError(ErrorCode::Unsupported, "{}: plans for GPUs do not {}: use --target=cpu",
                         launch.label, runsBodies ? "branch or loop" : "call kernels of libraries");
      }
      for (const BufferRef &port : launch.ports) {
        if (port.bytes > 0 && port.offset % gpuPortAlignment != 0) {
          return makeError(ErrorCode::Unsupported,
                           "{}: a buffer of kernel {} starts {} bytes into another one, GPUs need "
                           "a multiple of {}: use --target=cpu",
                           launch.label, kernel.name, port.offset, gpuPortAlignment);
        }
      }
    }
  }
  return Status::ok();
}

} // namespace zyxc::rt

// Runs a plan on a GPU: one launch after the other, in the order of the plan.
#pragma once
#include "runtime/device/GpuDevice.h"
#include "runtime/exec/Runner.h"
#include "runtime/plan/GpuPlan.h"

namespace zyxc::rt {

class GpuExecutor final : public Runner {
public:
  /// Checks the memory that the plan needs against the limit (0: what the device has), allocates
  /// it, loads the kernels, copies the constants to the device and runs the prepare steps. Errors
  /// name the kernel: Device, OutOfMemory, or Unsupported where a kernel exceeds the device.
  static Expected<std::unique_ptr<GpuExecutor>>
  load(GpuPlan plan, std::shared_ptr<GpuDevice> device, uint64_t memoryLimit = 0);
  ~GpuExecutor() override;

  const Plan &plan() const override;
  /// Copies the inputs to the device, launches all steps, waits, and copies the outputs back.
  Expected<std::vector<Tensor>> run(std::span<const Tensor> inputs) override;
  /// As run, waiting after each step: times are those of the host.
  Expected<std::vector<Tensor>> runTimed(std::span<const Tensor> inputs) override;
  const std::vector<StepTime> &stepTimes() const override;

private:
  struct Impl;
  explicit GpuExecutor(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace zyxc::rt

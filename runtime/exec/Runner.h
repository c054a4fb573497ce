// A loaded plan that can be run, wherever: on the host (Executor.h) or on a GPU (GpuExecutor.h).
#pragma once
#include "runtime/plan/Plan.h"
#include <span>

namespace zyxc::rt {

/// Time of one step of the plan, summed over runs. A step that runs bodies is one step.
struct StepTime {
  std::string kernel;
  std::string label;
  double seconds = 0;
  int64_t runs = 0;
};

/// Not thread-safe: one run at a time.
class Runner {
public:
  virtual ~Runner() = default;

  /// The plan as it was loaded.
  virtual const Plan &plan() const = 0;

  /// Runs all steps. Inputs must have the plan's types, in its order; they are only read, but for
  /// those that the plan writes. Returns new output tensors.
  virtual Expected<std::vector<Tensor>> run(std::span<const Tensor> inputs) = 0;

  /// As run, measuring each step; read the sums with stepTimes().
  virtual Expected<std::vector<Tensor>> runTimed(std::span<const Tensor> inputs) = 0;
  virtual const std::vector<StepTime> &stepTimes() const = 0;
};

} // namespace zyxc::rt

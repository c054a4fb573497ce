// Runs a loaded plan on the host: owns the arena, the prepared buffers and the threads. A plan with
// symbolic sizes is bound to those of each run's inputs.
#pragma once
#include "runtime/exec/Runner.h"
#include <memory>

namespace zyxc::rt {

/// What a plan may use.
struct ExecutorOptions {
  int threads = 1;
  /// Bytes that planned memory may take; 0 means what the machine has available.
  uint64_t memoryLimit = 0;
  /// Values of symbolic sizes that no input determines, or must agree with.
  dim::Bindings dims = {};
  /// Paths of shared libraries with the functions of custom kernels; no others are opened.
  std::vector<std::string> libraries = {};
  /// The BLAS library of library kernels, as resolveBlas has it: a path, "auto", or empty.
  std::string blas = {};
};

/// Refuses a need for `bytes` of memory above the limit (or, with limit 0, above what the machine
/// has available): an OutOfMemory error that says both and what needs it.
Status checkMemory(uint64_t bytes, uint64_t limit, std::string_view what);

/// Not thread-safe: one run at a time.
class Executor final : public Runner {
public:
  /// Checks planned memory against the limit before anything is allocated, finds custom kernels and
  /// functions of BLAS in the libraries, allocates, and runs the plan's prepare steps. The entries
  /// of other kernels that are code must be set. The code that they point to must outlive the
  /// executor. Of a plan with symbolic sizes, what depends on them waits for run. Input errors: the
  /// plan is malformed, a library cannot be opened. Usage: no library has a custom kernel, or a
  /// function of BLAS.
  static Expected<std::unique_ptr<Executor>> load(Plan plan, const ExecutorOptions &options);
  ~Executor() override;

  /// The plan as it was loaded.
  const Plan &plan() const override;
  /// The static plan of the last run; before the first one of a plan with symbolic sizes, that.
  const Plan &boundPlan() const;

  /// Runs all steps. Inputs must have the plan's types, in its order. They are only read, but for
  /// written ones (NamedType::written): their memory is changed in place, which all copies of the
  /// tensor see. Usage, before anything runs, if such an input's memory is not writable
  /// (Tensor::isWritable) or overlaps that of another input. Returns new output tensors. Inputs of
  /// other sizes than in the run before bind a plan with symbolic sizes again, which compiles
  /// nothing: errors are those of solveSizes and bind, and OutOfMemory where the sizes need more
  /// than the limit. The next run may have other sizes then.
  Expected<std::vector<Tensor>> run(std::span<const Tensor> inputs) override;

  /// As run, measuring each step; read the sums with stepTimes().
  Expected<std::vector<Tensor>> runTimed(std::span<const Tensor> inputs) override;
  const std::vector<StepTime> &stepTimes() const override;

private:
  struct Impl;
  explicit Executor(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace zyxc::rt

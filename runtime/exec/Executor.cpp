#include "runtime/exec/Executor.h"
#include "runtime/exec/BlasLibrary.h"
#include "runtime/exec/Frame.h"
#include "runtime/exec/Libraries.h"
#include "runtime/plan/BindPlan.h"
#include "runtime/plan/CheckControl.h"
#include "runtime/support/Memory.h"
#include <algorithm>
#include <chrono>
#include <functional>
#include <new>
#include <system_error>

namespace zyxc::rt {

Status checkMemory(uint64_t bytes, uint64_t limit, std::string_view what) {
  uint64_t available = limit ? limit : availableMemory();
  if (available && bytes > available) {
    return makeError(ErrorCode::OutOfMemory,
                     "{} needs {}, but {} {}: use a machine with more memory{}", what,
                     formatBytes(bytes), limit ? "--memory-limit allows" : "the machine has only",
                     formatBytes(available), limit ? " or raise the limit" : " or a smaller batch");
  }
  return Status::ok();
}

struct Executor::Impl {
  Impl(Plan p, ExecutorOptions o, Libraries l, std::shared_ptr<void> b)
      : plan(std::move(p)), options(std::move(o)), libraries(std::move(l)), blas(std::move(b)),
        workers(options.threads) {}

  Plan plan;
  std::optional<Plan> bound; ///< of a plan with symbolic sizes: for those of the last run
  ExecutorOptions options;
  Libraries libraries;        ///< that entries of the plan are in
  std::shared_ptr<void> blas; ///< whose functions library kernels call
  Workers workers;
  std::unique_ptr<Frame> frame;
  std::vector<size_t> writtenInputs; ///< numbers
  std::vector<StepTime> times;

  const Plan &current() const { return bound ? *bound : plan; }
  void prepare();
  Status checkInputs(std::span<const Tensor> inputs);
  Status checkWritten(std::span<const Tensor> inputs) const;
  Status bindSizes(std::span<const Tensor> inputs);
  Expected<std::vector<Tensor>> run(std::span<const Tensor> inputs, bool timed);
};

Executor::Executor(std::unique_ptr<Impl> i) : impl(std::move(i)) {}
Executor::~Executor() = default;

/// Largest scratch memory and shared memory of the kernels whose sizes are known.
static std::pair<uint64_t, uint64_t> kernelMemory(const Plan &plan) {
  uint64_t scratch = 0;
  uint64_t shared = 0;
  for (const Plan *part : wholePlan(plan)) {
    for (const Kernel &kernel : part->kernels) {
      scratch = std::max(scratch, kernel.scratchBytes);
      if (!dim::isSymbolic(static_cast<int64_t>(kernel.join.sharedBytes))) {
        shared = std::max(shared, kernel.join.sharedBytes);
      }
    }
  }
  return {scratch, shared};
}

/// Allocates what does not depend on symbolic sizes, and runs the prepare steps.
void Executor::Impl::prepare() {
  auto [scratchBytes, sharedBytes] = kernelMemory(plan);
  workers.shared = Block(sharedBytes);
  for (int thread = 0; thread < options.threads; ++thread) {
    workers.scratch.emplace_back(scratchBytes);
  }
  frame = std::make_unique<Frame>(plan, workers);
  for (const Launch &step : plan.steps) {
    times.push_back({plan.kernels[step.kernel].name, step.label});
  }
  for (size_t i = 0; i < plan.inputs.size(); ++i) {
    if (plan.inputs[i].written) {
      writtenInputs.push_back(i);
    }
  }
}

/// Bytes that load() allocates.
static uint64_t bytesAtLoad(const Plan &plan, int threads) {
  if (!plan.isSymbolic()) {
    return plan.plannedBytes(threads);
  }
  auto [scratch, shared] = kernelMemory(plan);
  uint64_t bytes = shared + scratch * static_cast<uint64_t>(std::max(threads, 1));
  for (const Plan *part : wholePlan(plan)) {
    bytes += part->arenaBytes + part->preparedBytes;
    for (const Kernel &kernel : part->kernels) {
      const Control &control = kernel.control;
      if (control.kind == Control::Kind::Loop && !part->bodies[control.bodies[0]].isSymbolic()) {
        bytes += carriedBytes(part->bodies[control.bodies[0]], control.numCarried);
      }
    }
  }
  return bytes;
}

static Status refusedMemory(uint64_t bytes) {
  return makeError(ErrorCode::OutOfMemory, "running the plan: the system refused {} of memory",
                   formatBytes(bytes));
}

/// Every kernel that is code has some.
static Status checkEntries(const Plan &plan) {
  for (const Plan *part : wholePlan(plan)) {
    for (const Kernel &kernel : part->kernels) {
      if (!kernel.entry && kernel.control.kind == Control::Kind::None) {
        return makeError(ErrorCode::Internal, "kernel {} has no code", kernel.name);
      }
    }
  }
  return Status::ok();
}

Expected<std::unique_ptr<Executor>> Executor::load(Plan plan, const ExecutorOptions &options) {
  ZYXC_RETURN_IF_ERROR(checkControl(plan));
  uint64_t planned = bytesAtLoad(plan, options.threads);
  ZYXC_RETURN_IF_ERROR(checkMemory(planned, options.memoryLimit, "running the plan"));
  ZYXC_ASSIGN(Libraries libraries, Libraries::open(options.libraries));
  ZYXC_RETURN_IF_ERROR(libraries.resolve(plan));
  ZYXC_ASSIGN(std::shared_ptr<void> blas, resolveBlas(plan, options.blas));
  ZYXC_RETURN_IF_ERROR(checkEntries(plan));
  try {
    auto impl =
        std::make_unique<Impl>(std::move(plan), options, std::move(libraries), std::move(blas));
    impl->prepare();
    return std::unique_ptr<Executor>(new Executor(std::move(impl)));
  } catch (const std::system_error &error) {
    return makeError(ErrorCode::Device,
                     "the system refused {} threads ({}): give --threads a "
                     "smaller number",
                     options.threads, error.code().message());
  } catch (const std::bad_alloc &) {
    return refusedMemory(planned);
  }
}

/// Binds the plan to the sizes of inputs, with memory for them.
Status Executor::Impl::bindSizes(std::span<const Tensor> inputs) {
  std::vector<std::optional<Shape>> shapes;
  for (const Tensor &input : inputs) {
    shapes.emplace_back(input.shape());
  }
  ZYXC_ASSIGN(dim::Bindings sizes, solveSizes(plan, shapes, options.dims));
  ZYXC_ASSIGN(Plan next, rt::bind(plan, sizes));
  uint64_t planned = next.plannedBytes(options.threads);
  auto [scratchBytes, sharedBytes] = kernelMemory(next);
  // A limit is for all memory of the plan, what the machine has left for what is still to come.
  uint64_t held = frame->heldBytes() + workers.shared.bytes() +
                  scratchBytes * static_cast<uint64_t>(options.threads);
  uint64_t needed = options.memoryLimit ? planned : planned - std::min(planned, held);
  ZYXC_RETURN_IF_ERROR(checkMemory(needed, options.memoryLimit, "running the plan"));
  bound.reset();
  frame->unbind();
  try {
    frame->growTo(next);
    workers.shared.growTo(sharedBytes);
  } catch (const std::bad_alloc &) {
    return refusedMemory(planned);
  }
  bound = std::move(next);
  frame->bind(*bound);
  return Status::ok();
}

Status Executor::Impl::checkInputs(std::span<const Tensor> inputs) {
  if (inputs.size() != plan.inputs.size()) {
    return makeError(ErrorCode::Usage, "the program has {} inputs, {} were given",
                     plan.inputs.size(), inputs.size());
  }
  bool sameSizes = bound || !plan.isSymbolic();
  for (size_t i = 0; i < inputs.size(); ++i) {
    const TensorType &type = inputs[i].type();
    if (type == current().inputs[i].type) {
      continue;
    }
    const TensorType &wanted = plan.inputs[i].type;
    if (!plan.isSymbolic() || type.dtype != wanted.dtype || type.rank() != wanted.rank()) {
      return makeError(ErrorCode::Usage, "input {} has type {}, the program expects {}",
                       plan.inputs[i].name, toString(type), toString(wanted));
    }
    sameSizes = false;
  }
  ZYXC_RETURN_IF_ERROR(checkWritten(inputs));
  return sameSizes ? Status::ok() : bindSizes(inputs);
}

/// What the plan writes must be the caller's own memory, and of no other input.
Status Executor::Impl::checkWritten(std::span<const Tensor> inputs) const {
  for (size_t written : writtenInputs) {
    const Tensor &own = inputs[written];
    if (!own.isWritable()) {
      return makeError(ErrorCode::Usage,
                       "input {} is written by the program, but its memory is only read: give a "
                       "copy of it",
                       plan.inputs[written].name);
    }
    for (size_t i = 0; i < inputs.size(); ++i) {
      std::less<> before; // of memory that is not one array
      bool apart = !before(inputs[i].data(), own.data() + own.byteSize()) ||
                   !before(own.data(), inputs[i].data() + inputs[i].byteSize());
      if (i != written && !apart) {
        return makeError(ErrorCode::Usage,
                         "input {} is written by the program, but input {} is in the same memory: "
                         "give a copy of one",
                         plan.inputs[written].name, plan.inputs[i].name);
      }
    }
  }
  return Status::ok();
}

Expected<std::vector<Tensor>> Executor::Impl::run(std::span<const Tensor> inputs, bool timed) {
  ZYXC_RETURN_IF_ERROR(checkInputs(inputs));
  std::vector<Tensor> outputs;
  outputs.reserve(plan.outputs.size());
  for (const NamedType &output : current().outputs) {
    outputs.push_back(Tensor::allocate(output.type));
  }
  auto addressOf = [](const Tensor &tensor) {
    return reinterpret_cast<uint64_t>(tensor.data());
  };
  std::transform(inputs.begin(), inputs.end(), frame->inputs.begin(), addressOf);
  std::transform(outputs.begin(), outputs.end(), frame->outputs.begin(), addressOf);
  if (!timed) {
    frame->run();
    return outputs;
  }
  for (size_t i = 0; i < frame->numSteps(); ++i) {
    auto start = std::chrono::steady_clock::now();
    frame->runStep(i);
    std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    times[i].seconds += elapsed.count();
    times[i].runs += 1;
  }
  return outputs;
}

const Plan &Executor::plan() const {
  return impl->plan;
}
const Plan &Executor::boundPlan() const {
  return impl->current();
}
const std::vector<StepTime> &Executor::stepTimes() const {
  return impl->times;
}

Expected<std::vector<Tensor>> Executor::run(std::span<const Tensor> inputs) {
  return impl->run(inputs, false);
}

Expected<std::vector<Tensor>> Executor::runTimed(std::span<const Tensor> inputs) {
  return impl->run(inputs, true);
}

} // namespace zyxc::rt

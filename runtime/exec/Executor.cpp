#include "runtime/exec/Executor.h"
#include "runtime/devices/cpu/ThreadPool.h"
#include "runtime/plan/BindPlan.h"
#include "runtime/support/Memory.h"
#include <chrono>
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

namespace {

/// Page-aligned memory, not touched until it is used.
class Block {
public:
  Block() = default;
  explicit Block(uint64_t bytes)
      : memory(static_cast<std::byte *>(
            ::operator new(bytes ? bytes : 1, std::align_val_t(alignment)))),
        size(bytes) {}
  std::byte *data() const { return memory.get(); }
  uint64_t bytes() const { return size; }

  /// Makes it at least this large; its content is lost if it grows.
  void growTo(uint64_t bytes) {
    if (bytes > size) {
      *this = Block(); // not both at one time
      *this = Block(bytes);
    }
  }

private:
  static constexpr size_t alignment = 4096;
  struct Free {
    void operator()(std::byte *p) const { ::operator delete(p, std::align_val_t(alignment)); }
  };
  std::unique_ptr<std::byte, Free> memory;
  uint64_t size = 0;
};

/// The arguments of a launch, one list a thread. Addresses that never change are filled at load,
/// those of inputs and outputs in each run.
struct BoundLaunch {
  const Kernel *kernel;
  std::vector<std::vector<uint64_t>> slots;
  std::vector<std::pair<uint32_t, BufferRef>> late; ///< slot numbers
};

} // namespace

struct Executor::Impl {
  Impl(Plan p, ExecutorOptions o) : plan(std::move(p)), options(std::move(o)), pool(o.threads) {}

  Plan plan;
  std::optional<Plan> bound; ///< of a plan with symbolic sizes: for those of the last run
  ExecutorOptions options;
  ThreadPool pool;
  Block arena;
  Block prepared;
  std::vector<Block> scratch; // one a thread
  Block shared;
  std::vector<BoundLaunch> steps;
  std::vector<StepTime> times;

  const Plan &current() const { return bound ? *bound : plan; }
  BoundLaunch bind(const Plan &from, const Launch &launch) const;
  void bindSteps();
  void launch(BoundLaunch &bound, std::span<const Tensor> inputs, std::span<const Tensor> outputs);
  void prepare();
  Status checkInputs(std::span<const Tensor> inputs);
  Status bindSizes(std::span<const Tensor> inputs);
  Expected<std::vector<Tensor>> run(std::span<const Tensor> inputs, bool timed);
};

BoundLaunch Executor::Impl::bind(const Plan &from, const Launch &launch) const {
  BoundLaunch result{&from.kernels[launch.kernel], {}, {}};
  std::vector<uint64_t> slots;
  for (const BufferRef &ref : launch.ports) {
    uint64_t address = 0;
    switch (ref.space) {
    case Space::Constant:
      address = reinterpret_cast<uint64_t>(from.constants[ref.index].data()) + ref.offset;
      break;
    case Space::Arena: address = reinterpret_cast<uint64_t>(arena.data()) + ref.offset; break;
    case Space::Prepared: address = reinterpret_cast<uint64_t>(prepared.data()) + ref.offset; break;
    case Space::Input:
    case Space::Output: result.late.emplace_back(static_cast<uint32_t>(slots.size()), ref); break;
    }
    slots.push_back(address);
  }
  if (result.kernel->join.sharedBytes > 0) {
    slots.push_back(reinterpret_cast<uint64_t>(shared.data()));
  }
  for (const Block &own : scratch) {
    std::vector<uint64_t> &all = result.slots.emplace_back(slots);
    all.push_back(reinterpret_cast<uint64_t>(own.data()));
    all.insert(all.end(), result.kernel->dims.begin(), result.kernel->dims.end());
  }
  return result;
}

void Executor::Impl::bindSteps() {
  steps.clear();
  for (const Launch &launch : current().steps) {
    steps.push_back(bind(current(), launch));
  }
}

void Executor::Impl::launch(BoundLaunch &bound, std::span<const Tensor> inputs,
                            std::span<const Tensor> outputs) {
  for (const auto &[slot, ref] : bound.late) {
    std::span<const Tensor> tensors = ref.space == Space::Input ? inputs : outputs;
    uint64_t address = reinterpret_cast<uint64_t>(tensors[ref.index].data()) + ref.offset;
    for (std::vector<uint64_t> &slots : bound.slots) {
      slots[slot] = address;
    }
  }
  // Waking threads costs more than a short kernel.
  constexpr int64_t worthSplitting = 20'000'000; // picoseconds
  const Kernel &kernel = *bound.kernel;
  if (kernel.picoseconds > 0 && kernel.picoseconds < worthSplitting) {
    kernel.entry(bound.slots[0].data(), 0, kernel.numTasks);
    if (kernel.join.entry) {
      kernel.join.entry(bound.slots[0].data(), 0, kernel.join.numTasks);
    }
    return;
  }
  auto runAll = [&](KernelFn entry, int64_t tasks) {
    pool.run(tasks, [&](int64_t lo, int64_t hi, int thread) {
      entry(bound.slots[static_cast<size_t>(thread)].data(), lo, hi);
    });
  };
  runAll(kernel.entry, kernel.numTasks);
  if (kernel.join.entry) {
    runAll(kernel.join.entry, kernel.join.numTasks);
  }
}

Executor::Executor(std::unique_ptr<Impl> i) : impl(std::move(i)) {}
Executor::~Executor() = default;

/// Largest scratch memory and shared memory of the kernels whose sizes are known.
static std::pair<uint64_t, uint64_t> kernelMemory(const Plan &plan) {
  uint64_t scratch = 0;
  uint64_t shared = 0;
  for (const Kernel &kernel : plan.kernels) {
    scratch = std::max(scratch, kernel.scratchBytes);
    if (!dim::isSymbolic(static_cast<int64_t>(kernel.join.sharedBytes))) {
      shared = std::max(shared, kernel.join.sharedBytes);
    }
  }
  return {scratch, shared};
}

/// Allocates what does not depend on symbolic sizes, and runs the prepare steps.
void Executor::Impl::prepare() {
  auto [scratchBytes, sharedBytes] = kernelMemory(plan);
  arena = Block(plan.arenaBytes);
  prepared = Block(plan.preparedBytes);
  shared = Block(sharedBytes);
  for (int thread = 0; thread < options.threads; ++thread) {
    scratch.emplace_back(scratchBytes);
  }
  for (const Launch &step : plan.prepare) {
    BoundLaunch bound = bind(plan, step);
    launch(bound, {}, {});
  }
  for (const Launch &step : plan.steps) {
    times.push_back({plan.kernels[step.kernel].name, step.label});
  }
  if (!plan.isSymbolic()) {
    bindSteps();
  }
}

/// Bytes that load() allocates.
static uint64_t bytesAtLoad(const Plan &plan, int threads) {
  if (!plan.isSymbolic()) {
    return plan.plannedBytes(threads);
  }
  auto [scratch, shared] = kernelMemory(plan);
  return plan.arenaBytes + plan.preparedBytes + shared +
         scratch * static_cast<uint64_t>(std::max(threads, 1));
}

static Status refusedMemory(uint64_t bytes) {
  return makeError(ErrorCode::OutOfMemory, "running the plan: the system refused {} of memory",
                   formatBytes(bytes));
}

Expected<std::unique_ptr<Executor>> Executor::load(Plan plan, const ExecutorOptions &options) {
  uint64_t planned = bytesAtLoad(plan, options.threads);
  ZYXC_RETURN_IF_ERROR(checkMemory(planned, options.memoryLimit, "running the plan"));
  for (const Kernel &kernel : plan.kernels) {
    if (!kernel.entry) {
      return makeError(ErrorCode::Internal, "kernel {} has no code", kernel.name);
    }
  }
  try {
    auto impl = std::make_unique<Impl>(std::move(plan), options);
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
  uint64_t held = arena.bytes() + shared.bytes() + plan.preparedBytes +
                  scratchBytes * static_cast<uint64_t>(options.threads);
  uint64_t needed = options.memoryLimit ? planned : planned - std::min(planned, held);
  ZYXC_RETURN_IF_ERROR(checkMemory(needed, options.memoryLimit, "running the plan"));
  bound.reset();
  steps.clear();
  try {
    arena.growTo(next.arenaBytes);
    shared.growTo(sharedBytes);
  } catch (const std::bad_alloc &) {
    return refusedMemory(planned);
  }
  bound = std::move(next);
  bindSteps();
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
  return sameSizes ? Status::ok() : bindSizes(inputs);
}

Expected<std::vector<Tensor>> Executor::Impl::run(std::span<const Tensor> inputs, bool timed) {
  ZYXC_RETURN_IF_ERROR(checkInputs(inputs));
  std::vector<Tensor> outputs;
  outputs.reserve(plan.outputs.size());
  for (const NamedType &output : current().outputs) {
    outputs.push_back(Tensor::allocate(output.type));
  }
  for (size_t i = 0; i < steps.size(); ++i) {
    auto start = std::chrono::steady_clock::now();
    launch(steps[i], inputs, outputs);
    if (timed) {
      std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
      times[i].seconds += elapsed.count();
      times[i].runs += 1;
    }
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

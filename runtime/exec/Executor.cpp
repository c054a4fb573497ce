#include "runtime/exec/Executor.h"
#include "runtime/devices/cpu/ThreadPool.h"
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
            ::operator new(bytes ? bytes : 1, std::align_val_t(alignment)))) {}
  std::byte *data() const { return memory.get(); }

private:
  static constexpr size_t alignment = 4096;
  struct Free {
    void operator()(std::byte *p) const { ::operator delete(p, std::align_val_t(alignment)); }
  };
  std::unique_ptr<std::byte, Free> memory;
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
  Impl(Plan p, int threads) : plan(std::move(p)), pool(threads) {}

  Plan plan;
  ThreadPool pool;
  Block arena;
  Block prepared;
  std::vector<Block> scratch; // one a thread
  Block shared;
  std::vector<BoundLaunch> steps;
  std::vector<StepTime> times;

  BoundLaunch bind(const Launch &launch) const;
  void launch(BoundLaunch &bound, std::span<const Tensor> inputs, std::span<const Tensor> outputs);
  Expected<std::vector<Tensor>> run(std::span<const Tensor> inputs, bool timed);
};

BoundLaunch Executor::Impl::bind(const Launch &launch) const {
  BoundLaunch bound{&plan.kernels[launch.kernel], {}, {}};
  std::vector<uint64_t> slots;
  for (const BufferRef &ref : launch.ports) {
    uint64_t address = 0;
    switch (ref.space) {
    case Space::Constant:
      address = reinterpret_cast<uint64_t>(plan.constants[ref.index].data()) + ref.offset;
      break;
    case Space::Arena: address = reinterpret_cast<uint64_t>(arena.data()) + ref.offset; break;
    case Space::Prepared: address = reinterpret_cast<uint64_t>(prepared.data()) + ref.offset; break;
    case Space::Input:
    case Space::Output: bound.late.emplace_back(static_cast<uint32_t>(slots.size()), ref); break;
    }
    slots.push_back(address);
  }
  if (bound.kernel->join.sharedBytes > 0) {
    slots.push_back(reinterpret_cast<uint64_t>(shared.data()));
  }
  for (const Block &own : scratch) {
    bound.slots.push_back(slots);
    bound.slots.back().push_back(reinterpret_cast<uint64_t>(own.data()));
  }
  return bound;
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

Expected<std::unique_ptr<Executor>> Executor::load(Plan plan, const ExecutorOptions &options) {
  uint64_t planned = plan.plannedBytes(options.threads);
  ZYXC_RETURN_IF_ERROR(checkMemory(planned, options.memoryLimit, "running the plan"));
  for (const Kernel &kernel : plan.kernels) {
    if (!kernel.entry) {
      return makeError(ErrorCode::Internal, "kernel {} has no code", kernel.name);
    }
  }
  try {
    auto impl = std::make_unique<Impl>(std::move(plan), options.threads);
    impl->arena = Block(impl->plan.arenaBytes);
    impl->prepared = Block(impl->plan.preparedBytes);
    uint64_t scratchBytes = 0;
    uint64_t sharedBytes = 0;
    for (const Kernel &kernel : impl->plan.kernels) {
      scratchBytes = std::max(scratchBytes, kernel.scratchBytes);
      sharedBytes = std::max(sharedBytes, kernel.join.sharedBytes);
    }
    impl->shared = Block(sharedBytes);
    for (int thread = 0; thread < options.threads; ++thread) {
      impl->scratch.emplace_back(scratchBytes);
    }
    for (const Launch &launch : impl->plan.prepare) {
      BoundLaunch bound = impl->bind(launch);
      impl->launch(bound, {}, {});
    }
    for (const Launch &launch : impl->plan.steps) {
      impl->steps.push_back(impl->bind(launch));
      impl->times.push_back({impl->plan.kernels[launch.kernel].name, launch.label});
    }
    return std::unique_ptr<Executor>(new Executor(std::move(impl)));
  } catch (const std::system_error &error) {
    return makeError(ErrorCode::Device,
                     "the system refused {} threads ({}): give --threads a "
                     "smaller number",
                     options.threads, error.code().message());
  } catch (const std::bad_alloc &) {
    return makeError(ErrorCode::OutOfMemory, "running the plan: the system refused {} of memory",
                     formatBytes(planned));
  }
}

Expected<std::vector<Tensor>> Executor::Impl::run(std::span<const Tensor> inputs, bool timed) {
  if (inputs.size() != plan.inputs.size()) {
    return makeError(ErrorCode::Usage, "the program has {} inputs, {} were given",
                     plan.inputs.size(), inputs.size());
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].type() != plan.inputs[i].type) {
      return makeError(ErrorCode::Usage, "input {} has type {}, the program expects {}",
                       plan.inputs[i].name, toString(inputs[i].type()),
                       toString(plan.inputs[i].type));
    }
  }
  std::vector<Tensor> outputs;
  outputs.reserve(plan.outputs.size());
  for (const NamedType &output : plan.outputs) {
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

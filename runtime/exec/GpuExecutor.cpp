#include "runtime/exec/GpuExecutor.h"
#include "runtime/exec/Executor.h"
#include "runtime/support/Stopwatch.h"

namespace zyxc::rt {

namespace {

/// Tensors or buffers side by side in one allocation of a device, each at a multiple of 256 bytes.
class GpuBlock {
public:
  static constexpr uint64_t alignment = 256;

  void add(uint64_t bytes) {
    offsets.push_back(size);
    size += (bytes + alignment - 1) / alignment * alignment;
  }
  Status allocate(GpuDevice &device, std::string_view what) {
    auto memory = device.allocate(size);
    if (!memory) {
      return std::move(memory).error().withContext(what);
    }
    start = *memory;
    return Status::ok();
  }
  void release(GpuDevice &device) {
    if (start) {
      device.release(start);
    }
  }
  uint64_t bytes() const { return size; }
  GpuAddress at(size_t i) const { return start + offsets[i]; }

private:
  GpuAddress start = 0;
  uint64_t size = 0;
  std::vector<uint64_t> offsets;
};

/// A launch with the addresses of its ports.
struct BoundStep {
  GpuProgram *program;
  std::vector<GpuAddress> ports;
};

} // namespace

struct GpuExecutor::Impl {
  Impl(GpuPlan loaded, std::shared_ptr<GpuDevice> opened)
      : plan(std::move(loaded)), device(std::move(opened)) {}
  ~Impl();

  GpuPlan plan;
  std::shared_ptr<GpuDevice> device;
  std::vector<std::unique_ptr<GpuProgram>> programs; ///< one a kernel
  GpuBlock inputs, outputs, constants, arena, prepared;
  std::vector<BoundStep> steps;
  std::vector<StepTime> times;

  Status allocate(uint64_t memoryLimit);
  Status loadPrograms();
  Status prepare();
  BoundStep bind(const Launch &launch) const;
  Status launch(const BoundStep &step, const Launch &of);
  Status checkInputs(std::span<const Tensor> given) const;
  Expected<std::vector<Tensor>> run(std::span<const Tensor> given, bool timed);
};

GpuExecutor::Impl::~Impl() {
  programs.clear(); // before their device, which they may still use
  for (GpuBlock *block : {&inputs, &outputs, &constants, &arena, &prepared}) {
    block->release(*device);
  }
}

/// All memory of the plan but the scratch memory of kernels, which belongs to them.
Status GpuExecutor::Impl::allocate(uint64_t memoryLimit) {
  for (const NamedType &input : plan.plan.inputs) {
    inputs.add(input.type.byteSize());
  }
  for (const NamedType &output : plan.plan.outputs) {
    outputs.add(output.type.byteSize());
  }
  for (const Tensor &constant : plan.plan.constants) {
    constants.add(constant.byteSize());
  }
  arena.add(plan.plan.arenaBytes);
  prepared.add(plan.plan.preparedBytes);
  uint64_t bytes = 0;
  for (const GpuBlock *block : {&inputs, &outputs, &constants, &arena, &prepared}) {
    bytes += block->bytes();
  }
  for (const GpuKernel &kernel : plan.kernels) {
    bytes += kernel.scratchBytes;
  }
  uint64_t limit = memoryLimit ? memoryLimit : device->info().memoryBytes;
  if (limit && bytes > limit) {
    return checkMemory(bytes, limit, "running the plan on " + device->info().name);
  }
  ZYXC_RETURN_IF_ERROR(inputs.allocate(*device, "inputs"));
  ZYXC_RETURN_IF_ERROR(outputs.allocate(*device, "outputs"));
  ZYXC_RETURN_IF_ERROR(constants.allocate(*device, "constants"));
  ZYXC_RETURN_IF_ERROR(arena.allocate(*device, "arena"));
  return prepared.allocate(*device, "prepared buffers");
}

Status GpuExecutor::Impl::loadPrograms() {
  for (size_t i = 0; i < plan.kernels.size(); ++i) {
    auto program = device->load(plan.kernels[i]);
    if (!program) {
      return std::move(program).error().withContext("kernel " + plan.plan.kernels[i].name);
    }
    programs.push_back(*std::move(program));
  }
  return Status::ok();
}

BoundStep GpuExecutor::Impl::bind(const Launch &launch) const {
  BoundStep step{programs[launch.kernel].get(), {}};
  for (const BufferRef &ref : launch.ports) {
    GpuAddress start = 0;
    switch (ref.space) {
    case Space::Input: start = inputs.at(ref.index); break;
    case Space::Output: start = outputs.at(ref.index); break;
    case Space::Constant: start = constants.at(ref.index); break;
    case Space::Arena: start = arena.at(0); break;
    case Space::Prepared: start = prepared.at(0); break;
    }
    step.ports.push_back(start + ref.offset);
  }
  return step;
}

Status GpuExecutor::Impl::launch(const BoundStep &step, const Launch &of) {
  Status status = device->launch(*step.program, step.ports);
  return status.isOk() ? status
                       : std::move(status).withContext(fmt::format(
                             "kernel {} ({})", plan.plan.kernels[of.kernel].name, of.label));
}

Status GpuExecutor::Impl::prepare() {
  for (size_t i = 0; i < plan.plan.constants.size(); ++i) {
    const Tensor &constant = plan.plan.constants[i];
    ZYXC_RETURN_IF_ERROR(device->upload(constants.at(i), constant.data(), constant.byteSize()));
  }
  for (const Launch &of : plan.plan.prepare) {
    ZYXC_RETURN_IF_ERROR(launch(bind(of), of));
  }
  for (const Launch &of : plan.plan.steps) {
    steps.push_back(bind(of));
    times.push_back({plan.plan.kernels[of.kernel].name, of.label});
  }
  return device->synchronize();
}

Expected<std::unique_ptr<GpuExecutor>>
GpuExecutor::load(GpuPlan plan, std::shared_ptr<GpuDevice> device, uint64_t memoryLimit) {
  ZYXC_RETURN_IF_ERROR(checkGpuPlan(plan.plan));
  auto impl = std::make_unique<Impl>(std::move(plan), std::move(device));
  ZYXC_RETURN_IF_ERROR(impl->allocate(memoryLimit));
  ZYXC_RETURN_IF_ERROR(impl->loadPrograms());
  ZYXC_RETURN_IF_ERROR(impl->prepare());
  return std::unique_ptr<GpuExecutor>(new GpuExecutor(std::move(impl)));
}

Status GpuExecutor::Impl::checkInputs(std::span<const Tensor> given) const {
  const std::vector<NamedType> &wanted = plan.plan.inputs;
  if (given.size() != wanted.size()) {
    return makeError(ErrorCode::Usage, "the program has {} inputs, {} were given", wanted.size(),
                     given.size());
  }
  for (size_t i = 0; i < given.size(); ++i) {
    if (given[i].type() != wanted[i].type) {
      return makeError(ErrorCode::Usage, "input {} has type {}, the program expects {}",
                       wanted[i].name, toString(given[i].type()), toString(wanted[i].type));
    }
  }
  return Status::ok();
}

Expected<std::vector<Tensor>> GpuExecutor::Impl::run(std::span<const Tensor> given, bool timed) {
  ZYXC_RETURN_IF_ERROR(checkInputs(given));
  for (size_t i = 0; i < given.size(); ++i) {
    ZYXC_RETURN_IF_ERROR(device->upload(inputs.at(i), given[i].data(), given[i].byteSize()));
  }
  for (size_t i = 0; i < steps.size(); ++i) {
    double milliseconds = 0;
    {
      Stopwatch watch(milliseconds);
      ZYXC_RETURN_IF_ERROR(launch(steps[i], plan.plan.steps[i]));
      if (timed) {
        ZYXC_RETURN_IF_ERROR(device->synchronize().withContext("kernel " + times[i].kernel));
      }
    }
    constexpr double perSecond = 1e3;
    times[i].seconds += timed ? milliseconds / perSecond : 0;
    times[i].runs += timed ? 1 : 0;
  }
  ZYXC_RETURN_IF_ERROR(device->synchronize());
  std::vector<Tensor> results;
  for (size_t i = 0; i < plan.plan.outputs.size(); ++i) {
    Tensor &result = results.emplace_back(Tensor::allocate(plan.plan.outputs[i].type));
    ZYXC_RETURN_IF_ERROR(device->download(result.mutableData(), outputs.at(i), result.byteSize()));
  }
  return results;
}

GpuExecutor::GpuExecutor(std::unique_ptr<Impl> i) : impl(std::move(i)) {}
GpuExecutor::~GpuExecutor() = default;

const Plan &GpuExecutor::plan() const {
  return impl->plan.plan;
}
const std::vector<StepTime> &GpuExecutor::stepTimes() const {
  return impl->times;
}
Expected<std::vector<Tensor>> GpuExecutor::run(std::span<const Tensor> inputs) {
  return impl->run(inputs, false);
}
Expected<std::vector<Tensor>> GpuExecutor::runTimed(std::span<const Tensor> inputs) {
  return impl->run(inputs, true);
}

} // namespace zyxc::rt

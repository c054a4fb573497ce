#include "runtime/exec/Frame.h"
#include <algorithm>
#include <cstring>

namespace zyxc::rt {

Frame::Frame(const Plan &plan, Workers &w, uint32_t carriedValues)
    : workers(w), numCarried(carriedValues) {
  std::vector<uint32_t> carriedOf(plan.bodies.size(), 0);
  for (const Kernel &kernel : plan.kernels) {
    for (uint32_t body : kernel.control.bodies) {
      carriedOf[body] = kernel.control.numCarried;
    }
  }
  for (size_t i = 0; i < plan.bodies.size(); ++i) {
    bodies.push_back(std::make_unique<Frame>(plan.bodies[i], workers, carriedOf[i]));
  }
  arena = Block(plan.arenaBytes);
  prepared = Block(plan.preparedBytes);
  bool isStatic = !plan.isSymbolic();
  if (isStatic) {
    growTo(plan);
  }
  for (const Launch &step : plan.prepare) {
    BoundLaunch once = bound(plan, step);
    launch(once);
  }
  if (isStatic) {
    bind(plan);
  }
}

void Frame::growTo(const Plan &plan) {
  arena.growTo(plan.arenaBytes);
  carried.growTo(carriedBytes(plan, numCarried));
  for (size_t i = 0; i < bodies.size(); ++i) {
    bodies[i]->growTo(plan.bodies[i]);
  }
}

void Frame::unbind() {
  steps.clear();
  for (std::unique_ptr<Frame> &body : bodies) {
    body->unbind();
  }
}

void Frame::bind(const Plan &plan) {
  inputs.assign(plan.inputs.size(), 0);
  outputs.assign(plan.outputs.size(), 0);
  outputBytes.clear();
  for (const NamedType &output : plan.outputs) {
    outputBytes.push_back(output.type.byteSize());
  }
  spare.clear();
  for (uint32_t i = 0; i < numCarried; ++i) {
    spare.push_back(carried.address() + carriedBytes(plan, i));
  }
  for (size_t i = 0; i < bodies.size(); ++i) {
    bodies[i]->bind(plan.bodies[i]);
  }
  steps.clear();
  for (const Launch &step : plan.steps) {
    steps.push_back(bound(plan, step));
  }
}

uint64_t Frame::heldBytes() const {
  uint64_t bytes = arena.bytes() + prepared.bytes() + carried.bytes();
  for (const std::unique_ptr<Frame> &body : bodies) {
    bytes += body->heldBytes();
  }
  return bytes;
}

/// Waking threads costs more than a short kernel.
static bool isShort(const Kernel &kernel) {
  constexpr int64_t worthSplitting = 20'000'000; // picoseconds
  return kernel.picoseconds > 0 && kernel.picoseconds < worthSplitting;
}

BoundLaunch Frame::bound(const Plan &plan, const Launch &launch) const {
  const Kernel &kernel = plan.kernels[launch.kernel];
  BoundLaunch result{&kernel, isShort(kernel), {}, {}};
  std::vector<uint64_t> slots;
  for (const BufferRef &ref : launch.ports) {
    uint64_t address = 0;
    switch (ref.space) {
    case Space::Constant:
      address = reinterpret_cast<uint64_t>(plan.constants[ref.index].data()) + ref.offset;
      break;
    case Space::Arena: address = arena.address() + ref.offset; break;
    case Space::Prepared: address = prepared.address() + ref.offset; break;
    case Space::Input:
    case Space::Output: result.late.emplace_back(static_cast<uint32_t>(slots.size()), ref); break;
    }
    slots.push_back(address);
  }
  if (kernel.control.kind != Control::Kind::None) {
    result.slots.push_back(std::move(slots));
    return result;
  }
  if (kernel.join.sharedBytes > 0) {
    slots.push_back(workers.shared.address());
  }
  for (const Block &own : workers.scratch) {
    std::vector<uint64_t> &all = result.slots.emplace_back(slots);
    if (kernel.hasCode()) { // code of others has no scratch memory
      all.push_back(own.address());
    }
    if (kernel.function) {
      all.push_back(reinterpret_cast<uint64_t>(kernel.function));
    }
    all.insert(all.end(), kernel.dims.begin(), kernel.dims.end());
    if (result.isAlone) {
      break;
    }
  }
  return result;
}

void Frame::launch(BoundLaunch &launch) {
  for (const auto &[slot, ref] : launch.late) {
    uint64_t address = (ref.space == Space::Input ? inputs : outputs)[ref.index] + ref.offset;
    for (std::vector<uint64_t> &slots : launch.slots) {
      slots[slot] = address;
    }
  }
  switch (launch.kernel->control.kind) {
  case Control::Kind::None: return runTasks(launch);
  case Control::Kind::If: return runBranch(launch);
  case Control::Kind::Loop: return runLoop(launch);
  }
}

void Frame::runTasks(BoundLaunch &launch) {
  const Kernel &kernel = *launch.kernel;
  if (launch.isAlone) {
    kernel.entry(launch.slots[0].data(), 0, kernel.numTasks);
    if (kernel.join.entry) {
      kernel.join.entry(launch.slots[0].data(), 0, kernel.join.numTasks);
    }
    return;
  }
  auto runAll = [&](KernelFn entry, int64_t tasks) {
    workers.pool.run(tasks, [&](int64_t lo, int64_t hi, int thread) {
      entry(launch.slots[static_cast<size_t>(thread)].data(), lo, hi);
    });
  };
  runAll(kernel.entry, kernel.numTasks);
  if (kernel.join.entry) {
    runAll(kernel.join.entry, kernel.join.numTasks);
  }
}

static bool isTrue(uint64_t address) {
  return *reinterpret_cast<const uint8_t *>(address) != 0;
}

void Frame::runBranch(const BoundLaunch &launch) {
  const uint64_t *port = launch.slots[0].data();
  Frame &body = *bodies[launch.kernel->control.bodies[isTrue(*port++) ? 0 : 1]];
  for (uint64_t &input : body.inputs) {
    input = *port++;
  }
  for (uint64_t &output : body.outputs) {
    output = *port++;
  }
  body.run();
}

static bool overlap(uint64_t a, uint64_t aBytes, uint64_t b, uint64_t bBytes) {
  return a < b + bBytes && b < a + aBytes;
}

/// Carried values alternate between the result and a second copy, so that the last of `limit`
/// iterations writes the result; where a result lies on an initial value, which the first iteration
/// reads, the copy is first.
void Frame::runLoop(const BoundLaunch &launch) {
  const Control &control = launch.kernel->control;
  Frame &body = *bodies[control.bodies[0]];
  size_t carried = control.numCarried;
  const uint64_t *first = launch.slots[0].data();
  const uint64_t *initial = first + 1;
  const uint64_t *results = initial + body.inputs.size() - 1; // behind the captures
  body.inputs[0] = reinterpret_cast<uint64_t>(&body.iteration);
  std::copy(initial, results, body.inputs.begin() + 1);
  body.outputs[0] = reinterpret_cast<uint64_t>(&body.again);
  bool resultFirst = control.limit % 2 != 0;
  for (size_t i = 0; i < carried; ++i) {
    for (size_t j = 0; j < carried; ++j) {
      resultFirst &=
          !overlap(results[i], body.outputBytes[1 + i], initial[j], body.outputBytes[1 + j]);
    }
  }
  std::copy_n(resultFirst ? results : body.spare.data(), carried, body.outputs.begin() + 1);
  std::copy_n(results + carried, body.outputs.size() - 1 - carried,
              body.outputs.begin() + 1 + static_cast<ptrdiff_t>(carried));

  int64_t i = 0;
  for (bool goesOn = isTrue(*first); goesOn && i < control.limit; ++i) {
    body.iteration = i;
    body.run();
    goesOn = body.again != 0;
    for (size_t k = 1; k <= carried; ++k) {
      body.inputs[k] = body.outputs[k];
      bool wasResult = body.outputs[k] == results[k - 1];
      body.outputs[k] = wasResult ? body.spare[k - 1] : results[k - 1];
    }
    for (size_t k = 1 + carried; k < body.outputs.size(); ++k) {
      body.outputs[k] += body.outputBytes[k];
    }
  }
  for (size_t k = 1; k <= carried; ++k) {
    if (body.inputs[k] != results[k - 1]) {
      std::memcpy(reinterpret_cast<void *>(results[k - 1]),
                  reinterpret_cast<const void *>(body.inputs[k]), body.outputBytes[k]);
    }
  }
  for (size_t k = 1 + carried; k < body.outputs.size(); ++k) {
    std::memset(reinterpret_cast<void *>(body.outputs[k]), 0,
                body.outputBytes[k] * static_cast<uint64_t>(control.limit - i));
  }
}

} // namespace zyxc::rt

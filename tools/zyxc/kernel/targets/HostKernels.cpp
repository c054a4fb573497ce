// The host as a target of `zyxc kernel`.
#include "compiler/codegen/cpu/HostCompiler.h"
#include "passes/lower/HostFunction.h"
#include "runtime/core/Dim.h"
#include "runtime/devices/cpu/ThreadPool.h"
#include "tools/zyxc/kernel/targets/GuardedMemory.h"
#include "tools/zyxc/kernel/targets/HostPeak.h"
#include "tools/zyxc/kernel/targets/KernelRunner.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include <array>
#include <chrono>
#include <csignal>
#include <cstring>
#include <deque>

using namespace mlir;

namespace zyxc::tool {

namespace {

class HostKernels : public KernelTarget {
public:
  HostKernels(std::unique_ptr<HostCompiler> compiler, int threads)
      : compiler(std::move(compiler)), pool(threads) {}

  std::string describe() const override {
    return fmt::format("{}, {}-bit vectors, {} thread{}", compiler->target().cpu,
                       compiler->target().vectorBits, pool.numThreads(),
                       pool.numThreads() == 1 ? "" : "s");
  }
  Expected<std::unique_ptr<KernelRunner>> compile(const std::string &text,
                                                  zyxk::KernelOp kernel) override;
  Expected<KernelTimes> time(std::span<const TimedLaunch> launches, const PortBytes &ports,
                             const TimeRequest &request) override;
  std::string forms() const override { return "mlir, llvm, asm"; }
  Expected<std::string> emit(const std::string &text, const std::string &form) override;

private:
  std::unique_ptr<HostCompiler> compiler;
  rt::ThreadPool pool;
};

/// Ports of a kernel in guarded memory, packed operands and scratch memory.
struct HostPorts {
  std::vector<GuardedMemory> ports;
  std::vector<GuardedMemory> packed;
  std::vector<GuardedMemory> shared; ///< none, or one for parts of results
  /// Of what the kernel takes: ports or their packed form, then shared memory.
  std::vector<uint64_t> addresses;
  bool isIntact() const {
    return std::all_of(shared.begin(), shared.end(), [](const auto &m) { return m.isIntact(); });
  }

  HostPorts(const CompiledKernel &kernel, const PortBytes &bytes,
            const std::vector<size_t> &alignments);
};

class HostKernel : public KernelRunner {
public:
  HostKernel(CompiledKernel kernel, std::vector<size_t> alignments)
      : kernel(std::move(kernel)), alignments(std::move(alignments)) {}

  Status run(PortBytes &ports, unsigned variant, std::span<const int64_t> dims) override;
  const CompiledKernel &compiled() const { return kernel; }

private:
  void runTasks(const HostPorts &ports, std::byte *scratch, unsigned variant,
                std::span<const int64_t> dims) const;

  CompiledKernel kernel;
  std::vector<size_t> alignments;
};

} // namespace

/// Alignment that a port states, or that of its elements.
static size_t alignmentOf(zyxk::PortType type) {
  size_t element = std::max<size_t>(
      type.getElementType().isIndex() ? 8 : type.getElementType().getIntOrFloatBitWidth() / 8, 1);
  return std::max<size_t>(element, type.getAlign());
}

/// Scratch memory and packed operands are aligned to 64 bytes.
static constexpr size_t lineBytes = 64;

HostPorts::HostPorts(const CompiledKernel &kernel, const PortBytes &bytes,
                     const std::vector<size_t> &alignments) {
  for (size_t i = 0; i < bytes.size(); ++i) {
    ports.emplace_back(bytes[i].size(), alignments[i]);
    std::copy_n(bytes[i].data(), bytes[i].size(), ports.back().data());
    addresses.push_back(reinterpret_cast<uint64_t>(ports.back().data()));
  }
  for (const PreparedPort &prepared : kernel.prepared) {
    packed.emplace_back(prepared.bytes, lineBytes);
    uint64_t slots[] = {addresses[prepared.port], reinterpret_cast<uint64_t>(packed.back().data())};
    prepared.pack(slots, 0, prepared.packTasks);
    addresses[prepared.port] = slots[1];
  }
  if (kernel.join.sharedBytes > 0) {
    shared.emplace_back(kernel.join.sharedBytes, lineBytes);
    addresses.push_back(reinterpret_cast<uint64_t>(shared.back().data()));
  }
}

/// The tasks of a kernel at the values of its dims.
static int64_t tasksOf(const CompiledKernel &kernel, std::span<const int64_t> dims) {
  dim::Bindings bindings;
  for (size_t i = 0; i < dims.size(); ++i) {
    bindings[fmt::format("d{}", i)] = dims[i];
  }
  auto tasks = dim::evaluate(kernel.numTasks, bindings);
  return tasks ? std::max<int64_t>(*tasks, 0) : 0;
}

/// Variant 0: one call; 1: a call per task, the last one first.
void HostKernel::runTasks(const HostPorts &ports, std::byte *scratch, unsigned variant,
                          std::span<const int64_t> dims) const {
  std::vector<uint64_t> slots = ports.addresses;
  slots.push_back(reinterpret_cast<uint64_t>(scratch));
  slots.insert(slots.end(), dims.begin(), dims.end());
  auto runAll = [&](rt::KernelFn entry, int64_t tasks) {
    if (variant % 2 == 0) {
      entry(slots.data(), 0, tasks);
      return;
    }
    for (int64_t task = tasks; task-- > 0;) {
      entry(slots.data(), task, task + 1);
    }
  };
  runAll(kernel.entry, tasksOf(kernel, dims));
  if (kernel.join.entry) {
    runAll(kernel.join.entry, kernel.join.numTasks);
  }
}

/// Why code was ended by a signal; "" if it was not.
template <class Code> static std::string crashOf(Code &&code) {
  llvm::CrashRecoveryContext::Enable();
  llvm::CrashRecoveryContext guard;
  bool survived = guard.RunSafely(code);
  llvm::CrashRecoveryContext::Disable();
  if (survived) {
    return "";
  }
  constexpr int signalBase = 128;
  switch (guard.RetCode - signalBase) {
  case SIGFPE:
    return "the kernel crashed (SIGFPE): an integer is divided by zero, or the least one by -1; "
           "select another divisor where that can be";
  case SIGILL: return "the kernel crashed (SIGILL): this processor lacks an instruction";
  default: return "the kernel crashed: it reads or writes far outside of its ports";
  }
}

Status HostKernel::run(PortBytes &bytes, unsigned variant, std::span<const int64_t> dims) {
  GuardedMemory scratch(kernel.scratchBytes, lineBytes);
  std::optional<HostPorts> ports;
  std::string crash = crashOf([&] {
    ports.emplace(kernel, bytes, alignments);
    runTasks(*ports, scratch.data(), variant, dims);
  });
  if (!crash.empty()) {
    return makeError(ErrorCode::Verification, "{}", crash);
  }
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (!ports->ports[i].isIntact()) {
      return makeError(ErrorCode::Verification, "writes outside of port {}", i);
    }
    std::copy_n(ports->ports[i].data(), bytes[i].size(), bytes[i].data());
  }
  if (!scratch.isIntact() || !ports->isIntact()) {
    return makeError(ErrorCode::Verification, "writes outside of its scratch memory");
  }
  return Status::ok();
}

//===- Times ---------------------------------------------------------------------------------===//

/// Microseconds of one call.
template <class F> static double microseconds(F &&work) {
  auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
      .count();
}

namespace {

/// Memory that copies go through, in as many places as the ports of the kernel.
struct CopyRing {
  CopyRing(uint64_t bytes, size_t sets) : half(bytes / 2) {
    for (size_t i = 0; i < sets; ++i) {
      from.emplace_back(half, std::byte(1));
      to.emplace_back(half, std::byte(2));
    }
  }
  void copy(rt::ThreadPool &pool, size_t set) {
    constexpr uint64_t chunk = uint64_t(1) << 16;
    auto chunks = static_cast<int64_t>((half + chunk - 1) / chunk);
    pool.run(chunks, [&](int64_t lo, int64_t hi, int) {
      uint64_t begin = lo * chunk;
      std::memcpy(to[set].data() + begin, from[set].data() + begin,
                  std::min(hi * chunk, half) - begin);
    });
  }
  uint64_t half;
  std::vector<std::vector<std::byte>> from;
  std::vector<std::vector<std::byte>> to;
};

} // namespace

/// Sets of ports to rotate through, so that a run does not find its inputs in a cache.
static size_t setsFor(const PortBytes &bytes, uint64_t coldBytes) {
  uint64_t total = 1;
  for (const std::vector<std::byte> &port : bytes) {
    total += port.size();
  }
  constexpr uint64_t mostSets = 1024;
  return std::clamp<uint64_t>((coldBytes + total - 1) / total, 1, mostSets);
}

namespace {

/// A launch on one set of ports.
struct HostLaunch {
  HostLaunch(const TimedLaunch &launch, std::vector<GuardedMemory> &memory);
  void run(rt::ThreadPool &pool, const std::vector<std::byte *> &scratch) const;

  const CompiledKernel &kernel;
  std::vector<int64_t> dims; ///< that the kernel was compiled without
  int64_t tasks;
  /// Of what the kernel takes: ports or their packed form, then shared memory.
  std::vector<uint64_t> addresses;
  std::vector<GuardedMemory> packed;
  std::vector<GuardedMemory> shared; ///< none, or one for parts of results
  /// What is packed before each run, as another launch writes it: source and destination.
  std::vector<std::pair<const PreparedPort *, std::array<uint64_t, 2>>> packing;
};

/// All launches on one set of ports.
struct HostSet {
  HostSet(std::span<const TimedLaunch> launches, const PortBytes &ports) {
    for (const std::vector<std::byte> &bytes : ports) {
      memory.emplace_back(bytes.size(), lineBytes);
      std::copy_n(bytes.data(), bytes.size(), memory.back().data());
    }
    for (const TimedLaunch &launch : launches) {
      this->launches.emplace_back(launch, memory);
    }
  }
  void run(rt::ThreadPool &pool, const std::vector<std::byte *> &scratch) const {
    for (const HostLaunch &launch : launches) {
      launch.run(pool, scratch);
    }
  }

  std::vector<GuardedMemory> memory;
  std::vector<HostLaunch> launches;
};

} // namespace

HostLaunch::HostLaunch(const TimedLaunch &launch, std::vector<GuardedMemory> &memory)
    : kernel(static_cast<HostKernel *>(launch.kernel)->compiled()), dims(launch.dims),
      tasks(tasksOf(kernel, launch.dims)) {
  for (unsigned port : launch.ports) {
    addresses.push_back(reinterpret_cast<uint64_t>(memory[port].data()));
  }
  for (const PreparedPort &prepared : kernel.prepared) {
    packed.emplace_back(prepared.bytes, lineBytes);
    std::array<uint64_t, 2> slots = {addresses[prepared.port],
                                     reinterpret_cast<uint64_t>(packed.back().data())};
    addresses[prepared.port] = slots[1];
    if (launch.isConstant[prepared.port]) {
      prepared.pack(slots.data(), 0, prepared.packTasks);
    } else {
      packing.emplace_back(&prepared, slots);
    }
  }
  if (kernel.join.sharedBytes > 0) {
    shared.emplace_back(kernel.join.sharedBytes, lineBytes);
    addresses.push_back(reinterpret_cast<uint64_t>(shared.back().data()));
  }
}

void HostLaunch::run(rt::ThreadPool &pool, const std::vector<std::byte *> &scratch) const {
  for (const auto &[prepared, slots] : packing) {
    pool.run(prepared->packTasks, [&, pack = prepared->pack, at = slots.data()](
                                      int64_t lo, int64_t hi, int) { pack(at, lo, hi); });
  }
  auto runAll = [&](rt::KernelFn entry, int64_t tasks) {
    pool.run(tasks, [&](int64_t lo, int64_t hi, int thread) {
      std::vector<uint64_t> slots = addresses;
      slots.push_back(reinterpret_cast<uint64_t>(scratch[thread]));
      slots.insert(slots.end(), dims.begin(), dims.end());
      entry(slots.data(), lo, hi);
    });
  };
  runAll(kernel.entry, tasks);
  if (kernel.join.entry) {
    runAll(kernel.join.entry, kernel.join.numTasks);
  }
}

Expected<KernelTimes> HostKernels::time(std::span<const TimedLaunch> launches,
                                        const PortBytes &ports, const TimeRequest &request) {
  size_t numSets = setsFor(ports, request.coldBytes);
  std::deque<HostSet> sets;
  for (size_t i = 0; i < numSets; ++i) {
    sets.emplace_back(launches, ports);
  }
  uint64_t scratchBytes = 0;
  for (const HostLaunch &launch : sets.front().launches) {
    scratchBytes = std::max(scratchBytes, launch.kernel.scratchBytes);
  }
  std::vector<GuardedMemory> scratchMemory;
  std::vector<std::byte *> scratch;
  for (int i = 0; i < pool.numThreads(); ++i) {
    scratchMemory.emplace_back(scratchBytes, lineBytes);
    scratch.push_back(scratchMemory.back().data());
  }
  CopyRing ring(request.copyBytes, numSets);
  KernelTimes times;
  // A sample is long enough for the clock: short kernels run several times.
  constexpr double shortestSample = 200;
  // Once on this thread alone: a signal in another one could not be told.
  rt::ThreadPool alone(1);
  std::string crash = crashOf([&] { sets.front().run(alone, scratch); });
  if (!crash.empty()) {
    return makeError(ErrorCode::Input, "{}", crash);
  }
  sets.front().run(pool, scratch);
  double once = microseconds([&] { sets.back().run(pool, scratch); });
  int runs = static_cast<int>(std::clamp(shortestSample / std::max(once, 0.1), 1.0, 1000.0));
  size_t set = 0;
  size_t copySet = 0;
  for (int sample = 0; sample < request.samples; ++sample) {
    times.kernel.push_back(microseconds([&] {
                             for (int i = 0; i < runs; ++i) {
                               sets[set++ % numSets].run(pool, scratch);
                             }
                           }) /
                           runs);
    times.copy.push_back(microseconds([&] {
                           for (int i = 0; i < runs; ++i) {
                             ring.copy(pool, copySet++ % numSets);
                           }
                         }) /
                         runs);
  }
  if (request.measurePeak) {
    times.peakFlops = measurePeakFlops(pool);
  }
  return times;
}

//===- The target ----------------------------------------------------------------------------===//

Expected<std::unique_ptr<KernelRunner>> HostKernels::compile(const std::string &text,
                                                             zyxk::KernelOp kernel) {
  auto compiled = compiler->compile(std::span(&text, 1), 1);
  if (!compiled) {
    return makeError(ErrorCode::Unsupported, "{}", withoutKernel(compiled.error().message()));
  }
  std::vector<size_t> alignments;
  alignments.reserve(kernel.getNumPorts());
  for (unsigned i = 0; i < kernel.getNumPorts(); ++i) {
    alignments.push_back(alignmentOf(kernel.getPortType(i)));
  }
  return std::unique_ptr<KernelRunner>(
      std::make_unique<HostKernel>(std::move(compiled->front()), std::move(alignments)));
}

Expected<std::string> HostKernels::emit(const std::string &text, const std::string &form) {
  std::string KernelTexts::*member = form == "mlir"   ? &KernelTexts::mlir
                                     : form == "llvm" ? &KernelTexts::llvm
                                     : form == "asm"  ? &KernelTexts::assembly
                                                      : nullptr;
  if (!member) {
    return makeError(ErrorCode::Usage, "--emit={}: the host has zyxk, {}", form, forms());
  }
  ZYXC_ASSIGN(auto keeping, HostCompiler::create(compiler->target(), /*keepTexts=*/true));
  auto compiled = keeping->compile(std::span(&text, 1), 1);
  if (!compiled) {
    return makeError(ErrorCode::Unsupported, "{}", compiled.error().message());
  }
  return (*compiled->front().texts).*member;
}

Expected<std::unique_ptr<KernelTarget>> openHost(const std::string &name, int threads) {
  ZYXC_ASSIGN(HostTarget target, HostTarget::named(name));
  ZYXC_ASSIGN(auto compiler, HostCompiler::create(target));
  return std::unique_ptr<KernelTarget>(std::make_unique<HostKernels>(std::move(compiler), threads));
}

} // namespace zyxc::tool

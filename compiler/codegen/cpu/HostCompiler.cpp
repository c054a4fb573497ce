#include "compiler/codegen/cpu/HostCompiler.h"
#include "compiler/codegen/cpu/KernelWorker.h"
#include "runtime/devices/cpu/ThreadPool.h"
#include "runtime/routines/Routine.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include <atomic>
#include <chrono>
#include <optional>

namespace zyxc {

struct HostCompiler::Impl {
  HostTarget target;
  bool keepTexts = false;
  llvm::orc::JITTargetMachineBuilder machines;
  std::unique_ptr<llvm::orc::LLJIT> jit;
  std::vector<std::unique_ptr<KernelWorker>> workers;
  uint64_t numLinked = 0; ///< names the symbol tables of linked kernels
  HostCompileTimes times;

  explicit Impl(llvm::orc::JITTargetMachineBuilder machines) : machines(std::move(machines)) {}

  Status addWorkers(int count);
  Expected<CompiledKernel> link(KernelObject object);
};

HostCompiler::HostCompiler(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
HostCompiler::~HostCompiler() = default;
const HostTarget &HostCompiler::target() const {
  return impl->target;
}
const HostCompileTimes &HostCompiler::times() const {
  return impl->times;
}

static Status asStatus(std::string_view what, llvm::Error error) {
  return makeError(ErrorCode::Internal, "{}: {}", what, llvm::toString(std::move(error)));
}

Expected<std::unique_ptr<HostCompiler>> HostCompiler::create(const HostTarget &target,
                                                             bool keepTexts) {
  if (llvm::InitializeNativeTarget() || llvm::InitializeNativeTargetAsmPrinter() ||
      llvm::InitializeNativeTargetAsmParser()) {
    return makeError(ErrorCode::Device, "LLVM has no code generator for this processor");
  }
  auto host = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!host) {
    return asStatus("host not known to LLVM", host.takeError());
  }
  llvm::orc::JITTargetMachineBuilder machines(host->getTargetTriple());
  machines.setCPU(target.cpu);
  if (!target.features.empty()) {
    machines.addFeatures({target.features});
  }
  // The code of kernels is the same speed as with Default, which takes a tenth longer.
  machines.setCodeGenOptLevel(llvm::CodeGenOptLevel::Less);
  machines.setRelocationModel(llvm::Reloc::PIC_);
  machines.setCodeModel(llvm::CodeModel::Small);
  machines.getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;
  auto impl = std::make_unique<Impl>(machines);
  impl->target = target;
  impl->keepTexts = keepTexts;
  auto jit = llvm::orc::LLJITBuilder()
                 .setJITTargetMachineBuilder(std::move(machines))
                 .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
                 .create();
  if (!jit) {
    return asStatus("JIT not started", jit.takeError());
  }
  impl->jit = std::move(*jit);
  return std::unique_ptr<HostCompiler>(new HostCompiler(std::move(impl)));
}

Status HostCompiler::Impl::addWorkers(int count) {
  while (static_cast<int>(workers.size()) < count) {
    auto machine = machines.createTargetMachine();
    if (!machine) {
      return asStatus("no target machine", machine.takeError());
    }
    workers.push_back(std::make_unique<KernelWorker>(target, std::move(*machine)));
    workers.back()->keepTexts = keepTexts;
  }
  return Status::ok();
}

/// The addresses of the routines that a kernel may call, by their symbols.
static llvm::orc::SymbolMap routineSymbols(llvm::orc::LLJIT &jit) {
  llvm::orc::SymbolMap symbols;
  for (const rt::Routine &routine : rt::routines()) {
    std::string name = fmt::format("{}{}", rt::routinePrefix, routine.name);
    symbols[jit.mangleAndIntern(name)] = {llvm::orc::ExecutorAddr::fromPtr(routine.call),
                                          llvm::JITSymbolFlags::Exported |
                                              llvm::JITSymbolFlags::Callable};
  }
  return symbols;
}

Expected<CompiledKernel> HostCompiler::Impl::link(KernelObject object) {
  auto library = jit->createJITDylib(fmt::format("kernel{}", numLinked++));
  if (!library) {
    return asStatus("link", library.takeError());
  }
  if (object.callsRoutine) {
    if (llvm::Error error = library->define(llvm::orc::absoluteSymbols(routineSymbols(*jit)))) {
      return asStatus("link", std::move(error));
    }
  }
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(*object.object, object.symbol);
  if (llvm::Error error = jit->addObjectFile(*library, std::move(buffer))) {
    return asStatus("link", std::move(error));
  }
  auto find = [&](const std::string &symbol) -> Expected<rt::KernelFn> {
    auto address = jit->lookup(*library, symbol);
    if (!address) {
      return asStatus("link", address.takeError());
    }
    return address->toPtr<rt::KernelFn>();
  };
  CompiledKernel kernel;
  kernel.name = object.symbol;
  kernel.numTasks = object.numTasks;
  kernel.numDims = object.numDims;
  kernel.scratchBytes = object.scratchBytes;
  ZYXC_ASSIGN(kernel.entry, find(object.symbol));
  kernel.join = {nullptr, object.joinTasks, object.sharedBytes};
  if (!object.joinSymbol.empty()) {
    ZYXC_ASSIGN(kernel.join.entry, find(object.joinSymbol));
    kernel.joinSymbol = object.joinSymbol;
  }
  for (const PackEntry &pack : object.packs) {
    ZYXC_ASSIGN(rt::KernelFn function, find(pack.symbol));
    kernel.prepared.push_back({pack.port, pack.bytes, function, pack.numTasks, pack.symbol});
  }
  kernel.object = std::move(object.object);
  kernel.numInstructions = object.numInstructions;
  kernel.texts = std::move(object.texts);
  return kernel;
}

static void add(HostCompileTimes &total, const HostCompileTimes &part) {
  total.parse += part.parse;
  total.lower += part.lower;
  total.convert += part.convert;
  total.translate += part.translate;
  total.optimize += part.optimize;
  total.emit += part.emit;
}

/// The symbol in a kernel's text, for messages about kernels that may not even parse.
static std::string nameInText(std::string_view text) {
  size_t begin = text.find('@');
  if (begin == std::string_view::npos) {
    return "kernel";
  }
  size_t end = text.find_first_of(" (\n", begin);
  return std::string(text.substr(begin, end == std::string_view::npos ? end : end - begin));
}

/// A fault on a worker thread becomes an error where the program has enabled crash recovery. The
/// worker is then in no known state: it is not used again, nor destroyed.
static Expected<KernelObject> compileGuarded(std::unique_ptr<KernelWorker> &worker,
                                             const std::string &text) {
  if (!worker) {
    return makeError(ErrorCode::Internal, "not compiled: an earlier kernel crashed the compiler");
  }
  std::optional<Expected<KernelObject>> object;
  llvm::CrashRecoveryContext guard;
  if (!guard.RunSafely([&] { object.emplace(worker->compile(text)); })) {
    [[maybe_unused]] KernelWorker *abandoned = worker.release();
    return makeError(ErrorCode::Internal, "the compiler crashed");
  }
  return *std::move(object);
}

Expected<std::vector<CompiledKernel>> HostCompiler::compile(std::span<const std::string> kernels,
                                                            int threads) {
  int count = std::clamp<int>(threads, 1, std::max<size_t>(kernels.size(), 1));
  ZYXC_RETURN_IF_ERROR(impl->addWorkers(count));
  // Kernels differ in size, so workers take the next one from a counter; results go to fixed slots.
  std::vector<std::optional<Expected<KernelObject>>> objects(kernels.size());
  std::atomic<size_t> next{0};
  rt::ThreadPool pool(count);
  pool.run(count, [&](int64_t lo, int64_t hi, int) {
    for (int64_t worker = lo; worker < hi; ++worker) {
      for (size_t i; (i = next.fetch_add(1)) < kernels.size();) {
        objects[i].emplace(compileGuarded(impl->workers[worker], kernels[i]));
      }
    }
  });
  std::erase(impl->workers, nullptr);
  for (auto &worker : impl->workers) {
    add(impl->times, std::exchange(worker->times, {}));
  }
  std::vector<CompiledKernel> result;
  auto start = std::chrono::steady_clock::now();
  for (size_t i = 0; i < kernels.size(); ++i) {
    if (!*objects[i]) {
      return std::move(*objects[i]).error().withContext(nameInText(kernels[i]));
    }
    auto linked = impl->link(**std::move(objects[i]));
    if (!linked) {
      return std::move(linked).error().withContext(nameInText(kernels[i]));
    }
    result.push_back(*std::move(linked));
  }
  std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
  impl->times.link += spent.count();
  return result;
}

} // namespace zyxc

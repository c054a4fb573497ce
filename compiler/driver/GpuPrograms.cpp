#include "compiler/driver/GpuPrograms.h"
#include "compiler/codegen/cuda/CustomPtx.h"
#include "compiler/codegen/cuda/PtxCompiler.h"
#include "compiler/codegen/vulkan/CustomSpirv.h"
#include "compiler/codegen/vulkan/SpirvCompiler.h"
#include "compiler/codegen/vulkan/SpirvValidator.h"
#include "runtime/devices/cpu/ThreadPool.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include <algorithm>
#include <atomic>
#include <map>

namespace zyxc {

namespace {

/// All code of one kernel.
struct GpuKernelCode {
  std::vector<rt::GpuCode> codes;
  std::vector<std::string> features;
  KernelTexts texts;
};

/// Compiles kernels, one at a time.
class GpuWorker {
public:
  virtual ~GpuWorker() = default;
  virtual Expected<GpuKernelCode> compile(const std::string &text) = 0;
  /// The same for code of the user; the kernel has so many ports.
  virtual Expected<GpuKernelCode> compile(const CustomSource &source, size_t numPorts) = 0;
};

class CudaWorker : public GpuWorker {
public:
  static Expected<std::unique_ptr<GpuWorker>> create(const ModelTarget &target, bool keepTexts) {
    PtxOptions options;
    options.architecture = target.assembleFor;
    options.refuseFaults = false; // slow code is code
    options.keepText = keepTexts;
    auto worker = std::make_unique<CudaWorker>();
    ZYXC_ASSIGN(worker->compiler, PtxCompiler::create(target.gpu, options));
    worker->architecture = target.assembleFor.empty() ? target.gpu.name : target.assembleFor;
    return std::unique_ptr<GpuWorker>(std::move(worker));
  }
  Expected<GpuKernelCode> compile(const std::string &text) override;
  Expected<GpuKernelCode> compile(const CustomSource &source, size_t numPorts) override;

private:
  std::unique_ptr<PtxCompiler> compiler;
  std::string architecture;
};

class VulkanWorker : public GpuWorker {
public:
  VulkanWorker(const ModelTarget &target, bool keepTexts) : target(target) {
    options.keepText = keepTexts;
  }
  Expected<GpuKernelCode> compile(const std::string &text) override;
  Expected<GpuKernelCode> compile(const CustomSource &source, size_t numPorts) override;

private:
  Expected<SpirvKernel> compileFor(unsigned subgroup, const std::string &text);

  const ModelTarget &target;
  SpirvOptions options;
  std::map<unsigned, std::unique_ptr<SpirvCompiler>> compilers; ///< by subgroup size
};

} // namespace

Expected<GpuKernelCode> CudaWorker::compile(const std::string &text) {
  ZYXC_ASSIGN(PtxKernel compiled, compiler->compile(text));
  if (!compiled.wrong.empty()) {
    return makeError(ErrorCode::Unsupported, "ptxas reports {}", compiled.wrong);
  }
  GpuKernelCode result;
  result.texts = {std::move(compiled.mlir), std::move(compiled.llvm), compiled.ptx};
  if (compiled.report) {
    result.codes.push_back({rt::GpuCodeForm::Cubin, architecture, 0, 0, compiled.kernel});
  }
  compiled.kernel.image = std::move(compiled.ptx);
  result.codes.push_back({rt::GpuCodeForm::Ptx, "", 0, 0, std::move(compiled.kernel)});
  return result;
}

Expected<GpuKernelCode> CudaWorker::compile(const CustomSource &source, size_t numPorts) {
  GpuKernelCode result;
  ZYXC_ASSIGN(result.codes, compileCustomPtx(compiler->toolkit(), source, numPorts, architecture));
  result.texts.assembly = result.codes.back().kernel.image;
  return result;
}

Expected<GpuKernelCode> VulkanWorker::compile(const CustomSource &source, size_t) {
  ZYXC_ASSIGN(CustomSpirv compiled, compileCustomSpirv(source));
  GpuKernelCode result;
  if (options.keepText) {
    ZYXC_ASSIGN(result.texts.assembly, disassembleSpirv(compiled.code.kernel.image));
  }
  result.features = std::move(compiled.needs.features);
  // It names no size of subgroups: where it counts on one, that is the first of the target.
  compiled.code.subgroupSize = compiled.needs.subgroups ? target.subgroups.front() : 0;
  result.codes.push_back(std::move(compiled.code));
  return result;
}

Expected<SpirvKernel> VulkanWorker::compileFor(unsigned subgroup, const std::string &text) {
  std::unique_ptr<SpirvCompiler> &compiler = compilers[subgroup];
  if (!compiler) {
    Target machine = target.gpu;
    machine.subgroupSize = subgroup;
    ZYXC_ASSIGN(compiler, SpirvCompiler::create(machine, target.spirv, options));
  }
  return compiler->compile(text);
}

Expected<GpuKernelCode> VulkanWorker::compile(const std::string &text) {
  GpuKernelCode result;
  for (unsigned subgroup : target.subgroups) {
    ZYXC_ASSIGN(SpirvKernel compiled, compileFor(subgroup, text));
    if (result.codes.empty() && options.keepText) {
      ZYXC_ASSIGN(std::string assembly, disassembleSpirv(compiled.kernel.image));
      result.texts = {std::move(compiled.mlir), "", std::move(assembly)};
    }
    bool counts = compiled.needs.subgroups;
    result.features.insert(result.features.end(), compiled.needs.features.begin(),
                           compiled.needs.features.end());
    result.codes.push_back({rt::GpuCodeForm::Spirv, "", counts ? subgroup : 0, compiled.loopTurns,
                            std::move(compiled.kernel)});
    if (!counts) {
      break; // one for all
    }
  }
  return result;
}

static Expected<std::unique_ptr<GpuWorker>> makeWorker(const ModelTarget &target, bool keepTexts) {
  if (target.kind == rt::PlanKind::Cuda) {
    return CudaWorker::create(target, keepTexts);
  }
  return std::unique_ptr<GpuWorker>(std::make_unique<VulkanWorker>(target, keepTexts));
}

/// Compiles with a crash of the compiler as an error; the worker is left alone then, since what it
/// owns may be damaged.
static Expected<GpuKernelCode> compileGuarded(std::unique_ptr<GpuWorker> &worker,
                                              const GpuKernelSource &source) {
  if (!worker) {
    return makeError(ErrorCode::Internal, "not compiled: an earlier kernel crashed the compiler");
  }
  std::optional<Expected<GpuKernelCode>> code;
  llvm::CrashRecoveryContext guard;
  if (!guard.RunSafely([&] {
        code.emplace(source.custom ? worker->compile(*source.custom, source.numPorts)
                                   : worker->compile(source.text));
      })) {
    [[maybe_unused]] GpuWorker *abandoned = worker.release();
    return makeError(ErrorCode::Internal, "the compiler crashed");
  }
  return *std::move(code);
}

/// The first node that a kernel computes.
static std::string nodeOf(const rt::Plan &plan, uint32_t kernel) {
  for (const std::vector<rt::Launch> *launches : {&plan.steps, &plan.prepare}) {
    for (const rt::Launch &launch : *launches) {
      if (launch.kernel == kernel) {
        return launch.label;
      }
    }
  }
  return "no node";
}

/// An error of a kernel for people who have the model, not the kernel. What a target has no code
/// for is found in many steps, so all that they report is Unsupported; a crash stays Internal.
static Status namingNode(const Status &error, const ModelTarget &target, const rt::Plan &plan,
                         uint32_t kernel) {
  bool crashed = error.message().find("crashed") != std::string::npos;
  return makeError(crashed ? ErrorCode::Internal : ErrorCode::Unsupported,
                   "--target={}: {}: {} (kernel {}): compile it for cpu", target.name,
                   nodeOf(plan, kernel), error.message(), plan.kernels[kernel].name);
}

/// What a device must have whatever the kernels are.
static std::vector<std::string> generalNeeds(const ModelTarget &target) {
  if (target.kind == rt::PlanKind::Cuda) {
    return {target.gpu.name};
  }
  size_t colon = target.name.find(':');
  std::string version = colon == std::string::npos ? "1.2" : target.name.substr(colon + 1);
  return {"vulkan" + version, fmt::format("threads{}", target.gpu.maxThreads),
          fmt::format("shared{}", target.gpu.sharedBytes)};
}

Expected<GpuPrograms> compileForGpu(const ModelTarget &target, const rt::Plan &plan,
                                    std::span<const GpuKernelSource> kernels, int threads,
                                    bool keepTexts) {
  int count = std::clamp<int>(threads, 1, std::max<size_t>(kernels.size(), 1));
  std::vector<std::unique_ptr<GpuWorker>> workers(static_cast<size_t>(count));
  for (std::unique_ptr<GpuWorker> &worker : workers) {
    ZYXC_ASSIGN(worker, makeWorker(target, keepTexts));
  }
  // Kernels differ in size, so workers take the next one from a counter; results go to fixed slots.
  std::vector<std::optional<Expected<GpuKernelCode>>> compiled(kernels.size());
  std::atomic<size_t> next{0};
  rt::ThreadPool pool(count);
  pool.run(count, [&](int64_t lo, int64_t hi, int) {
    for (int64_t worker = lo; worker < hi; ++worker) {
      for (size_t i; (i = next.fetch_add(1)) < kernels.size();) {
        compiled[i].emplace(compileGuarded(workers[static_cast<size_t>(worker)], kernels[i]));
      }
    }
  });
  GpuPrograms result;
  result.features = generalNeeds(target);
  for (uint32_t i = 0; i < kernels.size(); ++i) {
    if (!*compiled[i] && kernels[i].custom) {
      return std::move(*compiled[i]).error().withContext(nodeOf(plan, i));
    }
    if (!*compiled[i]) {
      return namingNode(std::move(*compiled[i]).error(), target, plan, i);
    }
    GpuKernelCode code = **std::move(compiled[i]);
    result.features.insert(result.features.end(), code.features.begin(), code.features.end());
    result.codes.push_back(std::move(code.codes));
    if (keepTexts) {
      result.texts.push_back(std::move(code.texts));
    }
  }
  std::sort(result.features.begin(), result.features.end());
  result.features.erase(std::unique(result.features.begin(), result.features.end()),
                        result.features.end());
  return result;
}

} // namespace zyxc

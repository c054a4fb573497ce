// Code of a plan's kernels for a GPU.
#pragma once
#include "compiler/codegen/cpu/HostCompiler.h"
#include "compiler/driver/ModelTarget.h"
#include "dialects/zyx/semantics/CustomSource.h"
#include "runtime/plan/GpuPlan.h"

namespace zyxc {

/// What compileForGpu() made.
struct GpuPrograms {
  rt::GpuCodes codes;                ///< one list a kernel
  std::vector<std::string> features; ///< what all of it needs (rt::missingNeeds); sorted
  std::vector<KernelTexts> texts;    ///< with keepTexts, of the first code of each kernel
};

/// What a kernel is compiled from.
struct GpuKernelSource {
  std::string text;                           ///< a module with a zyxk kernel
  std::shared_ptr<const CustomSource> custom; ///< if it is set, this instead
  size_t numPorts = 0;
};

/// Compiles sources, one a kernel of the plan, on `threads` threads; the result does not depend on
/// their number. PTX comes with a cubin where ptxas is found. Unsupported, in one
/// line with target, node and remedy, for a kernel that the target cannot do; Input for a custom
/// kernel whose code is wrong.
Expected<GpuPrograms> compileForGpu(const ModelTarget &target, const rt::Plan &plan,
                                    std::span<const GpuKernelSource> kernels, int threads,
                                    bool keepTexts);

} // namespace zyxc

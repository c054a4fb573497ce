// SPIR-V for Vulkan devices: a kernel is lowered for a GPU, converted to the SPIR-V dialect and
// serialized. No MLIR type appears here, so callers need no MLIR header.
#pragma once
#include "compiler/codegen/vulkan/SpirvNeeds.h"
#include "dialects/zyxk/target/Target.h"
#include "passes/pipelines/spirv/SpirvTarget.h"
#include "runtime/device/GpuDevice.h"
#include <memory>
#include <string>

namespace zyxc {

/// How kernels are compiled.
struct SpirvOptions {
  bool validate = true;  ///< by SPIRV-Tools, where zyxc was built with them
  bool keepText = false; ///< of the steps in between, for people
};

/// Where the time of compile() went, in milliseconds.
struct SpirvCompileTimes {
  double parse = 0, lower = 0, convert = 0, emit = 0, validate = 0;
};

/// A compiled kernel. Its image is the module's words in the order of this machine.
struct SpirvKernel {
  rt::GpuKernel kernel;
  SpirvCompileTimes times;
  SpirvNeeds needs;      ///< of its image
  int64_t loopTurns = 0; ///< of all loops of a thread, at most; INT64_MAX: not known
  std::string mlir;      ///< keepText: the kernel lowered for a GPU
  std::string spirv;     ///< keepText: the module in the SPIR-V dialect
};

/// The target "vulkan" with the limits of an opened device, and what code for it may use.
Target vulkanTarget(const rt::GpuDeviceInfo &device);
SpirvTarget spirvTarget(const rt::GpuDeviceInfo &device);

/// Compiles kernels for one device. Used by one thread at a time; several may work side by side.
class SpirvCompiler {
public:
  /// A compiler for a target of kind Spirv. Subgroups have `target.subgroupSize` threads.
  static Expected<std::unique_ptr<SpirvCompiler>>
  create(const Target &target, const SpirvTarget &features = {}, const SpirvOptions &options = {});
  ~SpirvCompiler();

  /// Compiles a module in text form with one zyxk.kernel of static shapes (or one already lowered
  /// gpu.module, see passes/lower/tile/GpuFunction.h). Never aborts on a bad kernel: errors are
  /// Internal, or Unsupported where the target cannot run it.
  Expected<SpirvKernel> compile(const std::string &text);

  const Target &target() const;

private:
  struct Impl;
  explicit SpirvCompiler(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace zyxc

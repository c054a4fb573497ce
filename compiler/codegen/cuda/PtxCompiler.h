// Machine code for NVIDIA GPUs: a kernel is lowered, converted to LLVM, optimized lightly, made PTX
// in this process and assembled by ptxas where the CUDA toolkit is installed; else the driver does
// that when it loads the kernel. No MLIR type appears here, so callers need no MLIR header.
#pragma once
#include "compiler/codegen/cuda/CudaToolkit.h"
#include "dialects/zyxk/target/Target.h"
#include "runtime/device/GpuDevice.h"
#include "runtime/support/Status.h"
#include <memory>
#include <optional>
#include <string>

namespace zyxc {

/// How kernels are compiled.
struct PtxOptions {
  bool assemble = true; ///< with ptxas, if there is one
  std::string architecture =
      {};                   ///< that ptxas assembles for, not below the target; empty: the target
  bool refuseFaults = true; ///< what PtxKernel::faults lists is an error
  bool keepText = false;    ///< of the steps in between, for people
};

/// Where the time of a compilation went, in milliseconds.
struct PtxCompileTimes {
  double parse = 0, lower = 0, convert = 0, translate = 0, optimize = 0, emit = 0, assemble = 0;
};

/// A compiled kernel.
struct PtxKernel {
  rt::GpuKernel kernel; ///< its image is a cubin, or PTX if it was not assembled
  std::string ptx;
  std::optional<PtxasReport> report; ///< of ptxas, if it ran
  /// Spills, notes of ptxas (C75xx: wgmma is serialized), a stack frame beside tensor maps. The
  /// kernel is slow or wrong: take a schedule with smaller tiles.
  std::vector<std::string> faults;
  std::string wrong; ///< that of `faults` which makes results wrong: a stack frame beside maps
  PtxCompileTimes times;
  std::string mlir; ///< keepText: the lowered kernel
  std::string llvm; ///< keepText: optimized LLVM IR
};

/// A target with the number of multiprocessors of the GPU that will run the code.
Target cudaTarget(const Target &target, const rt::GpuDeviceInfo &device);

/// Compiles kernels for one target. Used by one thread at a time; several may work side by side.
class PtxCompiler {
public:
  /// A compiler for a target of kind Ptx.
  static Expected<std::unique_ptr<PtxCompiler>> create(const Target &target,
                                                       const PtxOptions &options = {});
  ~PtxCompiler();

  /// Compiles a module in text form with one zyxk.kernel of static shapes (or one already lowered
  /// gpu.module, see passes/lower/tile/GpuFunction.h). Never aborts on a bad kernel: errors are
  /// Internal, or Unsupported where the target cannot run it.
  Expected<PtxKernel> compile(const std::string &text);

  const Target &target() const;
  const CudaToolkit &toolkit() const;

private:
  struct Impl;
  explicit PtxCompiler(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace zyxc

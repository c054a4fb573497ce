// Machine code for the host: zyxk kernels are lowered, optimized by a short LLVM pipeline and
// linked into this process through ORC. No MLIR type appears here, so callers need no MLIR header.
#pragma once
#include "compiler/codegen/cpu/HostTarget.h"
#include "runtime/plan/Plan.h"
#include "runtime/support/Status.h"
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace zyxc {

/// A port that a kernel expects in prepared (packed) form. `pack` takes (source, destination) as
/// ports, has `packTasks` tasks and is run once at load; the kernel's port is then the destination.
struct PreparedPort {
  uint32_t port = 0;
  uint64_t bytes = 0;
  rt::KernelFn pack = nullptr;
  int64_t packTasks = 1;
  std::string symbol; ///< of `pack` in the kernel's object file
};

/// What a kernel was on its way to machine code, for people.
struct KernelTexts {
  std::string mlir;     ///< lowered: func, scf, vector, memref
  std::string llvm;     ///< optimized LLVM IR
  std::string assembly; ///< of the target
};

/// A kernel as machine code. Entries live as long as the HostCompiler that made them.
struct CompiledKernel {
  std::string name;
  rt::KernelFn entry = nullptr;
  /// A size over variables "d0", "d1", ..: the kernel's dims, in order. Below 0: none.
  int64_t numTasks = 1;
  uint32_t numDims = 0;      ///< dims without a size: slots behind that of the scratch memory
  uint64_t scratchBytes = 0; ///< per thread; scratch memory is aligned to 64 bytes
  rt::KernelJoin join;
  std::string joinSymbol; ///< of the join in the object file; empty: none
  std::vector<PreparedPort> prepared;
  std::shared_ptr<const std::string> object; ///< the object file it was linked from
  uint64_t numInstructions = 0;              ///< of the LLVM IR that machine code was made from
  std::optional<KernelTexts> texts;          ///< if they were asked for
};

/// Where the time of compile() went, in milliseconds of worker time, summed over kernels.
struct HostCompileTimes {
  double parse = 0, lower = 0, convert = 0, translate = 0, optimize = 0, emit = 0, link = 0;
};

/// Compiles kernels and owns their code. Not thread-safe; compile() itself uses several threads.
class HostCompiler {
public:
  /// A compiler for `target`. Code for another processor than this machine's can be made and saved,
  /// not run.
  /// keepTexts: kernels come with the texts of the steps in between.
  static Expected<std::unique_ptr<HostCompiler>> create(const HostTarget &target,
                                                        bool keepTexts = false);
  ~HostCompiler();

  const HostTarget &target() const;

  /// Compiles modules in text form, each with one zyxk.kernel (or an already lowered kernel, see
  /// passes/lower/HostFunction.h), on `threads` threads. Results are in the order of `kernels`
  /// and do not depend on `threads`. Errors are Internal and name the kernel.
  Expected<std::vector<CompiledKernel>> compile(std::span<const std::string> kernels, int threads);

  /// Times of all compile() calls up to now.
  const HostCompileTimes &times() const;

private:
  struct Impl;
  explicit HostCompiler(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace zyxc

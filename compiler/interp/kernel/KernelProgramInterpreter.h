// The reference interpreter of zyxk.program: its launches, one after the other.
#pragma once
#include "compiler/interp/kernel/KernelInterpreter.h"

namespace zyxc {

class KernelProgramInterpreter {
public:
  /// A program with a value per dim, in order. Errors: those of KernelInterpreter::create, with the
  /// launched kernel's name before them; Input where the program does not assume such dims.
  static Expected<KernelProgramInterpreter> create(zyxk::ProgramOp program,
                                                   std::span<const int64_t> dims);

  /// Ports of the program, scratch ports among them.
  const std::vector<KernelPort> &ports() const { return programPorts; }
  /// Work of all launches, as KernelInterpreter::work.
  double work() const;
  /// Runs the launches on tensors of the ports, as KernelInterpreter::run.
  Status run(std::span<const Tensor> tensors) const;

private:
  struct Launch {
    std::string kernel;
    KernelInterpreter interpreter;
    std::vector<unsigned> ports; ///< of the program, one per port of the kernel
  };
  std::vector<KernelPort> programPorts;
  std::vector<Launch> launches;
};

/// The values of a launched kernel's dims, given those of the program; Input if one is negative.
Expected<std::vector<int64_t>> launchDims(zyxk::LaunchOp launch, std::span<const int64_t> dims);

} // namespace zyxc

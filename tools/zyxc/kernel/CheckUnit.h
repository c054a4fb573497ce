// What `zyxc kernel check` checks and `time` times at one size: a kernel, or a program whose
// launches run one after the other.
#pragma once
#include "tools/zyxc/kernel/DimGrid.h"
#include "tools/zyxc/kernel/KernelCompare.h"
#include "tools/zyxc/kernel/KernelFile.h"
#include "tools/zyxc/kernel/PortData.h"
#include "tools/zyxc/kernel/targets/KernelRunner.h"
#include <functional>

namespace zyxc::tool {

/// A kernel or a program with bound dims.
struct CheckUnit {
  std::string name; ///< "@softmax"
  std::vector<KernelPort> ports;
  std::vector<zyxk::PortType> types; ///< of the ports in memory
  std::vector<PortUse> uses;
  KernelTolerance tolerance;
  double work = 0; ///< of the interpreter, one run
  /// Runs the interpreter on tensors of the ports.
  std::function<Status(std::span<const Tensor>)> interpret;
  /// Runs the compiled code on the ports' memory; after compileUnit.
  std::function<Status(PortBytes &, unsigned variant)> run;
  std::string resources; ///< of the compiled code; may be empty

  // One per launch, a kernel has one.
  std::vector<BoundKernel> kernels;
  std::vector<zyxk::KernelOp> sources;                ///< of the file
  std::vector<std::vector<int64_t>> dims;             ///< of the sources
  std::vector<std::vector<unsigned>> portsOf;         ///< ports of the unit that each launch takes
  std::vector<std::shared_ptr<KernelRunner>> runners; ///< after compileUnit
};

/// The unit without its compiled code. `target` names what schedules are checked against.
Expected<CheckUnit> makeUnit(KernelFile &file, zyxk::KernelOp kernel, const DimValues &dims,
                             const std::string &target);
Expected<CheckUnit> makeUnit(KernelFile &file, zyxk::ProgramOp program, const DimValues &dims,
                             const std::string &target);

/// Work of the interpreter at a size; 0 where the unit has an error there.
double interpreterWork(zyxk::KernelOp kernel, const DimValues &dims);
double interpreterWork(zyxk::ProgramOp program, const DimValues &dims);

/// Compiles the kernels of a unit.
Status compileUnit(CheckUnit &unit, KernelTarget &target);

/// Kernels that are compiled once, without the sizes of their dims, for units of all sizes.
class OpenKernels {
public:
  OpenKernels(KernelFile &file, KernelTarget &target) : file(file), target(target) {}
  /// As compileUnit.
  Status compileUnit(CheckUnit &unit);

private:
  KernelFile &file;
  KernelTarget &target;
  llvm::DenseMap<mlir::Operation *, std::shared_ptr<KernelRunner>> runners;
};

} // namespace zyxc::tool

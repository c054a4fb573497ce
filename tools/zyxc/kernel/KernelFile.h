// A file of kernels: parsing, choosing, replacing schedules, binding dims.
#pragma once
#include "dialects/zyxk/IR/ZyxkOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "passes/kernel/Transforms.h"
#include "runtime/support/Status.h"
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace zyxc::tool {

/// One kernel with a value for each dim (or for none: open), in a module of its own; calls and
/// values outside of ports are expanded.
struct BoundKernel {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  zyxk::KernelOp kernel;
  std::string text; ///< of the module: what compilers take
};

class KernelFile {
public:
  /// Reads a module with kernels. Errors are one line with file, line and column.
  static Expected<KernelFile> load(const std::string &path);

  /// The kernels of the file in order, or the one named `name` if it is not empty.
  Expected<std::vector<zyxk::KernelOp>> kernels(const std::string &name);
  /// The kernels that no program of the file launches; the one named `name` if it is not empty,
  /// launched or not, and none if a program has that name. An error as kernels() where there is
  /// neither.
  Expected<std::vector<zyxk::KernelOp>> freeKernels(const std::string &name);
  /// The programs of the file in order, or the one named `name` if it is not empty.
  std::vector<zyxk::ProgramOp> programs(const std::string &name);
  /// Replaces a kernel's schedule by the attribute in `text`; "none" takes it away.
  Status setSchedule(zyxk::KernelOp kernel, const std::string &text);
  /// A copy of a kernel with the value of each dim, in order; verified again, its schedule against
  /// the limits of `target` if that is a name.
  Expected<BoundKernel> bind(zyxk::KernelOp kernel, std::span<const int64_t> dims,
                             const std::string &target = "");

  /// A copy of a kernel whose dims stay without a size, verified: what host compilers take, too.
  Expected<BoundKernel> open(zyxk::KernelOp kernel);

  /// One module with kernels and programs of this file, each at its dims: what load() reads again.
  /// The kernels that programs launch stand in it, with sizes. The dims were taken by bind().
  Expected<std::string> boundText(std::span<const std::pair<mlir::Operation *, DimSizes>> units);

private:
  KernelFile() = default;
  std::string path;
  std::shared_ptr<mlir::MLIRContext> context; // outlives the module
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace zyxc::tool

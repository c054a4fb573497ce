// `zyxc kernel emit`.
#include "tools/zyxc/kernel/DimGrid.h"
#include "tools/zyxc/kernel/KernelCommand.h"
#include "tools/zyxc/kernel/KernelUnits.h"
#include "tools/zyxc/kernel/targets/KernelRunner.h"
#include <fmt/core.h>

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc::tool {

/// Prints one kernel with bound dims.
static Status emitOne(KernelFile &file, const LaunchedKernel &unit, const KernelLine &line,
                      KernelTarget &target) {
  ZYXC_ASSIGN(BoundKernel bound, file.bind(unit.kernel, unit.dims, line.target));
  std::string text = bound.text;
  if (line.emit != "zyxk") {
    auto emitted = target.emit(bound.text, line.emit);
    if (!emitted) {
      return std::move(emitted).error().withContext(line.file);
    }
    text = std::move(*emitted);
  }
  fmt::print("{}", text);
  return Status::ok();
}

Status emitKernel(const KernelLine &line) {
  ZYXC_ASSIGN(KernelFile file, KernelFile::load(line.file));
  ZYXC_ASSIGN(KernelUnits units, unitsOf(file, line));
  ZYXC_ASSIGN(auto target, KernelTarget::open(line.target, {}));
  std::vector<LaunchedKernel> all;
  for (KernelOp kernel : units.kernels) {
    ZYXC_ASSIGN(DimValues dims, givenDims(kernel, line.dims));
    all.push_back({kernel, std::move(dims)});
  }
  for (ProgramOp program : units.programs) {
    ZYXC_ASSIGN(DimValues dims, givenDims(program, line.dims));
    ZYXC_ASSIGN(std::vector<LaunchedKernel> launched, launchedKernels(program, dims));
    all.insert(all.end(), launched.begin(), launched.end());
  }
  for (const LaunchedKernel &unit : all) {
    ZYXC_RETURN_IF_ERROR(emitOne(file, unit, line, *target));
  }
  return Status::ok();
}

} // namespace zyxc::tool

// `zyxc kernel emit`.
#include "tools/zyxc/kernel/DimGrid.h"
#include "tools/zyxc/kernel/KernelCommand.h"
#include "tools/zyxc/kernel/KernelFile.h"
#include "tools/zyxc/kernel/targets/KernelRunner.h"
#include <fmt/core.h>

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc::tool {

Status emitKernel(const KernelLine &line) {
  ZYXC_ASSIGN(KernelFile file, KernelFile::load(line.file));
  ZYXC_ASSIGN(std::vector<KernelOp> kernels, file.kernels(line.kernel));
  ZYXC_ASSIGN(auto target, KernelTarget::open(line.target, {}));
  for (KernelOp kernel : kernels) {
    ZYXC_RETURN_IF_ERROR(file.setSchedule(kernel, line.schedule));
    ZYXC_ASSIGN(DimValues dims, givenDims(kernel, line.dims));
    ZYXC_ASSIGN(BoundKernel bound, file.bind(kernel, dims, line.target));
    std::string text = bound.text;
    if (line.emit != "zyxk") {
      auto emitted = target->emit(bound.text, line.emit);
      if (!emitted) {
        return std::move(emitted).error().withContext(line.file);
      }
      text = std::move(*emitted);
    }
    fmt::print("{}", text);
  }
  return Status::ok();
}

} // namespace zyxc::tool

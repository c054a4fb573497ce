// `zyxc kernel emit`.
#include "tools/zyxc/kernel/DimGrid.h"
#include "tools/zyxc/kernel/KernelCommand.h"
#include "tools/zyxc/kernel/KernelUnits.h"
#include "tools/zyxc/kernel/targets/KernelRunner.h"
#include <fmt/core.h>

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc::tool {

/// The text of one kernel with bound dims in a form of its target; "" for zyxk.
static Expected<std::string> emitOne(KernelFile &file, const LaunchedKernel &unit,
                                     const KernelLine &line, KernelTarget &target) {
  ZYXC_ASSIGN(BoundKernel bound, file.bind(unit.kernel, unit.dims, line.target));
  if (line.emit == "zyxk") {
    return std::string();
  }
  auto emitted = target.emit(bound.text, line.emit);
  if (!emitted) {
    return std::move(emitted).error().withContext(line.file);
  }
  return emitted;
}

/// What stands between two modules of a form: what mlir-opt and zyx-opt split files at, or a
/// comment.
static std::string_view separatorOf(const KernelLine &line) {
  bool isHost = findTarget(line.target)->kind == TargetKind::Host;
  return line.emit == "llvm"  ? "; -----\n"
         : line.emit != "asm" ? "// -----\n"
         : isHost             ? "# -----\n"
                              : "; -----\n";
}

static DimSizes sizesOf(const DimSpace &space, const DimValues &dims) {
  DimSizes sizes;
  for (auto [name, value] : llvm::zip_equal(space.dims, dims)) {
    sizes[name] = value;
  }
  return sizes;
}

/// Prints kernels whose dims stay without a size.
static Status emitOpen(KernelFile &file, const KernelLine &line, KernelTarget &target) {
  ZYXC_ASSIGN(std::vector<KernelOp> kernels, file.kernels(line.kernel));
  std::string text;
  for (KernelOp kernel : kernels) {
    ZYXC_RETURN_IF_ERROR(file.setSchedule(kernel, line.schedule));
    ZYXC_ASSIGN(BoundKernel opened, file.open(kernel));
    text += text.empty() ? "" : separatorOf(line);
    if (line.emit == "zyxk") {
      text += opened.text;
      continue;
    }
    auto emitted = target.emit(opened.text, line.emit);
    if (!emitted) {
      return std::move(emitted).error().withContext(line.file);
    }
    text += *emitted;
  }
  fmt::print("{}", text);
  return Status::ok();
}

Status emitKernel(const KernelLine &line) {
  ZYXC_ASSIGN(KernelFile file, KernelFile::load(line.file));
  ZYXC_ASSIGN(auto target, KernelTarget::open(line.target, {}));
  if (line.open) {
    return emitOpen(file, line, *target);
  }
  ZYXC_ASSIGN(KernelUnits units, unitsOf(file, line));
  std::vector<LaunchedKernel> all;
  std::vector<std::pair<Operation *, DimSizes>> bound;
  for (KernelOp kernel : units.kernels) {
    ZYXC_ASSIGN(DimValues dims, givenDims(kernel, line.dims));
    bound.emplace_back(kernel, sizesOf(kernel, dims));
    all.push_back({kernel, std::move(dims)});
  }
  for (ProgramOp program : units.programs) {
    ZYXC_ASSIGN(DimValues dims, givenDims(program, line.dims));
    ZYXC_ASSIGN(std::vector<LaunchedKernel> launched, launchedKernels(program, dims));
    bound.emplace_back(program, sizesOf(program, dims));
    all.insert(all.end(), launched.begin(), launched.end());
  }
  if (line.emit == "words" && all.size() > 1) {
    return makeError(ErrorCode::Usage,
                     "--emit=words: {} has {} kernels, and a binary module holds "
                     "one; name it by --kernel",
                     line.file, all.size());
  }
  std::string text;
  for (const LaunchedKernel &unit : all) {
    ZYXC_ASSIGN(std::string emitted, emitOne(file, unit, line, *target));
    text += text.empty() ? "" : separatorOf(line);
    text += emitted;
  }
  if (line.emit == "zyxk") {
    ZYXC_ASSIGN(text, file.boundText(bound));
  }
  fmt::print("{}", text);
  return Status::ok();
}

} // namespace zyxc::tool

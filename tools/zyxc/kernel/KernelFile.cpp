#include "tools/zyxc/kernel/KernelFile.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "passes/kernel/Transforms.h"
#include "passes/kernel/schedule/TakenFields.h"
#include "passes/kernel/schedule/VerifySchedule.h"
#include "runtime/support/File.h"
#include "runtime/support/TextNesting.h"
#include "tools/zyxc/kernel/DimGrid.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc::tool {

namespace {

/// Keeps the first diagnostic of its lifetime as one line.
class FirstDiagnostic {
public:
  FirstDiagnostic(MLIRContext *context, const std::string &path)
      : handler(context, [this, path](Diagnostic &diagnostic) {
          if (text.empty()) {
            llvm::raw_string_ostream stream(text);
            stream << path << ':';
            if (auto place = dyn_cast<FileLineColLoc>(diagnostic.getLocation())) {
              stream << place.getLine() << ':' << place.getColumn() << ':';
            }
            stream << ' ' << diagnostic;
          }
          return success();
        }) {}
  std::string text;

private:
  ScopedDiagnosticHandler handler;
};

} // namespace

Expected<KernelFile> KernelFile::load(const std::string &path) {
  ZYXC_ASSIGN(InputFile source, InputFile::open(path));
  ZYXC_ASSIGN(std::string text, source.readAll());
  ZYXC_RETURN_IF_ERROR(checkTextNesting(text, path));
  KernelFile file;
  file.path = path;
  DialectRegistry registry;
  registry.insert<arith::ArithDialect, math::MathDialect, ZyxkDialect>();
  file.context = std::make_shared<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  file.context->loadAllAvailableDialects();
  FirstDiagnostic first(file.context.get(), path);
  file.module = parseSourceString<ModuleOp>(text, ParserConfig(file.context.get()), path);
  if (!file.module) {
    return makeError(ErrorCode::Input, "{}",
                     first.text.empty() ? path + ": does not parse" : first.text);
  }
  return file;
}

Expected<std::vector<KernelOp>> KernelFile::kernels(const std::string &name) {
  std::vector<KernelOp> found;
  std::string names;
  for (auto kernel : module->getOps<KernelOp>()) {
    names += (names.empty() ? "" : ", ") + kernel.getSymName().str();
    if (name.empty() || kernel.getSymName() == name) {
      found.push_back(kernel);
    }
  }
  if (names.empty()) {
    return makeError(ErrorCode::Input, "{}: holds no zyxk.kernel", path);
  }
  if (found.empty()) {
    return makeError(ErrorCode::Usage, "{}: holds no kernel '{}'; its kernels are {}", path, name,
                     names);
  }
  return found;
}

Expected<std::vector<KernelOp>> KernelFile::freeKernels(const std::string &name) {
  if (!name.empty()) {
    return programs(name).empty() ? kernels(name) : std::vector<KernelOp>();
  }
  ZYXC_ASSIGN(std::vector<KernelOp> all, kernels(name));
  llvm::StringSet<> launched;
  for (ProgramOp program : programs(name)) {
    for (auto launch : program.getBlock().getOps<LaunchOp>()) {
      launched.insert(launch.getKernel());
    }
  }
  std::erase_if(all, [&](KernelOp kernel) { return launched.contains(kernel.getSymName()); });
  return all;
}

std::vector<ProgramOp> KernelFile::programs(const std::string &name) {
  std::vector<ProgramOp> found;
  for (auto program : module->getOps<ProgramOp>()) {
    if (name.empty() || program.getSymName() == name) {
      found.push_back(program);
    }
  }
  return found;
}

Status KernelFile::setSchedule(KernelOp kernel, const std::string &text) {
  if (text.empty()) {
    return Status::ok();
  }
  if (text == "none") {
    kernel.removeScheduleAttr();
    return Status::ok();
  }
  ZYXC_RETURN_IF_ERROR(checkTextNesting(text, "--schedule"));
  FirstDiagnostic first(context.get(), "--schedule");
  Attribute schedule = parseAttribute(text, context.get());
  if (!schedule) {
    return makeError(ErrorCode::Usage,
                     "{}; write it as '#zyxk.row<vec = 8>', of the family map, row, col, contract, "
                     "mma, attn, move, scan or block",
                     first.text);
  }
  kernel.setScheduleAttr(schedule);
  if (failed(verify(kernel))) {
    return makeError(ErrorCode::Usage, "{}", first.text);
  }
  return Status::ok();
}

Expected<BoundKernel> KernelFile::bind(KernelOp kernel, std::span<const int64_t> dims,
                                       const std::string &target) {
  assert(dims.size() == kernel.getNumDims() && "one value per dim");
  BoundKernel bound;
  bound.module = ModuleOp::create(UnknownLoc::get(context.get()));
  bound.kernel = kernel.clone();
  bound.module->push_back(bound.kernel);
  DimSizes sizes;
  for (auto [i, name] : llvm::enumerate(kernel.getDimNames().getAsValueRange<StringAttr>())) {
    sizes[name] = dims[i];
  }
  FirstDiagnostic first(context.get(), path);
  bool good = succeeded(specialize(bound.kernel, sizes));
  if (good) {
    expandForLowering(bound.kernel);
    good = succeeded(verify(*bound.module));
  }
  std::optional<Target> limits = findTarget(target);
  if (good && limits &&
      (failed(verifySchedule(bound.kernel, *limits)) ||
       failed(checkTakenFields(bound.kernel, limits->kind != TargetKind::Host)))) {
    return makeError(ErrorCode::Unsupported, "{} (with {}); see zyxc kernel schedules", first.text,
                     describeDims(kernel, dims));
  }
  if (!good) {
    return makeError(ErrorCode::Input, "{} (with {})", first.text, describeDims(kernel, dims));
  }
  llvm::raw_string_ostream stream(bound.text);
  bound.module->print(stream);
  return bound;
}

Expected<BoundKernel> KernelFile::open(KernelOp kernel) {
  BoundKernel opened;
  opened.module = ModuleOp::create(UnknownLoc::get(context.get()));
  opened.kernel = kernel.clone();
  opened.module->push_back(opened.kernel);
  FirstDiagnostic first(context.get(), path);
  expandForLowering(opened.kernel);
  if (failed(verify(*opened.module))) {
    return makeError(ErrorCode::Input, "{}", first.text);
  }
  llvm::raw_string_ostream stream(opened.text);
  opened.module->print(stream);
  return opened;
}

Expected<std::string>
KernelFile::boundText(std::span<const std::pair<Operation *, DimSizes>> units) {
  IRMapping copies;
  OwningOpRef<ModuleOp> copy(cast<ModuleOp>((*module)->clone(copies)));
  FirstDiagnostic first(context.get(), path);
  llvm::DenseSet<Operation *> kept;
  bool good = true;
  for (const auto &[op, sizes] : units) {
    Operation *unit = copies.lookup(op);
    kept.insert(unit);
    if (auto program = dyn_cast<ProgramOp>(unit)) {
      good = good && succeeded(specialize(program, sizes));
      for (auto launch : program.getBlock().getOps<LaunchOp>()) {
        kept.insert(launch.lookUpKernel());
      }
    } else {
      good = good && succeeded(specialize(cast<KernelOp>(unit), sizes));
    }
  }
  for (Operation &op : llvm::make_early_inc_range(*copy->getBody())) {
    if (isa<ProgramOp>(op) && !kept.contains(&op)) {
      op.erase();
    }
  }
  for (KernelOp kernel : llvm::make_early_inc_range(copy->getOps<KernelOp>())) {
    if (!kept.contains(kernel)) {
      kernel.erase();
    } else {
      expandForLowering(kernel);
    }
  }
  if (!good || failed(verify(*copy))) {
    return makeError(ErrorCode::Input, "{}", first.text);
  }
  std::string text;
  llvm::raw_string_ostream(text) << *copy << '\n';
  return text;
}

} // namespace zyxc::tool

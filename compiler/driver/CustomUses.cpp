#include "compiler/driver/CustomUses.h"
#include "dialects/zyx/IR/ZyxBridge.h"
#include "dialects/zyx/IR/custom/CustomKernel.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

namespace zyxc {

static bool isStatic(mlir::Type type) {
  Expected<TensorType> tensor = zyx::toTensorType(type);
  return tensor && !dim::anySymbolic(tensor->shape);
}

/// The text of a module whose model is this use alone.
static std::string aloneText(mlir::ModuleOp source, zyx::CustomOp use) {
  mlir::OwningOpRef<mlir::ModuleOp> module(source.clone());
  for (auto kernel : module->getOps<zyx::CustomKernelOp>()) {
    kernel.removeCostAttr();
  }
  for (auto function : llvm::to_vector(module->getOps<mlir::func::FuncOp>())) {
    if (function.isPublic()) {
      function.erase();
    }
  }
  mlir::OpBuilder builder(source.getContext());
  builder.setInsertionPointToEnd(module->getBody());
  llvm::SmallVector<mlir::Type> operands(use->getOperandTypes());
  llvm::SmallVector<mlir::Type> results(use->getResultTypes());
  auto function = mlir::func::FuncOp::create(builder, use.getLoc(), "custom_kernel_alone",
                                             builder.getFunctionType(operands, results));
  mlir::Block *block = function.addEntryBlock();
  builder.setInsertionPointToEnd(block);
  auto copy = zyx::CustomOp::create(builder, use.getLoc(), results, use.getCallee(),
                                    block->getArguments(), use.getDecompositionAttr());
  mlir::func::ReturnOp::create(builder, use.getLoc(), copy.getResults());
  std::string text;
  llvm::raw_string_ostream(text) << *module;
  return text;
}

Expected<std::vector<CustomUse>> customUses(const Model &model, CustomSource::Target target) {
  llvm::SmallVector<zyx::CustomOp> found;
  model.function().walk([&](zyx::CustomOp use) { found.push_back(use); });
  std::vector<CustomUse> uses;
  std::set<std::string> seen;
  for (zyx::CustomOp use : found) {
    ZYXC_ASSIGN(std::optional<CustomSource> source, zyx::sourceFor(use, target));
    bool isKnown = llvm::all_of(use->getOperandTypes(), isStatic) &&
                   llvm::all_of(use->getResultTypes(), isStatic);
    if (!source || !use.getDecompositionAttr() || !isKnown) {
      continue;
    }
    std::string text = aloneText(model.module(), use);
    if (seen.insert(text).second) {
      std::string name = fmt::format("kernel {}, {} entry '{}'", use.getKernelName(),
                                     zyxc::name(source->form), source->entry);
      ZYXC_ASSIGN(Model alone, Model::parse(text, name));
      uses.push_back({std::move(name), std::move(alone)});
    }
  }
  return uses;
}

} // namespace zyxc

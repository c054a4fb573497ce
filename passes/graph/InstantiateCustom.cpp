#include "passes/graph/InstantiateCustom.h"
#include "dialects/zyx/IR/custom/CustomKernel.h"
#include "passes/graph/BindSizes.h"
#include "passes/graph/Passes.h"

namespace zyxc {

#define GEN_PASS_DEF_INSTANTIATECUSTOMPASS
#include "passes/graph/Passes.h.inc"

using namespace zyx;

bool isOfCustomKernel(mlir::Operation *function) {
  auto module = llvm::dyn_cast_or_null<mlir::ModuleOp>(function->getParentOp());
  mlir::StringAttr name = mlir::SymbolTable::getSymbolName(function);
  auto names = [&](mlir::FlatSymbolRefAttr reference) {
    return reference && reference.getAttr() == name;
  };
  return module && llvm::any_of(module.getOps<CustomKernelOp>(), [&](CustomKernelOp kernel) {
           return names(kernel.getDecompositionAttr()) || names(kernel.getGradientAttr());
         });
}

namespace {

/// Makes instances of the funcs of one module.
class Instances {
public:
  explicit Instances(mlir::ModuleOp module) : symbols(module) {}

  /// The name of a private func that is `function` at these sizes.
  Expected<mlir::FlatSymbolRefAttr> of(mlir::func::FuncOp function, const dim::Bindings &dims,
                                       llvm::SmallVector<mlir::Operation *> &made) {
    std::string key = function.getSymName().str();
    for (const auto &[name, size] : dims) {
      key += fmt::format(",{}={}", name, dim::toString(size));
    }
    mlir::FlatSymbolRefAttr &known = names[key];
    if (known) {
      return known;
    }
    constexpr size_t mostInstances = 4096;
    if (names.size() > mostInstances) {
      return makeError(ErrorCode::Input, "@{} names itself at ever other sizes",
                       function.getSymName().str());
    }
    mlir::func::FuncOp copy = function.clone();
    copy.setPrivate();
    mlir::StringAttr name = symbols.insert(copy); // renamed where the name is taken
    made.push_back(copy);
    known = mlir::FlatSymbolRefAttr::get(name);
    mlir::FlatSymbolRefAttr result = known;
    ZYXC_RETURN_IF_ERROR(bindFunction(copy, dims));
    return result;
  }

private:
  mlir::SymbolTable symbols;
  std::map<std::string, mlir::FlatSymbolRefAttr> names;
};

} // namespace

Status instantiateCustomKernels(mlir::ModuleOp module) {
  Instances instances(module);
  llvm::SmallVector<mlir::Operation *> open;
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    if (!isOfCustomKernel(function)) {
      open.push_back(function);
    }
  }
  while (!open.empty()) {
    llvm::SmallVector<CustomOp> uses;
    open.pop_back_val()->walk([&](CustomOp use) { uses.push_back(use); });
    for (CustomOp use : uses) {
      CustomKernelOp kernel = declarationOf(use);
      if (!kernel || !kernel.getDecompositionAttr() || use.getDecompositionAttr()) {
        continue;
      }
      auto function = mlir::SymbolTable::lookupNearestSymbolFrom<mlir::func::FuncOp>(
          use, kernel.getDecompositionAttr());
      if (!function || !llvm::hasSingleElement(function.getBody())) {
        return makeError(ErrorCode::Unsupported, "{} must be a func with one block",
                         kernel.getDecompositionAttr().getValue().str());
      }
      ZYXC_ASSIGN(dim::Bindings dims, bindDims(kernel, use->getOperandTypes()));
      ZYXC_ASSIGN(mlir::FlatSymbolRefAttr name, instances.of(function, dims, open));
      use.setDecompositionAttr(name);
    }
  }
  return Status::ok();
}

namespace {

struct InstantiateCustomPass : impl::InstantiateCustomPassBase<InstantiateCustomPass> {
  void runOnOperation() override {
    Status status = instantiateCustomKernels(getOperation());
    if (!status.isOk()) {
      getOperation().emitError() << status.message();
      signalPassFailure();
    }
  }
};

} // namespace
} // namespace zyxc

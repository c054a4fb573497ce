// zyx-canonical-module: what a module must be before it is imported into the e-graph.
#include "dialects/zyx/IR/ZyxBridge.h"
#include "passes/graph/Passes.h"
#include "llvm/ADT/StringSet.h"

namespace zyxc {

#define GEN_PASS_DEF_CANONICALMODULEPASS
#include "passes/graph/Passes.h.inc"

/// Checks the types and the names of the arguments, or of the results.
static llvm::LogicalResult checkInterface(mlir::func::FuncOp function, llvm::StringRef what,
                                          mlir::TypeRange types,
                                          llvm::function_ref<mlir::Attribute(unsigned)> nameOf) {
  llvm::StringSet<> names;
  for (auto [i, type] : llvm::enumerate(types)) {
    if (Expected<TensorType> tensorType = zyx::toTensorType(type); !tensorType) {
      return function.emitError() << what << " " << i << ": " << tensorType.error().message();
    }
    mlir::Attribute attribute = nameOf(i);
    if (!attribute) {
      continue;
    }
    auto text = llvm::dyn_cast<mlir::StringAttr>(attribute);
    if (!text) {
      return function.emitError() << what << " " << i << ": " << valueNameAttrName
                                  << " must be a string, is " << attribute;
    }
    if (!names.insert(text.getValue()).second) {
      return function.emitError() << what << " " << i << ": the name " << text << " is used twice";
    }
  }
  return mlir::success();
}

static llvm::LogicalResult checkOps(mlir::Block &block) {
  for (mlir::Operation &op : block.without_terminator()) {
    if (!zyx::kindOf(&op)) {
      return op.emitError() << "'" << op.getName() << "' is no zyx op; a model holds nothing else";
    }
  }
  return mlir::success();
}

llvm::FailureOr<mlir::func::FuncOp> findModelFunction(mlir::ModuleOp module) {
  mlir::func::FuncOp function;
  for (mlir::Operation &op : *module.getBody()) {
    auto candidate = llvm::dyn_cast<mlir::func::FuncOp>(op);
    if (!candidate) {
      return op.emitError() << "'" << op.getName() << "' beside the function of the model";
    }
    if (function) {
      return op.emitError() << "a second function, @" << candidate.getName()
                            << "; a model is one function";
    }
    function = candidate;
  }
  if (!function) {
    return module.emitError() << "the module holds no function; a model is one function";
  }
  if (!llvm::hasSingleElement(function.getBody())) {
    return function.emitError() << "@" << function.getName() << " must have one block";
  }
  auto argumentName = [&](unsigned i) {
    return function.getArgAttr(i, valueNameAttrName);
  };
  auto resultName = [&](unsigned i) {
    return function.getResultAttr(i, valueNameAttrName);
  };
  if (failed(checkInterface(function, "input", function.getArgumentTypes(), argumentName)) ||
      failed(checkInterface(function, "output", function.getResultTypes(), resultName)) ||
      failed(checkOps(function.getBody().front()))) {
    return mlir::failure();
  }
  return function;
}

namespace {

struct CanonicalModulePass : impl::CanonicalModulePassBase<CanonicalModulePass> {
  void runOnOperation() override {
    if (failed(findModelFunction(getOperation()))) {
      signalPassFailure();
    }
    markAllAnalysesPreserved();
  }
};

} // namespace
} // namespace zyxc

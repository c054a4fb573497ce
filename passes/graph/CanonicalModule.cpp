// zyx-canonical-module: what a module must be before it is imported into the e-graph.
#include "dialects/zyx/IR/ZyxBridge.h"
#include "dialects/zyxk/IR/ZyxkOps.h"
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

/// Every op must be one of zyx, also in regions.
static llvm::LogicalResult checkOps(mlir::func::FuncOp function) {
  mlir::Block &block = function.getBody().front();
  auto check = [&](mlir::Operation *op) -> mlir::WalkResult {
    if (op == block.getTerminator() || llvm::isa_and_nonnull<zyx::ZyxDialect>(op->getDialect())) {
      return mlir::WalkResult::advance();
    }
    return op->emitError() << "'" << op->getName() << "' is no zyx op; a model holds nothing else";
  };
  return mlir::failure(block.walk<mlir::WalkOrder::PreOrder>(check).wasInterrupted());
}

/// Finds the public function among the functions and kernels of a module.
static llvm::FailureOr<mlir::func::FuncOp> findPublicFunction(mlir::ModuleOp module) {
  mlir::func::FuncOp function;
  for (mlir::Operation &op : *module.getBody()) {
    if (llvm::isa<zyxk::KernelOp, zyx::CustomKernelOp>(op)) {
      continue;
    }
    auto candidate = llvm::dyn_cast<mlir::func::FuncOp>(op);
    if (!candidate) {
      return op.emitError() << "'" << op.getName() << "' beside the function of the model";
    }
    if (!llvm::hasSingleElement(candidate.getBody())) {
      return op.emitError() << "@" << candidate.getName() << " must have one block";
    }
    if (candidate.isPrivate()) {
      continue; // a decomposition
    }
    if (function) {
      return op.emitError() << "a second public function, @" << candidate.getName()
                            << "; a model is one, decompositions are private";
    }
    function = candidate;
  }
  if (!function) {
    return module.emitError() << "the module holds no public function; a model is one";
  }
  return function;
}

llvm::FailureOr<mlir::func::FuncOp> findModelFunction(mlir::ModuleOp module) {
  llvm::FailureOr<mlir::func::FuncOp> found = findPublicFunction(module);
  if (failed(found)) {
    return mlir::failure();
  }
  mlir::func::FuncOp function = *found;
  auto argumentName = [&](unsigned i) {
    return function.getArgAttr(i, valueNameAttrName);
  };
  auto resultName = [&](unsigned i) {
    return function.getResultAttr(i, valueNameAttrName);
  };
  if (failed(checkInterface(function, "input", function.getArgumentTypes(), argumentName)) ||
      failed(checkInterface(function, "output", function.getResultTypes(), resultName))) {
    return mlir::failure();
  }
  for (auto each : module.getOps<mlir::func::FuncOp>()) {
    if (failed(checkOps(each))) {
      return mlir::failure();
    }
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

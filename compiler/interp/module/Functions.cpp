#include "compiler/interp/module/Functions.h"

namespace zyxc::interp {

static constexpr int maxDepth = 32; ///< decompositions inside each other; one that uses itself ends

Status checkBody(mlir::func::FuncOp function) {
  if (!llvm::hasSingleElement(function.getBody())) {
    return makeError(ErrorCode::Unsupported, "function {}: one block of zyx ops is needed",
                     std::string_view(function.getName()));
  }
  return Status::ok();
}

Expected<mlir::func::FuncOp> decompositionOf(zyx::CustomOp custom, int depth) {
  std::string symbol = custom.getKernelName();
  if (!custom.getDecompositionAttr()) {
    return makeError(ErrorCode::Unsupported,
                     "the interpreter calls no library, and {} has no decomposition: add one to "
                     "the op (like @FUNCTION), or run the model compiled",
                     symbol);
  }
  auto function = mlir::SymbolTable::lookupNearestSymbolFrom<mlir::func::FuncOp>(
      custom, custom.getDecompositionAttr());
  std::string name = custom.getDecompositionAttr().getValue().str();
  if (!function) {
    return makeError(ErrorCode::Input, "the module has no func @{}", name);
  }
  if (depth >= maxDepth) {
    return makeError(ErrorCode::Unsupported,
                     "decompositions nest more than {} deep: @{} may not use itself", maxDepth,
                     name);
  }
  ZYXC_RETURN_IF_ERROR(checkBody(function));
  if (function.walk([](zyx::AssignOp) { return mlir::WalkResult::interrupt(); }).wasInterrupted()) {
    return makeError(ErrorCode::Unsupported,
                     "@{} writes to its arguments: {} must be a pure function of them", name,
                     symbol);
  }
  return function;
}

} // namespace zyxc::interp

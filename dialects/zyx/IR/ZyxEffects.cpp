// Verifiers of kernels of the module and of writes to inputs.
#include "dialects/zyx/IR/ZyxBridge.h"
#include "dialects/zyx/IR/ZyxDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

namespace zyxc::zyx {

mlir::BlockArgument bufferOf(mlir::Value value) {
  while (mlir::Operation *op = value.getDefiningOp()) {
    if (!llvm::isa<NarrowOp, FlipOp, PermuteOp, ReshapeOp, AfterOp>(op)) {
      return {};
    }
    value = op->getOperand(0);
  }
  auto argument = llvm::cast<mlir::BlockArgument>(value);
  bool isInput = llvm::isa<mlir::func::FuncOp>(argument.getOwner()->getParentOp());
  return isInput ? argument : mlir::BlockArgument();
}

llvm::LogicalResult AssignOp::verify() {
  if (bufferOf(getTarget())) {
    return mlir::success();
  }
  return emitOpError("the target must be an argument of the function, or a narrow, flip, permute "
                     "or reshape of one");
}

llvm::LogicalResult AfterOp::verify() {
  auto write = getWrite().getDefiningOp<AssignOp>();
  if (!write) {
    return emitOpError("needs the result of a zyx.assign");
  }
  mlir::BlockArgument buffer = bufferOf(getX());
  if (buffer && buffer == bufferOf(write.getTarget())) {
    return mlir::success();
  }
  return emitOpError("reads no part of the input that the assign writes");
}

llvm::LogicalResult KernelOp::verifySymbolUses(mlir::SymbolTableCollection &symbols) {
  mlir::Operation *kernel = symbols.lookupNearestSymbolFrom(*this, getKernelAttr());
  if (kernel && kernel->getName().getStringRef() == "zyxk.kernel") {
    return mlir::success();
  }
  return emitOpError() << "the module has no zyxk.kernel " << getKernelAttr();
}

} // namespace zyxc::zyx

#include "compiler/interp/module/Liveness.h"

namespace zyxc::interp {

Liveness::Liveness(mlir::Region &region) {
  region.walk([&](mlir::Block *block) {
    for (mlir::Value argument : block->getArguments()) {
      add(argument, *block);
    }
    for (mlir::Operation &op : *block) {
      for (mlir::Value result : op.getResults()) {
        add(result, *block);
      }
    }
  });
}

void Liveness::add(mlir::Value value, mlir::Block &block) {
  mlir::Operation *last = nullptr;
  for (mlir::Operation *user : value.getUsers()) {
    mlir::Operation *own = block.findAncestorOpInBlock(*user);
    if (!last || last->isBeforeInBlock(own)) {
      last = own;
    }
  }
  if (last) {
    endings[last].push_back(value);
  }
}

llvm::ArrayRef<mlir::Value> Liveness::endingWith(mlir::Operation &op) const {
  auto found = endings.find(&op);
  return found == endings.end() ? llvm::ArrayRef<mlir::Value>() : found->second;
}

} // namespace zyxc::interp

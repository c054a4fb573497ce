// After which op of a function of zyx ops a value is needed no longer.
#pragma once
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace zyxc::interp {

class Liveness {
public:
  /// Of all values of a region and the regions in it.
  explicit Liveness(mlir::Region &region);

  /// True if nothing needs the value.
  static bool isDead(mlir::Value value) { return value.use_empty(); }

  /// The values of the op's block that it, or an op in its regions, is the last to need.
  llvm::ArrayRef<mlir::Value> endingWith(mlir::Operation &op) const;

private:
  void add(mlir::Value value, mlir::Block &block);

  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value>> endings;
};

} // namespace zyxc::interp

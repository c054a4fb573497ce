// Copying the body of one kernel into another: the common part of fusion.
#pragma once
#include "dialects/zyxk/IR/ZyxkOps.h"
#include "mlir/IR/IRMapping.h"

namespace zyxc {

/// What axes, dims and ports of the inner kernel are in the outer one.
struct BodyPlace {
  llvm::SmallVector<mlir::AffineExpr> axes; ///< per inner axis, over (outer axes)[outer dims]
  llvm::SmallVector<mlir::AffineExpr> dims; ///< per inner dim, over ()[outer dims]
  llvm::SmallVector<mlir::Value> ports;     ///< per inner port; none for one that no op uses
  bool stores = false;                      ///< are stores copied, too?
};

/// Copies the ops of `inner` to the builder's position in `outer`. An axis that an op combines or
/// scans must be a plain axis in `place`. Returns what became of each value.
mlir::IRMapping inlineBody(mlir::OpBuilder &builder, zyxk::KernelOp inner, zyxk::KernelOp outer,
                           const BodyPlace &place);

} // namespace zyxc

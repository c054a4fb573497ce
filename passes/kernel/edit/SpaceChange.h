// Replacing the axes and dims of a kernel by others: the common part of transformations that drop,
// merge, split or bind them.
#pragma once
#include "dialects/zyxk/IR/ZyxkOps.h"
#include <string>

namespace zyxc {

/// New axes and dims, and what each old one is in terms of them.
struct SpaceChange {
  llvm::SmallVector<std::string> axisNames;   ///< of the new axes
  llvm::SmallVector<std::string> dimNames;    ///< of the new dims
  llvm::SmallVector<mlir::AffineExpr> bounds; ///< per new axis, over (new axes)[new dims]
  llvm::SmallVector<mlir::AffineExpr> axes;   ///< per old axis, over (new axes)[new dims]
  llvm::SmallVector<mlir::AffineExpr> dims;   ///< per old dim, over ()[new dims]
  /// Per old axis: the new axes that stand for it where an op combines over it.
  llvm::SmallVector<llvm::SmallVector<int64_t, 2>> combined;

  /// The change that changes nothing.
  static SpaceChange identity(zyxk::KernelOp kernel);
};

/// Rewrites a kernel's bounds, domain, assumptions, ports and body. Coordinates as values are built
/// from those of the new axes.
void changeSpace(zyxk::KernelOp kernel, const SpaceChange &change);

/// A port type with other dims: `dims` has one expression per old dim.
zyxk::PortType withDims(zyxk::PortType port, llvm::ArrayRef<mlir::AffineExpr> dims,
                        unsigned numNewDims);

/// A set over other axes and dims, without the constraints that hold everywhere; nothing if none is
/// left.
mlir::IntegerSet changeSet(mlir::IntegerSet set, llvm::ArrayRef<mlir::AffineExpr> axes,
                           llvm::ArrayRef<mlir::AffineExpr> dims, unsigned numNewAxes,
                           unsigned numNewDims);

/// The value of an expression over (axes, coords)[dims] as index ops at the builder's position.
mlir::Value materialize(mlir::OpBuilder &builder, mlir::Location loc, mlir::AffineExpr expr,
                        unsigned numAxes, mlir::ValueRange coords = {});

} // namespace zyxc

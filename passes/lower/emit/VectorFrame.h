// Inside VectorExpr: the state of one scope.
#pragma once
#include "passes/lower/emit/VectorExpr.h"

namespace zyxc {

struct VectorFrame {
  /// Emitted in this scope, by body value and guard mask.
  llvm::DenseMap<std::pair<mlir::Value, mlir::Value>, mlir::Value> values;
  llvm::DenseMap<mlir::Value, mlir::Value> bound; ///< given by the caller
  llvm::DenseMap<unsigned, LaneIndex> coordinates;
  zyxk::AxisSet assigned = 0;
  bool hasLanes = false; ///< some coordinate here differs between lanes
  mlir::Value mask;
  llvm::SmallVector<unsigned> flattened; ///< axes that count as one
  LaneIndex flat;                        ///< their index
};

/// What a store with `combine` writes over `old`.
mlir::Value combineStored(mlir::OpBuilder &builder, mlir::Location loc, zyxk::Combine combine,
                          mlir::Value old, mlir::Value value);

} // namespace zyxc

// The state of one scope of VectorExpr.
#pragma once
#include "passes/lower/emit/VectorExpr.h"

namespace zyxc {

struct VectorExpr::Frame {
  llvm::DenseMap<Key, mlir::Value> values;        ///< emitted in this scope
  llvm::DenseMap<mlir::Value, mlir::Value> bound; ///< given by the caller
  llvm::DenseMap<unsigned, LaneIndex> coordinates;
  zyxk::AxisSet assigned = 0;
  bool hasLanes = false; ///< some coordinate here differs between lanes
  mlir::Value mask;
  llvm::SmallVector<unsigned> flattened; ///< axes that count as one
  LaneIndex flat;                        ///< their index
};

} // namespace zyxc

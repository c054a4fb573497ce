// The regions of zyxk.fold on scalars and on vectors.
#pragma once
#include "dialects/zyxk/IR/ZyxkOps.h"

namespace zyxc {

/// Emits copies of a fold's regions. States and values are scalars or vectors of one width; if any
/// of them is a vector, so are all results.
class FoldCode {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  explicit FoldCode(zyxk::FoldOp fold) : fold(fold) {}

  /// The states after a point.
  Values step(mlir::OpBuilder &builder, mlir::ValueRange states, mlir::ValueRange values) const;
  /// The states of the points of `a`, then those of `b`. The fold has a merge.
  Values merge(mlir::OpBuilder &builder, mlir::ValueRange a, mlir::ValueRange b) const;
  /// One state from vectors of them: neighbours first, in the order of lanes.
  Values acrossLanes(mlir::OpBuilder &builder, Values states) const;

private:
  zyxk::FoldOp fold;
};

/// A scalar as a vector with `lanes` equal elements; lanes 0: itself.
mlir::Value splatTo(mlir::OpBuilder &builder, mlir::Value value, int64_t lanes);
/// Per state `a` where the condition holds, else `b`. A scalar condition chooses whole vectors.
llvm::SmallVector<mlir::Value> selectStates(mlir::OpBuilder &builder, mlir::Value condition,
                                            mlir::ValueRange a, mlir::ValueRange b);

} // namespace zyxc

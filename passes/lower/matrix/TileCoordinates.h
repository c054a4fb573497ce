// Coordinates of axes from a flattened index, for the drivers of matrix kernels.
#pragma once
#include "passes/lower/emit/VectorExpr.h"
#include "passes/lower/ptx/SharedMemory.h"

namespace zyxc {

/// The coordinates (i32) of a row-major index over the extents of some axes.
llvm::SmallVector<mlir::Value> coordinatesOf(I32Math &math, const AccessTable &table,
                                             llvm::ArrayRef<unsigned> axes, mlir::Value index);

/// Assigns to each axis its coordinate from a row-major index (i32), in the innermost scope.
void assignFlat(mlir::OpBuilder &builder, VectorExpr &expr, llvm::ArrayRef<unsigned> axes,
                mlir::Value index);

} // namespace zyxc

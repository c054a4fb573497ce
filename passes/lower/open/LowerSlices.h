// Contractions with open batch axes on the host: the code of one slice, with tiles and packed
// constants as for any kernel of that size, run for each point of the batch. Where a point has no
// rows of its own, as in the product of a batch of vectors with a matrix, a slice is a block of
// points, which are its rows; the last block has fewer.
#pragma once
#include "dialects/zyxk/IR/affine/BatchAxis.h"

namespace zyxc {

using LowerSlice = llvm::function_ref<mlir::LogicalResult(zyxk::KernelOp)>;

/// Points of the batch in one slice: 1 where each has rows and columns to tile, a block of rows, or
/// 0 if a kernel has no batch axes or nothing to tile.
int64_t pointsInSlice(zyxk::KernelOp kernel);

/// Replaces a kernel by the host function of one slice of pointsInSlice() points, which is not 0;
/// its entry (HostFunction.h) runs over the batch. `lower` makes the function of a slice of one
/// point.
mlir::LogicalResult lowerSlices(zyxk::KernelOp kernel, unsigned vectorBits, LowerSlice lower);

} // namespace zyxc

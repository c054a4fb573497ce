// Contractions with an open batch on the host: the code of one slice, with tiles and packed
// constants as for any kernel of that size, run for each point of the batch.
#pragma once
#include "dialects/zyxk/IR/affine/BatchAxis.h"

namespace zyxc {

using LowerSlice = llvm::function_ref<mlir::LogicalResult(zyxk::KernelOp)>;

/// True if a kernel has a batch axis and each slice has rows and columns to tile.
bool hasTiledSlices(zyxk::KernelOp kernel);

/// Replaces a kernel for which hasTiledSlices() holds by the host function of one slice, which
/// `lower` makes; its entry (HostFunction.h) runs over the batch.
mlir::LogicalResult lowerSlices(zyxk::KernelOp kernel, LowerSlice lower);

} // namespace zyxc

// The open batch of a kernel: axes without a size, along which it does the same on slices.
#pragma once
#include "dialects/zyxk/IR/ZyxkOps.h"
#include <optional>

namespace zyxc::zyxk {

/// Axes whose extents are the kernel's dims, one each, and whose points are independent of each
/// other.
struct BatchAxes {
  llvm::SmallVector<unsigned> axes; ///< by dim
  /// Per port: elements from one point's slice to the next, points in row-major order; 0 if all
  /// points use the whole port.
  llvm::SmallVector<int64_t> strides;
};

/// The batch axes of a kernel with dims. Ports that depend on dims have all of them as first axes
/// and are accessed there by the batch axes alone; nothing else depends on axes or dims, and no op
/// combines points of the axes. So with all dims 1 the kernel does one slice, and with the first
/// one R and the others 1, R slices that follow each other.
std::optional<BatchAxes> findBatchAxes(KernelOp kernel);

} // namespace zyxc::zyxk

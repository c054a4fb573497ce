// The open batch of a kernel: the one axis without a size, along which it does the same on slices.
#pragma once
#include "dialects/zyxk/IR/ZyxkOps.h"
#include <optional>

namespace zyxc::zyxk {

/// An axis whose extent is the kernel's only dim, and whose points are independent of each other.
struct BatchAxis {
  unsigned axis = 0;
  /// Per port: elements from one point's slice to the next; 0 if all points use the whole port.
  llvm::SmallVector<int64_t> strides;
};

/// The batch axis of a kernel with one dim. Ports that depend on the dim have it as first axis and
/// are accessed there by the batch axis alone; nothing else depends on axis or dim, and no op
/// combines points of the axis. So with the dim 1 the kernel does one slice.
std::optional<BatchAxis> findBatchAxis(KernelOp kernel);

} // namespace zyxc::zyxk

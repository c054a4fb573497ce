// Whether 32 bits are enough for the index arithmetic of a kernel on a GPU. Ports of 2 GiB and more
// take 64 bits by themselves (passes/pipelines); here it is what the body computes with.
#pragma once
#include "dialects/zyxk/IR/ZyxkOps.h"

namespace zyxc {

/// True if a coordinate, an address, a condition on axes or an index value of a kernel with static
/// sizes may leave 32 bits. SSA coordinates count as addresses inside of their port, except where
/// they are moved inside or compared.
bool hasWideCoordinates(zyxk::KernelOp kernel);

/// True if the points that the stores or the reductions of a kernel walk need more than 32 bits.
bool hasWideCounts(zyxk::KernelOp kernel);

} // namespace zyxc

// How much memory a port spans, the same for every target and for the buffers of tests.
#pragma once
#include "dialects/zyxk/IR/ZyxkOps.h"

namespace zyxc::zyxk {

/// Elements of the memory of a port with a static shape: up to the largest offset of its layout, at
/// least one for each of its elements.
int64_t portElements(PortType type);

} // namespace zyxc::zyxk

// Kernels of the user in a module: checked, and as text.
#pragma once
#include "dialects/zyx/IR/ZyxDialect.h"
#include "runtime/support/Status.h"
#include <string>

namespace zyxc::graph {

/// The text of the zyxk.kernel that the op names, under the name givenKernelName. Unsupported
/// errors: its ports are not the operands and results of the op, or it takes dims.
Expected<std::string> givenKernelText(zyx::KernelOp op);

} // namespace zyxc::graph

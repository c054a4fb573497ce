// zyx.kernel: a kernel of the module, by the kernel interpreter.
#pragma once
#include "dialects/zyx/IR/ZyxDialect.h"
#include "runtime/core/Tensor.h"
#include <span>
#include <vector>

namespace zyxc::interp {

/// The results of a kernel for these operands. Its dims are the sizes of its ports. Errors: Input
/// (the ports do not fit the op, a dim is the size of no port, what the kernel refuses).
Expected<std::vector<Tensor>> callKernel(zyx::KernelOp call, std::span<const Tensor> operands);

} // namespace zyxc::interp

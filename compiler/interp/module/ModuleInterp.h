// The reference interpreter on a function of zyx ops: each op by compiler/interp, one after
// another, the regions of an op as often as it says, kernels of the module by
// compiler/interp/kernel.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "runtime/core/Tensor.h"
#include <functional>
#include <span>
#include <vector>

namespace zyxc::interp {

/// Called after each op with each of its values; for ops in a region each time that they run.
using Observer = std::function<void(mlir::Operation *, const Tensor &)>;

/// Values of the results of a verified function of one block of zyx ops without symbolic sizes.
/// `inputs` are the values of its arguments, in order; they are not changed. `contents`, if given,
/// gets what each of them holds at the end: a new tensor where zyx.assign wrote to it. A value is
/// freed after its last use. Errors name the node; Unsupported: a custom op without decomposition.
Expected<std::vector<Tensor>> runModule(mlir::func::FuncOp function, std::span<const Tensor> inputs,
                                        const Observer &observer = {},
                                        std::vector<Tensor> *contents = nullptr);

/// The most bytes of op results that runModule holds at one time; constants and inputs do not
/// count, versions of inputs that are written do. Of the regions of an `if` the larger one counts.
/// Test it against the memory limit first: runModule allocates without asking.
Expected<int64_t> peakBytes(mlir::func::FuncOp function);

} // namespace zyxc::interp

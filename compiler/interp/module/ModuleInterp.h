// The reference interpreter on a function of zyx ops: each op by compiler/interp, one after
// another.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "runtime/core/Tensor.h"
#include <functional>
#include <span>
#include <vector>

namespace zyxc::interp {

/// Called after each op with its value.
using Observer = std::function<void(mlir::Operation *, const Tensor &)>;

/// Values of the results of a verified function of one block of zyx ops. `inputs` are the values of
/// its arguments, in order. A value is freed after its last use. Errors name the node.
Expected<std::vector<Tensor>> runModule(mlir::func::FuncOp function, std::span<const Tensor> inputs,
                                        const Observer &observer = {});

/// The most bytes of op results that runModule holds at one time; constants and inputs do not
/// count. Test it against the memory limit first: runModule allocates without asking.
Expected<int64_t> peakBytes(mlir::func::FuncOp function);

} // namespace zyxc::interp

// Which functions the interpreter can run: that of a model, and decompositions of custom ops.
#pragma once
#include "dialects/zyx/IR/ZyxDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "runtime/support/Status.h"

namespace zyxc::interp {

/// Unsupported unless the function is one block.
Status checkBody(mlir::func::FuncOp function);

/// The function of zyx ops that does what a custom op does; `depth` is the number of decompositions
/// around the op. Unsupported where there is none, where it is too deep inside others, or where it
/// writes to its arguments.
Expected<mlir::func::FuncOp> decompositionOf(zyx::CustomOp custom, int depth);

} // namespace zyxc::interp

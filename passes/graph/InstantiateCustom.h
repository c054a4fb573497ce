// Decompositions of custom kernels at the types of their uses.
#pragma once
#include "mlir/IR/BuiltinOps.h"
#include "runtime/support/Status.h"

namespace zyxc {

/// Gives each use of a declared custom kernel without a decomposition that of the declaration: a
/// private func with the sizes of the use in place of the names of dims, one for all uses with the
/// same sizes. Input: decompositions name each other without end.
Status instantiateCustomKernels(mlir::ModuleOp module);

/// True if the func is named by a declaration: its sizes are names of the declaration, not
/// variables of the model.
bool isOfCustomKernel(mlir::Operation *function);

} // namespace zyxc

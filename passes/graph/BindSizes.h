// The symbolic sizes of a function of zyx ops: which variables there are, and how they are bound.
#pragma once
#include "dialects/zyx/semantics/BindSizes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <set>

namespace zyxc {

/// Names of the variables in the types of arguments and ops, and in limits of loops.
std::set<std::string> sizeVariables(mlir::func::FuncOp function);

/// Replaces variables by sizes in the types, attributes and `variable` ops of a function with one
/// block, in the regions of its ops, and in the decompositions beside it in its module. The result
/// types are inferred again, so every op is valid afterwards. Usage errors: a name is no variable
/// of the function, a size is negative. Unsupported: an op is not valid at these sizes; the text
/// names it.
Status bindSizes(mlir::func::FuncOp function, const dim::Bindings &sizes);

/// The same for this function alone, whatever the names: its arguments, ops and result types.
Status bindFunction(mlir::func::FuncOp function, const dim::Bindings &sizes);

} // namespace zyxc

// What the declaration of a custom kernel says at one use of it: the values of its dims, and the
// code for a kind of target with numbers or sizes of the model in place of their names.
#pragma once
#include "dialects/zyx/IR/ZyxDialect.h"
#include "dialects/zyx/semantics/CustomSource.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "runtime/core/Dim.h"

namespace zyxc::zyx {

/// The declaration of a use; null for the short form, and where there is none.
CustomKernelOp declarationOf(CustomOp use);

/// Names of the dims of a declaration, in the order in which they first are an axis of an operand.
/// Kernels are given their values in this order.
std::vector<std::string> dimNames(CustomKernelOp kernel);

/// The sizes that dims have where the operands have these types. Input: the operands do not fit.
Expected<dim::Bindings> bindDims(CustomKernelOp kernel, mlir::TypeRange operands);

/// The code of a use for a kind of target, with launch sizes, dims and cost at the types of the
/// use; nothing if the kernel has none. A source in PTX comes before one in CUDA C++.
Expected<std::optional<CustomSource>> sourceFor(CustomOp use, CustomSource::Target target);

/// "host 'f', ptx 'g'": what a declaration has.
std::string describeSources(CustomKernelOp kernel);

} // namespace zyxc::zyx

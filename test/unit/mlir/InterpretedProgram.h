// Kernels and programs with bound dims, run by the interpreter launch by launch.
#pragma once
#include "dialects/zyxk/IR/ZyxkOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "runtime/core/Tensor.h"
#include <string>
#include <vector>

namespace zyxc::test {

/// Memory for a port of static shape, all bits set: NaN, or -1.
Tensor allocatePort(zyxk::PortType type);

/// Runs the kernel or program @name. `memory` holds its first ports, perhaps under other shapes
/// with as many elements; more ports get memory of their own. The error's text, or "".
std::string interpret(mlir::ModuleOp module, const std::string &name, std::vector<Tensor> memory);

} // namespace zyxc::test

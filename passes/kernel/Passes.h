// Passes on zyxk kernels. Each transformation is one file, with one function that other code calls
// (Transforms.h) and one pass around it; docs/kernels.md says what each one does.
#pragma once
#include "dialects/zyxk/IR/ZyxkOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace zyxc {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/kernel/Passes.h.inc"

} // namespace zyxc

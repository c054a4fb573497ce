// Passes on the zyx dialect.
#pragma once
#include "dialects/zyx/IR/ZyxDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace zyxc {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/graph/Passes.h.inc"

/// Attribute of arguments and results of the model function: their name in the source model.
inline constexpr llvm::StringLiteral valueNameAttrName = "zyx.name";

/// The one public function of a module in the form that zyx-canonical-module checks, or failure
/// with one located error.
llvm::FailureOr<mlir::func::FuncOp> findModelFunction(mlir::ModuleOp module);

} // namespace zyxc

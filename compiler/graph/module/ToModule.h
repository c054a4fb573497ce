// From the e-graph back to a function of zyx ops.
#pragma once
#include "compiler/graph/Choice.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace zyxc::graph {

/// A module with one function that computes the outputs by the chosen nodes: inputs are arguments,
/// names become `zyx.name` attributes, origins become locations. The zyx and func dialects must be
/// loaded in the context. Fails if the choice is not complete or has a cycle.
Expected<mlir::OwningOpRef<mlir::ModuleOp>> exportModule(mlir::MLIRContext *context,
                                                         const TensorGraph &graph,
                                                         const Choice &choice,
                                                         llvm::StringRef functionName = "main");

} // namespace zyxc::graph

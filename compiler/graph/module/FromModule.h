// From a function of zyx ops to the e-graph.
#pragma once
#include "compiler/graph/TensorGraph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace zyxc::graph {

/// The function as an e-graph: arguments become leaves named by their attribute `zyx.name` (else
/// "arg0", ...), results become outputs named likewise (else "out0", ...), composites bring their
/// decomposition, and each node's origin is its op's location name. Fails with an Unsupported error
/// on ops of other dialects, on regions and on types without static shape.
Expected<TensorGraph> importFunction(mlir::func::FuncOp function);

} // namespace zyxc::graph

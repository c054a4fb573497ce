// From a function of zyx ops to the e-graph.
#pragma once
#include "compiler/graph/TensorGraph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace zyxc::graph {

struct FunctionLayers;

/// How ops with a choice are read.
struct FromModuleOptions {
  /// Functions of libraries are called also where a decomposition is there.
  bool useLibraries = false;
  /// Which sources of custom kernels are used, and what messages call the target.
  CustomSource::Target customTarget = CustomSource::Target::Host;
  std::string targetName = "cpu";
  /// Layers of which only some are read; null: every op is.
  const FunctionLayers *layers = nullptr;
};

/// The function as an e-graph: arguments become leaves named by their attribute `zyx.name` (else
/// "arg0", ...), results become outputs named likewise (else "out0", ...), composites bring their
/// decomposition, and each node's origin is its op's location name. Regions become graphs of their
/// own (Callee); of a condition that is known the region that is taken is read in its place. Fails
/// with an Unsupported error on ops of other dialects and on types without a size for each dim.
Expected<TensorGraph> importFunction(mlir::func::FuncOp function,
                                     const FromModuleOptions &options = {});

} // namespace zyxc::graph

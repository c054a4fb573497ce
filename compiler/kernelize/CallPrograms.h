// Programs of `call` nodes: regions, kernels of the user, functions of libraries. Each is computed
// alone, over stored operands, and stores all of its results.
#pragma once
#include "compiler/kernelize/ProgramBuilder.h"

namespace zyxc::kernelize {

/// The program of a call node: input ports are its operands, output ports all results of its
/// callee.
BuiltProgram buildCallProgram(const graph::TensorGraph &graph, NodeId node);

} // namespace zyxc::kernelize

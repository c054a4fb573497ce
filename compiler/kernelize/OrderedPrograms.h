// Kernels of ops that depend on the order of a whole axis: scans, sorts, scatter. Each is computed
// alone, over stored operands.
#pragma once
#include "compiler/kernelize/ProgramBuilder.h"

namespace zyxc::kernelize {

/// The program that computes an ordered node (isOrdered) of a class with elements.
BuiltProgram buildOrderedProgram(const graph::TensorGraph &graph, NodeId node);

} // namespace zyxc::kernelize

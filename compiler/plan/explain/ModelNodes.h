// Which nodes of the model went into which kernels.
#pragma once
#include "compiler/plan/explain/Explain.h"

namespace zyxc::explain {

/// Fills Part::nodes, ChosenKernel::nodes and the nodes of Part::outputs. The kernels are there,
/// with what they read and make.
void addModelNodes(const PartSteps &steps, Part &part);

} // namespace zyxc::explain

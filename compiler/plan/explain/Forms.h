// Which rules made the terms that kernels compute.
#pragma once
#include "compiler/plan/explain/Explain.h"

namespace zyxc::explain {

/// By place in the choice: the steps from the terms that the model, or the kernels that read the
/// results, were written with to those that the kernel computes.
std::vector<std::vector<FormStep>> formsOf(const PartSteps &steps);

} // namespace zyxc::explain

// Kernels that run bodies, and custom ones, fit the plan that they stand in: what the executor
// relies on, for plans from files, from the compiler and made by binding.
#pragma once
#include "runtime/plan/Plan.h"

namespace zyxc::rt {

/// Checks a plan and its bodies: each body is that of one kernel and no deeper than allowed; types
/// of inputs and outputs of bodies fit each other and the ports of every launch, in number and
/// bytes; what a launch writes may be written; what runs at load has no symbolic sizes. Sizes that
/// are symbolic are checked when they are bound. Input errors: "malformed (..)".
Status checkControl(const Plan &plan);

} // namespace zyxc::rt

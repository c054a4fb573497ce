// Evaluates kernel programs element by element: the check that a program computes what its class
// means. Slow and obvious; test code only.
#pragma once
#include "compiler/kernelize/Program.h"
#include "runtime/core/Tensor.h"
#include <span>

namespace zyxc::kernelize {

/// The outputs of a program for these inputs (one per input port), one per output port. An error if
/// a value that is stored came from a load outside of its port, or if an element is not stored.
Expected<std::vector<Tensor>> evaluate(const Program &program, std::span<const Tensor> inputs);

/// True if both have one type and their elements are equal, floats within `tolerance` relative to
/// the larger magnitude (NaN equals NaN).
bool close(const Tensor &a, const Tensor &b, double tolerance);

} // namespace zyxc::kernelize

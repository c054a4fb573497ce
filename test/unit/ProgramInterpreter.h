// Evaluates kernel programs element by element: the check that a program computes what its class
// means. Slow and obvious; test code only.
#pragma once
#include "compiler/kernelize/program/ProgramSizes.h"
#include "runtime/core/Tensor.h"
#include <span>

namespace zyxc::kernelize {

/// The outputs of a program at these values of variables for these inputs (one per input port, of
/// as many elements), one per output port. An error if a value that is stored came from a load
/// outside of its port, or if an element is not stored.
Expected<std::vector<Tensor>> evaluate(const Program &program, std::span<const Tensor> inputs,
                                       const dim::Bindings &bindings = {});

/// True if both have one type and their elements are equal, floats within `tolerance` relative to
/// the larger magnitude (NaN equals NaN).
bool close(const Tensor &a, const Tensor &b, double tolerance);

} // namespace zyxc::kernelize

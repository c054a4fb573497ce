// Evaluation of ops with one of the results that docs/semantics.md leaves open: roundings of
// functions and sums, the sign of a zero from max, min and sums, the bits of NaN.
#pragma once
#include "test/fuzz/graphs/oracle/Choices.h"
#include "test/fuzz/graphs/program/Graph.h"

namespace zyxc::fuzz {

/// The value of an op on operands that were chosen likewise. `undisturbed`: the operands by the
/// interpreter alone; `exact`: the value does not depend on roundings.
Expected<Tensor> evaluateWith(Choices &choices, const Node &node, std::span<const Tensor> operands,
                              std::span<const Tensor> undisturbed, bool exact);

/// The same for a sum, a product of many elements, or a composite of those, of floats. Errors are
/// as large as n roundings of partial results can be (Higham, "Accuracy and Stability of Numerical
/// Algorithms", 2002, sections 3.1 and 4.2): n u times the sum of the magnitudes. Elements of which
/// the order of steps decides if they overflow are infinite, NaN or numbers.
Expected<Tensor> evaluateSum(Choices &choices, const Node &node, std::span<const Tensor> operands);

} // namespace zyxc::fuzz

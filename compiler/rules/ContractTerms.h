// Term functions about contractions.
#pragma once
#include "compiler/rules/Rule.h"

namespace zyxc::rules {

/// reduce_sum(mul(a, b), axes) as a contraction of what a and b are views of: (a, b, axes). Nothing
/// if both run over the same axes, as in a sum of squares: that is no product of matrices.
std::optional<ClassId> contractOfProduct(TensorGraph &graph, std::span<const Value> arguments);

/// mul(contract(x, w), s) as a contraction with a scaled operand:
/// (x, w, lhs, rhs, out, accumulate, dtype, s). The scaled operand must be a parameter, and s a
/// splat or a view that runs over that operand's axes only.
std::optional<ClassId> scaleContract(TensorGraph &graph, std::span<const Value> arguments);

/// div(contract(x, w), view(reduce_sum(e))) as a contraction with a divided operand e:
/// (x, w, lhs, rhs, out, accumulate, dtype, axes of the sum, map and shape of the view, side).
/// e is the operand `side` (0: x), and the view must run over its axes only.
std::optional<ClassId> divideContract(TensorGraph &graph, std::span<const Value> arguments);

} // namespace zyxc::rules

// The order in which the factors of a chain of contractions are multiplied.
#pragma once
#include "compiler/rules/Rule.h"

namespace zyxc::rules {

/// contract(x, y) in the order with the fewest multiply-adds: (x, y, lhs, rhs, out, accumulate,
/// dtype). Operands that are contractions of the same dtypes, or permuted ones, are taken apart, up
/// to 24 factors in all, each by its oldest contraction. Factors keep their places (those of a
/// transposed product change them): of a chain of matrices this is the order that dynamic
/// programming finds (Godbole, On efficient computation of matrix chain products, 1973). What
/// follows from constants alone is computed once and costs nothing; open sizes are estimated.
/// Nothing if the present order is as good.
std::optional<ClassId> contractInOrder(TensorGraph &graph, std::span<const Value> arguments);

} // namespace zyxc::rules

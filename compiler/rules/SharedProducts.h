// Functions of rules that join products with an operand in common, such as queries, keys and
// values, over one parameter.
//
// The products of x with parameters that a program has, on one side and with the same attributes,
// are joined in the order in which they came into it, more than 8 in groups of 8: each group gets
// one product, and no subset of it another one. Products that rules have made do not count, and
// neither do those that nothing needs any more, as scale-contract has moved their factor into their
// parameter. A group whose products are on average larger than x, or whose
// parameters are 64 times as large, is left alone.
#pragma once
#include "compiler/rules/Rule.h"

namespace zyxc::rules {

/// (x, v): the parameters of the group of x v, concatenated. Nothing if v is alone in it.
std::optional<ClassId> joinParameters(TensorGraph &graph, std::span<const Value> arguments);

/// (x, v, b): what joinParameters is for parameters, for the addends of the products of x: a
/// product is added to one parameter, of x v that is b. Addends are joined below the view that
/// repeats them along the other axes, which must be the same one. Nothing if one of them is
/// missing.
std::optional<ClassId> joinAddends(TensorGraph &graph, std::span<const Value> arguments);

/// (x, v): the coordinates in the product with joinParameters(x, v) where x v begins.
std::optional<AttrValue> joinStarts(const TensorGraph &graph, std::span<const Value> arguments);

/// (x, v, w): 1 if w comes directly after v in the group of x v.
std::optional<AttrValue> nextProduct(const TensorGraph &graph, std::span<const Value> arguments);

} // namespace zyxc::rules

// Types, attributes and index maps with the variables of their sizes replaced.
#pragma once
#include "dialects/zyx/semantics/Attrs.h"
#include "runtime/core/Dim.h"

namespace zyxc {

/// Variables that have no replacement stay. An index expression whose divisor becomes 0 has no
/// point at which it is evaluated: the quotient is 0.
Shape bindSizes(const Shape &sizes, const dim::Bindings &replacements);
TensorType bindSizes(const TensorType &type, const dim::Bindings &replacements);
IndexExpr bindSizes(const IndexExpr &expr, const dim::Bindings &replacements);
IndexMap bindSizes(const IndexMap &map, const dim::Bindings &replacements);
/// Lists of integers and index maps. (The name of a `variable` op is bound by who knows the op.)
Attrs bindSizes(const Attrs &attrs, const dim::Bindings &replacements);

/// A list of integers or an index map holds a symbolic size.
bool hasSymbolicSizes(const Attrs &attrs);

} // namespace zyxc

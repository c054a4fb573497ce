// Inverse and alias tests of view maps.
#pragma once
#include "dialects/zyx/semantics/IndexMap.h"
#include <optional>

namespace zyxc::graph {

/// For a view result[i] = operand[map(i)] that meets each element of the operand exactly once: the
/// map from coordinates of the operand to those of the result. Finds permutations, splits and
/// merges of axes and whole reshapes; nothing for any other map.
std::optional<IndexMap> invertView(const IndexMap &map, std::span<const int64_t> resultShape,
                                   std::span<const int64_t> operandShape);

/// If the view's elements lie in the operand's row-major memory as they do in its own: the distance
/// of its first element, in elements: a size, which may be symbolic.
std::optional<int64_t> aliasOffset(const IndexMap &map, std::span<const int64_t> resultShape,
                                   std::span<const int64_t> operandShape);

/// True if no coordinate has a floordiv or mod.
bool isLinear(const IndexMap &map);

} // namespace zyxc::graph

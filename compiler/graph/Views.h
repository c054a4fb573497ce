// Normal form of movement: chains of reshape, permute, expand, narrow, flip and window are one
// index map, so that most rules about movement are not needed.
#pragma once
#include "dialects/zyx/semantics/IndexMap.h"
#include <optional>

namespace zyxc::graph {

/// The same map for a domain of this shape, with the coordinates of axes of extent 1 replaced by 0,
/// so that equal functions have equal maps. All extents must be positive.
IndexMap normalizeView(const IndexMap &map, std::span<const int64_t> shape);

/// True if a normalized map over `shape` leads each element of a tensor of shape `source` to
/// itself.
bool isIdentityView(const IndexMap &map, std::span<const int64_t> shape,
                    std::span<const int64_t> source);

/// The normalized map of a view (`outer`, of this shape) of a view (`inner`). Nothing if divisions
/// would nest: such a chain keeps both links, because nested divisions cost more than a copy saves.
std::optional<IndexMap> composeViews(const IndexMap &inner, const IndexMap &outer,
                                     std::span<const int64_t> shape);

} // namespace zyxc::graph

// Names of the e-graph's things.
#pragma once
#include <cstdint>

namespace zyxc::egraph {

/// An e-class: the id of one of its nodes. Ids of merged classes stay usable; find() gives the
/// canonical one.
using Id = uint32_t;
/// An e-node: a dense index that never changes.
using NodeId = uint32_t;
inline constexpr uint32_t none = ~0u;

} // namespace zyxc::egraph

// Looking up many nodes of an e-graph at a time.
#pragma once
#include "compiler/egraph/Ids.h"
#include <array>

namespace zyxc::egraph {

/// Forms of one op: nodes that may or may not be there. A user fills in the op and the operands,
/// EGraph::prepare() makes operands canonical and fills in the nodes.
struct Forms {
  static constexpr uint32_t most = 64;     ///< forms
  static constexpr uint32_t mostArity = 3; ///< of wider ones none is found
  uint32_t op = 0;
  uint32_t payload = 0;
  uint32_t arity = 0;
  std::array<std::array<Id, most>, mostArity> operands; ///< by place, then by form
  std::array<NodeId, most> nodes; ///< what prepare() found: a node of the hash, or none
};

} // namespace zyxc::egraph

// Text of an e-graph for Graphviz, to look at small graphs.
#pragma once
#include "compiler/egraph/EGraph.h"
#include <functional>

namespace zyxc::egraph {

/// One cluster per class, one box per live node, one edge per operand. `label` names a node,
/// `title` (may be empty) a class. The same graph gives the same text.
std::string toDot(const EGraph &graph, const std::function<std::string(NodeId)> &label,
                  const std::function<std::string(Id)> &title = {});

} // namespace zyxc::egraph

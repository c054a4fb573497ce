// Why things are equal: reads the union log of an e-graph.
#pragma once
#include "compiler/egraph/EGraph.h"

namespace zyxc::egraph {

/// The rules, ascending, that had a part in making `cls` one class: those of its unions and,
/// through congruence, those of the operand classes that had to become one first. None if
/// the graph keeps no log.
std::vector<uint32_t> rulesBehind(const EGraph &graph, Id cls);

} // namespace zyxc::egraph

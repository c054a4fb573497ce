// One node for each class: what turns an e-graph back into a program.
#pragma once
#include "compiler/graph/TensorGraph.h"

namespace zyxc::graph {

/// The chosen node by canonical class id; egraph::none for classes without one.
using Choice = std::vector<NodeId>;

/// For each class the node with the fewest ops below it, shared ones counted each time; ties go to
/// the node found first. Its terms are finite: no class stands below itself.
Choice smallestChoice(const TensorGraph &graph);

/// Classes that the outputs need under a choice, operands before users. Fails if a class has no
/// choice or stands below itself.
Expected<std::vector<ClassId>> chosenOrder(const TensorGraph &graph, const Choice &choice);

} // namespace zyxc::graph

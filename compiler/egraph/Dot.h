// Text of an e-graph for Graphviz, to look at small graphs.
#pragma once
#include "compiler/egraph/EGraph.h"
#include <functional>
#include <string>

namespace zyxc::egraph {

/// What is drawn: a cluster for each class, a box for each node, an edge for each operand.
struct Drawing {
  struct Class {
    Id id; ///< part of the cluster's name
    std::string title;
  };
  struct Node {
    NodeId id; ///< part of the box's name
    Id cls;
    std::string label;
    std::vector<Id> children; ///< classes
  };
  std::vector<Class> classes;
  std::vector<Node> nodes; ///< at least one for each class that is used
};

/// The same drawing gives the same text.
std::string toDot(const Drawing &drawing);

/// All classes and live nodes of a graph. `label` names a node, `title` (may be empty) a class.
std::string toDot(const EGraph &graph, const std::function<std::string(NodeId)> &label,
                  const std::function<std::string(Id)> &title = {});

} // namespace zyxc::egraph

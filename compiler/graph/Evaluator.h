// Values of classes by the reference interpreter: the oracle for rules and for the export.
#pragma once
#include "compiler/graph/Choice.h"
#include <unordered_map>

namespace zyxc::graph {

/// Values are computed once and kept.
class Evaluator {
public:
  /// Computes with the chosen nodes; `graph` and `choice` must outlive it.
  Evaluator(const TensorGraph &graph, const Choice &choice) : graph(graph), choice(choice) {}

  /// Gives a leaf its value, which must have the leaf's type.
  void setLeaf(ClassId leaf, Tensor value) { values[graph.find(leaf)] = std::move(value); }
  /// Value of a class. Fails if a leaf below it has no value, or on what the interpreter refuses.
  Expected<Tensor> evaluate(ClassId cls);
  /// Value of one node over the values of its operands.
  Expected<Tensor> evaluateNode(NodeId node);

private:
  Expected<Tensor> apply(NodeId node) const;

  const TensorGraph &graph;
  const Choice &choice;
  std::unordered_map<ClassId, Tensor> values; ///< by canonical class
};

} // namespace zyxc::graph

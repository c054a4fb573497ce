// A random program as plain data: what the generator writes, the minimizer cuts and the check runs.
#pragma once
#include "dialects/zyx/semantics/GraphBuilder.h"
#include "runtime/core/Dim.h"

namespace zyxc::fuzz {

/// One op. A leaf is an input and holds the value that it is given, whose shape is the type's at
/// the graph's `sizes`.
struct Node {
  OpKind kind;
  std::vector<uint32_t> operands; ///< earlier nodes
  Attrs attrs;
  TensorType type;
  Tensor value = {};
};

/// Nodes with operands before users, and the nodes that are returned.
struct Graph {
  std::vector<Node> nodes;
  std::vector<uint32_t> outputs;
  dim::Bindings sizes = {}; ///< values of the variables of types and attributes; static: none

  /// Adds an input with this value.
  uint32_t addLeaf(Tensor value);
  /// Values of the leaves, in their order.
  std::vector<Tensor> inputs() const;
};

/// The same program without the nodes that no output needs.
Graph pruned(const Graph &graph);

/// Writes ops into a Graph; ids of values are places of nodes.
class GraphWriter : public GraphBuilder {
public:
  explicit GraphWriter(Graph &graph) : graph(graph) {}
  GraphValue leaf(Tensor value) { return {graph.addLeaf(std::move(value))}; }
  const TensorType &typeOf(GraphValue value) const override { return graph.nodes[value.id].type; }

protected:
  GraphValue addOp(OpKind kind, std::span<const GraphValue> operands, Attrs attrs,
                   TensorType type) override;

private:
  Graph &graph;
};

} // namespace zyxc::fuzz

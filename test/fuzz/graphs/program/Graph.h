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
  bool inRegion = false; ///< of Graph::region; those that are, and no others, stand together
};

/// Nodes with operands before users, and the nodes that are returned.
struct Graph {
  /// Where the nodes of the region stand in the text; they give the same values.
  enum class Region : uint8_t {
    Then,      ///< the branch that is taken
    Else,      ///< the other one, which is taken, too
    Carried,   ///< a loop whose values replace those of the iteration before
    Collected, ///< a loop of one iteration
    IfInLoop,
  };
  static constexpr int numRegions = 5;

  std::vector<Node> nodes;
  std::vector<uint32_t> outputs;
  Region region = Region::Then;
  bool storesFirst = false; ///< the first output goes through an input that is written
  dim::Bindings sizes = {}; ///< values of the variables of types and attributes; static: none

  /// Adds an input with this value.
  uint32_t addLeaf(Tensor value);
  bool hasRegion() const;
  /// Values of the leaves, in their order, then those of arguments that only the text has: true,
  /// and memory for the first output.
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

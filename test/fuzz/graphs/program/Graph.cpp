#include "test/fuzz/graphs/program/Graph.h"
#include <algorithm>

namespace zyxc::fuzz {

uint32_t Graph::addLeaf(Tensor value) {
  TensorType type = value.type();
  nodes.push_back({OpKind::Leaf, {}, {}, std::move(type), std::move(value)});
  return static_cast<uint32_t>(nodes.size() - 1);
}

std::vector<Tensor> Graph::inputs() const {
  std::vector<Tensor> values;
  for (const Node &node : nodes) {
    if (node.kind == OpKind::Leaf) {
      values.push_back(node.value);
    }
  }
  if (hasRegion()) {
    values.push_back(Tensor::scalarInt(DType::Bool, 1));
  }
  if (storesFirst) {
    values.push_back(Tensor::zeros(nodes[outputs[0]].type));
  }
  return values;
}

bool Graph::hasRegion() const {
  return std::ranges::any_of(nodes, [](const Node &node) { return node.inRegion; });
}

Graph pruned(const Graph &graph) {
  std::vector<bool> needed(graph.nodes.size(), false);
  for (uint32_t output : graph.outputs) {
    needed[output] = true;
  }
  for (size_t i = graph.nodes.size(); i-- > 0;) {
    for (uint32_t operand : graph.nodes[i].operands) {
      needed[operand] = needed[operand] || needed[i];
    }
  }
  Graph result;
  result.sizes = graph.sizes;
  result.region = graph.region;
  result.storesFirst = graph.storesFirst;
  std::vector<uint32_t> places(graph.nodes.size());
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    if (!needed[i]) {
      continue;
    }
    places[i] = static_cast<uint32_t>(result.nodes.size());
    result.nodes.push_back(graph.nodes[i]);
    for (uint32_t &operand : result.nodes.back().operands) {
      operand = places[operand];
    }
  }
  for (uint32_t output : graph.outputs) {
    result.outputs.push_back(places[output]);
  }
  return result;
}

GraphValue GraphWriter::addOp(OpKind kind, std::span<const GraphValue> operands, Attrs attrs,
                              TensorType type) {
  std::vector<uint32_t> ids;
  for (GraphValue operand : operands) {
    ids.push_back(operand.id);
  }
  graph.nodes.push_back({kind, std::move(ids), std::move(attrs), std::move(type)});
  return {static_cast<uint32_t>(graph.nodes.size() - 1)};
}

} // namespace zyxc::fuzz

// Short ways to write tensor e-graphs in tests.
#pragma once
#include "compiler/graph/TensorGraph.h"

namespace zyxc::graph {

/// A new input; each call makes another leaf.
inline ClassId leaf(TensorGraph &graph, std::string name, Shape shape, DType dtype = DType::F32) {
  int64_t id = static_cast<int64_t>(graph.inputs.size());
  ClassId cls =
      graph.add(OpKind::Leaf, {}, {{"name", name}, {"dtype", dtype}, {"shape", shape}, {"id", id}});
  graph.inputs.push_back({std::move(name), cls});
  return cls;
}

inline ClassId constant(TensorGraph &graph, Tensor value) {
  return graph.add(OpKind::Constant, {}, {{"value", std::move(value)}});
}

/// An op; composites bring their decomposition.
inline ClassId addOp(TensorGraph &graph, OpKind kind, std::initializer_list<ClassId> operands,
                     const Attrs &attrs = {}) {
  return graph.addWithDecomposition(kind, std::span(operands.begin(), operands.size()), attrs);
}

} // namespace zyxc::graph

#include "compiler/graph/Evaluator.h"
#include "compiler/interp/Interp.h"

namespace zyxc::graph {

Expected<Tensor> Evaluator::evaluate(ClassId cls) {
  // A class is pushed again below its operands, and computed when it is met the second time.
  std::vector<ClassId> stack = {graph.find(cls)};
  std::vector<bool> open(graph.engine().numNodes());
  while (!stack.empty()) {
    ClassId current = stack.back();
    if (values.contains(current)) {
      stack.pop_back();
      continue;
    }
    if (current >= choice.size() || choice[current] == egraph::none) {
      return makeError(ErrorCode::Internal, "no node is chosen for class {}", current);
    }
    NodeId node = choice[current];
    if (open[current]) {
      ZYXC_ASSIGN(values[current], apply(node));
      stack.pop_back();
      continue;
    }
    open[current] = true;
    for (ClassId operand : graph.operands(node)) {
      if (!values.contains(operand)) {
        if (open[operand]) {
          return makeError(ErrorCode::Internal, "class {} stands below itself in the choice",
                           operand);
        }
        stack.push_back(operand);
      }
    }
  }
  return values.at(graph.find(cls));
}

Expected<Tensor> Evaluator::evaluateNode(NodeId node) {
  for (ClassId operand : graph.operands(node)) {
    if (Expected<Tensor> value = evaluate(operand); !value) {
      return value;
    }
  }
  return apply(node);
}

Expected<Tensor> Evaluator::apply(NodeId node) const {
  OpKind kind = graph.kind(node);
  if (kind == OpKind::Leaf) {
    auto value = values.find(graph.find(node));
    if (value == values.end()) {
      return makeError(ErrorCode::Internal, "leaf '{}' has no value",
                       graph.attrs(node).getString("name"));
    }
    return value->second;
  }
  if (kind == OpKind::Constant) {
    return graph.attrs(node).getTensor("value");
  }
  std::vector<Tensor> operands;
  for (ClassId operand : graph.operands(node)) {
    operands.push_back(values.at(operand));
  }
  return interp::evaluate(kind, graph.attrs(node), operands);
}

} // namespace zyxc::graph

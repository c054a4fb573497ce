#include "compiler/kernelize/CallPrograms.h"

namespace zyxc::kernelize {

using graph::Callee;

BuiltProgram buildCallProgram(const graph::TensorGraph &graph, NodeId node) {
  int64_t number = graph.attrs(node).getInt("callee");
  const Callee &callee = graph.callees[static_cast<size_t>(number)];
  BuiltProgram built{{}, graph.operands(node)};
  Program &program = built.program;
  for (ClassId operand : built.inputs) {
    program.ports.push_back({graph.type(operand), false});
  }
  for (ClassId result : callee.results) {
    program.ports.push_back({graph.type(result), true});
  }
  switch (callee.kind) {
  case Callee::Kind::If:
    program.family = Family::If;
    program.params = {number};
    break;
  case Callee::Kind::Loop:
    program.family = Family::Loop;
    program.params = {number, callee.limit, callee.numCarried};
    break;
  case Callee::Kind::Kernel:
    program.family = Family::Given;
    program.routine = callee.text;
    break;
  case Callee::Kind::Custom:
    program.family = Family::Custom;
    program.custom = callee.source;
    break;
  }
  return built;
}

} // namespace zyxc::kernelize

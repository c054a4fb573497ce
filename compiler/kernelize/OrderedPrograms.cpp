#include "compiler/kernelize/OrderedPrograms.h"
#include "compiler/kernelize/program/ProgramSizes.h"
#include "compiler/kernelize/program/ValueTable.h"
#include "dialects/zyx/semantics/Infer.h"
#include <bit>

namespace zyxc::kernelize {

/// A tensor [outer, extent, inner] around an axis, without axes of size 1 but the axis itself.
static Shape around(const Shape &shape, int64_t axis) {
  int64_t outer = numElements(std::span(shape).first(axis));
  int64_t inner = numElements(std::span(shape).subspan(axis + 1));
  Shape result;
  if (outer > 1) {
    result.push_back(outer);
  }
  result.push_back(shape[axis]);
  if (inner > 1) {
    result.push_back(inner);
  }
  return result;
}

static BuiltProgram scanProgram(const graph::TensorGraph &graph, NodeId node) {
  const Attrs &attrs = graph.attrs(node);
  ClassId x = graph.operands(node)[0];
  const TensorType &type = graph.type(x);
  int64_t axis = attrs.getInt("axis");
  BuiltProgram built{{}, {x}};
  Program &program = built.program;
  program.family = Family::Scan;
  program.extents = around(type.shape, axis);
  TensorType port{type.dtype, program.extents};
  program.ports = {{port, false}, {port, true}};
  ValueTable table;
  Value load;
  load.op = Value::Op::Load;
  load.dtype = type.dtype;
  load.coords = IndexMap::identity(port.rank()).results;
  bool widens = isFloat(type.dtype);
  Value scan;
  scan.op = Value::Op::Scan;
  scan.kind = graph.kind(node);
  scan.dtype = widens ? accumulatorOf(type.dtype) : type.dtype;
  scan.operands = {table.cast(table.add(load), scan.dtype)};
  scan.axes = {numElements(std::span(type.shape).first(axis)) > 1 ? 1 : 0};
  scan.exclusive = attrs.getInt("exclusive") != 0;
  scan.reverse = attrs.getInt("reverse") != 0;
  bool mayOverflow = type.dtype == DType::F8E4M3FN && scan.exclusive; // f32's identity is infinite
  OpKind step = reductionStep(scan.kind);
  Scalar identity = reduceIdentity(scan.kind, type.dtype);
  ValueId result = table.add(std::move(scan));
  if (mayOverflow && (step == OpKind::Max || step == OpKind::Min)) {
    result = table.scalar(step, DType::F32, {result, table.literal(DType::F32, identity)});
  }
  result = table.cast(result, type.dtype);
  program.values = table.take();
  program.stores = {{result, 1, load.coords}};
  findDims(program);
  return built;
}

static BuiltProgram sortProgram(const graph::TensorGraph &graph, NodeId node) {
  ClassId x = graph.operands(node)[0];
  TensorType type = graph.type(x);
  int64_t length = type.shape.back();
  type.shape = {numElements(std::span(type.shape).first(type.shape.size() - 1)), length};
  bool isPositions = graph.kind(node) == OpKind::ArgSort;
  BuiltProgram built{{}, {x}};
  Program &program = built.program;
  program.family = Family::Routine;
  program.routine = isPositions ? "argsort" : "sort_values";
  program.params = {graph.attrs(node).getInt("descending"), static_cast<int64_t>(type.dtype)};
  program.ports = {{type, false}, {{isPositions ? DType::I64 : type.dtype, type.shape}, true}};
  int64_t levels = std::bit_width(static_cast<uint64_t>(dim::estimate(length)));
  program.routineOps = dim::estimate(type.numElements()) * levels * 4;
  findDims(program);
  return built;
}

static BuiltProgram scatterProgram(const graph::TensorGraph &graph, NodeId node) {
  std::vector<ClassId> operands = graph.operands(node);
  const TensorType &x = graph.type(operands[0]);
  const TensorType &indices = graph.type(operands[1]);
  int64_t count = indices.shape[0];
  if (graph.type(operands[2]).numElements() == 0) {
    return {copyProgram(x), {operands[0]}};
  }
  int64_t row = numElements(std::span(x.shape).subspan(1));
  TensorType whole{x.dtype, {x.shape[0], row}};
  BuiltProgram built{{}, operands};
  Program &program = built.program;
  program.family = Family::Routine;
  program.routine = "scatter";
  auto combine = *parseScatterCombine(graph.attrs(node).getString("combine"));
  program.params = {static_cast<int64_t>(combine), static_cast<int64_t>(x.dtype),
                    static_cast<int64_t>(indices.dtype)};
  program.ports = {{whole, false},
                   {{indices.dtype, {count}}, false},
                   {{x.dtype, {count, row}}, false},
                   {whole, true}};
  program.routineOps =
      dim::estimate(x.numElements()) + 2 * dim::estimate(count) * dim::estimate(row);
  findDims(program);
  return built;
}

BuiltProgram buildOrderedProgram(const graph::TensorGraph &graph, NodeId node) {
  OpKind kind = graph.kind(node);
  if (isScan(kind)) {
    return scanProgram(graph, node);
  }
  return kind == OpKind::Scatter ? scatterProgram(graph, node) : sortProgram(graph, node);
}

} // namespace zyxc::kernelize

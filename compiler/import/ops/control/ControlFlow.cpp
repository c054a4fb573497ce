// Operators with subgraphs: their table, and If.
#include "compiler/import/ops/control/Control.h"

namespace zyxc::importer {

Expected<std::optional<bool>> knownCondition(OnnxNode &n, GraphValue condition) {
  const TensorType &type = n.g.typeOf(condition);
  if (type.dtype != DType::Bool || type.numElements() != 1) {
    return n.malformed("its condition must be one bool, not {}", toString(type));
  }
  Expected<Tensor> value = n.g.evaluate(condition);
  if (value) {
    return std::optional<bool>(value->asInt(0) != 0);
  }
  if (value.error().code() != ErrorCode::Unsupported) {
    return std::move(value).error();
  }
  return std::optional<bool>();
}

/// Branches of at most so many ops, all elementwise or movements, are computed both: kernels around
/// them take them in, and one element more costs less than a branch of the plan.
static constexpr int64_t cheapOps = 8;

static bool isCheap(const WrittenRegion &region) {
  return region.numOps <= cheapOps && region.isElementwise;
}

/// Both branches, where only the run tells which is taken.
static Expected<std::vector<GraphValue>> bothBranches(OnnxNode &n, const onnx::GraphProto &taken,
                                                      const onnx::GraphProto &other) {
  GraphValue condition = n.g.reshape(n.in(0), {});
  auto write = [&](const onnx::GraphProto &graph) {
    return n.g.region({}, "", [&](std::span<const GraphValue>) { return n.subgraph(graph, {}); });
  };
  ZYXC_ASSIGN(WrittenRegion first, write(taken));
  ZYXC_ASSIGN(WrittenRegion second, write(other));
  if (first.types.size() != second.types.size()) {
    return n.malformed("its branches have {} and {} outputs", first.types.size(),
                       second.types.size());
  }
  for (size_t i = 0; i < first.types.size(); ++i) {
    if (first.types[i] != second.types[i]) {
      return n.unsupported(
          "it gives {} or {}, as its condition says, which only the run tells: make "
          "the condition known (an input: --bind NAME=VALUE) or the types equal",
          toString(first.types[i]), toString(second.types[i]));
    }
  }
  if (!isCheap(first) || !isCheap(second)) {
    return n.g.branch(condition, first, second);
  }
  std::vector<GraphValue> results = n.g.splice(first);
  std::vector<GraphValue> others = n.g.splice(second);
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i].id != others[i].id) {
      GraphValue holds = n.g.broadcast(condition, first.types[i].shape);
      results[i] = n.g.select(holds, results[i], others[i]);
    }
  }
  return results;
}

Status importIf(OnnxNode &n) {
  ZYXC_ASSIGN(const onnx::GraphProto *thenGraph, n.attrGraph("then_branch"));
  ZYXC_ASSIGN(const onnx::GraphProto *elseGraph, n.attrGraph("else_branch"));
  ZYXC_ASSIGN(std::optional<bool> taken, knownCondition(n, n.in(0)));
  std::vector<GraphValue> results;
  if (taken) {
    ZYXC_ASSIGN(results, n.subgraph(*taken ? *thenGraph : *elseGraph, {}));
  } else {
    ZYXC_ASSIGN(results, bothBranches(n, *thenGraph, *elseGraph));
  }
  if (results.size() != n.numOutputs()) {
    return n.malformed("its branch has {} outputs, but {} are named", results.size(),
                       n.numOutputs());
  }
  for (GraphValue value : results) {
    ZYXC_RETURN_IF_ERROR(n.result(value));
  }
  return Status::ok();
}

// An omitted input of a Loop or of the old Scan keeps its place: they check their inputs
// themselves.
static constexpr OnnxOp rows[] = {
    {"If", 1, newest, 1, 1, variadic, openDims, importIf, 0, nullptr, 1},
    {"Loop", 1, newest, 0, variadic, variadic, openDims, importLoop, 1, nullptr, 3},
    {"Scan", 8, 8, 0, variadic, variadic, fixedDims, importBatchedScan},
    {"Scan", 9, newest, 1, variadic, variadic, openDims, importScan},
};

std::span<const OnnxOp> controlFlowOps() {
  return rows;
}

} // namespace zyxc::importer

// Scan: unrolled, or as zyx.loop.
#include "compiler/import/ops/control/Control.h"
#include <algorithm>

namespace zyxc::importer {

namespace {

/// What a Scan's attributes say of one scanned input or output.
struct ScanAxis {
  int64_t axis = 0;
  bool backward = false;
};

} // namespace

static Expected<std::vector<ScanAxis>> scanAxes(OnnxNode &n, const char *axes,
                                                const char *directions, size_t count) {
  std::vector<int64_t> axisOf = n.attrInts(axes, std::vector<int64_t>(count, 0));
  std::vector<int64_t> directionOf = n.attrInts(directions, std::vector<int64_t>(count, 0));
  if (axisOf.size() != count || directionOf.size() != count) {
    return n.malformed("{} and {} must have {} entries", axes, directions, count);
  }
  std::vector<ScanAxis> result;
  result.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    result.push_back({axisOf[i], directionOf[i] != 0});
  }
  return result;
}

namespace {

struct Scan {
  const onnx::GraphProto *body;
  std::vector<ScanAxis> inputAxes, outputAxes;
  size_t numStates;
};

} // namespace

/// The axes of what is scanned, from the front, and how many iterations they make.
static Expected<std::vector<int64_t>> axesOf(OnnxNode &n, const Scan &scan,
                                             std::span<const GraphValue> scanned,
                                             std::optional<int64_t> &trips) {
  std::vector<int64_t> axes;
  for (size_t i = 0; i < scanned.size(); ++i) {
    const Shape &shape = n.g.shapeOf(scanned[i]);
    ZYXC_ASSIGN(int64_t axis, n.axis(scan.inputAxes[i].axis, static_cast<int64_t>(shape.size())));
    axes.push_back(axis);
    int64_t length = shape[static_cast<size_t>(axis)];
    if (trips && !n.g.agree(*trips, length)) {
      return n.malformed("it scans axes of {} and {} elements", dim::toString(*trips),
                         dim::toString(length));
    }
    trips = length;
  }
  return axes;
}

/// The body's outputs: the next states, then what is collected.
static Expected<std::vector<GraphValue>> iterate(OnnxNode &n, const Scan &scan,
                                                 std::span<const GraphValue> arguments) {
  ZYXC_ASSIGN(std::vector<GraphValue> outputs, n.subgraph(*scan.body, arguments));
  size_t needed = scan.numStates + scan.outputAxes.size();
  if (outputs.size() != needed) {
    return n.malformed("its body has {} outputs, but {} are needed", outputs.size(), needed);
  }
  return outputs;
}

/// The last states, then the collected outputs.
static Expected<std::vector<GraphValue>> unroll(OnnxNode &n, const Scan &scan,
                                                std::span<const GraphValue> operands,
                                                std::span<const int64_t> axes, int64_t trips) {
  auto [states, scanned] = std::pair(
      std::vector(operands.begin(), operands.begin() + static_cast<int64_t>(scan.numStates)),
      operands.subspan(scan.numStates));
  std::vector<std::vector<GraphValue>> collected(scan.outputAxes.size());
  for (int64_t trip = 0; trip < trips; ++trip) {
    std::vector<GraphValue> arguments = states;
    for (size_t i = 0; i < scanned.size(); ++i) {
      int64_t at = scan.inputAxes[i].backward ? trips - 1 - trip : trip;
      arguments.push_back(n.g.entry(scanned[i], axes[i], at));
    }
    ZYXC_ASSIGN(std::vector<GraphValue> outputs, iterate(n, scan, arguments));
    std::copy_n(outputs.begin(), states.size(), states.begin());
    for (size_t i = 0; i < collected.size(); ++i) {
      std::vector<GraphValue> &values = collected[i];
      values.insert(scan.outputAxes[i].backward ? values.begin() : values.end(),
                    outputs[states.size() + i]);
    }
  }
  for (size_t i = 0; i < collected.size(); ++i) {
    auto rank = static_cast<int64_t>(n.g.shapeOf(collected[i][0]).size());
    ZYXC_ASSIGN(int64_t axis, n.axis(scan.outputAxes[i].axis, rank + 1));
    states.push_back(n.g.stack(collected[i], axis));
  }
  return states;
}

/// Rows that a loop collected, in the order and along the axis that the node asks for.
static Expected<GraphValue> placed(OnnxNode &n, const ScanAxis &where, GraphValue rows) {
  auto rank = static_cast<int64_t>(n.g.shapeOf(rows).size());
  ZYXC_ASSIGN(int64_t axis, n.axis(where.axis, rank));
  if (where.backward) {
    rows = n.g.op(OpKind::Flip, {rows}, {{"axes", std::vector<int64_t>{0}}});
  }
  std::vector<int64_t> perm(static_cast<size_t>(rank));
  for (int64_t i = 0; i < rank; ++i) {
    perm[static_cast<size_t>(i)] = i == axis ? 0 : i + (i < axis);
  }
  return n.g.permute(rows, std::move(perm));
}

/// The same as unroll, by zyx.loop.
static Expected<std::vector<GraphValue>> writeLoop(OnnxNode &n, const Scan &scan,
                                                   std::span<const GraphValue> operands,
                                                   std::span<const int64_t> axes, int64_t trips) {
  std::span<const GraphValue> states = operands.first(scan.numStates);
  std::span<const GraphValue> scanned = operands.subspan(scan.numStates);
  GraphValue always = n.g.constant(Tensor::scalarInt(DType::Bool, 1));
  std::vector<TensorType> types{{DType::I64, {}}};
  for (GraphValue state : states) {
    types.push_back(n.g.typeOf(state));
  }
  auto body = [&](std::span<const GraphValue> values) -> Expected<std::vector<GraphValue>> {
    std::vector<GraphValue> arguments(values.begin() + 1, values.end());
    for (size_t i = 0; i < scanned.size(); ++i) {
      GraphValue at = values[0];
      if (scan.inputAxes[i].backward) {
        at = n.g.sub(n.g.scalar(DType::I64, Size{dim::sub(trips, 1)}), at);
      }
      arguments.push_back(n.g.gather(scanned[i], at, axes[i]));
    }
    ZYXC_ASSIGN(std::vector<GraphValue> outputs, iterate(n, scan, arguments));
    outputs.insert(outputs.begin(), always);
    return outputs;
  };
  ZYXC_ASSIGN(WrittenRegion region, n.g.region(types, "a value that a Scan carries", body));
  ZYXC_ASSIGN(std::vector<GraphValue> results, n.g.loop(trips, always, states, region));
  for (size_t i = 0; i < scan.outputAxes.size(); ++i) {
    GraphValue &rows = results[scan.numStates + i];
    ZYXC_ASSIGN(rows, placed(n, scan.outputAxes[i], rows));
  }
  ZYXC_RETURN_IF_ERROR(n.g.takeStatus());
  return results;
}

/// Runs a scan over values: the states, then what is scanned. Gives the last states, then the
/// collected outputs.
static Expected<std::vector<GraphValue>> runScan(OnnxNode &n, const Scan &scan,
                                                 std::span<const GraphValue> operands) {
  std::optional<int64_t> trips;
  ZYXC_ASSIGN(std::vector<int64_t> axes, axesOf(n, scan, operands.subspan(scan.numStates), trips));
  bool canUnroll = !dim::isSymbolic(*trips) && *trips >= 1 && *trips <= mostUnrolled;
  if (canUnroll && *trips <= shortLoop) {
    return unroll(n, scan, operands, axes, *trips);
  }
  auto results = writeLoop(n, scan, operands, axes, *trips);
  if (results || !canUnroll || n.g.equality()) {
    return results;
  }
  auto unrolled = unroll(n, scan, operands, axes, *trips);
  return unrolled ? std::move(unrolled) : std::move(results);
}

/// The scan that a node describes; `first` is the first of its inputs.
static Expected<Scan> scanOf(OnnxNode &n, size_t first, const char *directions) {
  ZYXC_ASSIGN(const onnx::GraphProto *body, n.attrGraph("body"));
  int64_t numScanned = n.attrInt("num_scan_inputs", 0);
  auto given = static_cast<int64_t>(n.numInputs() - first);
  int64_t numStates = given - numScanned;
  auto numOutputs = static_cast<int64_t>(n.numOutputs());
  if (numScanned < 1 || numStates < 0 || numOutputs < numStates) {
    return n.malformed("num_scan_inputs {} does not suit {} inputs and {} outputs", numScanned,
                       given, numOutputs);
  }
  for (size_t i = first; i < n.numInputs(); ++i) {
    if (!n.has(i)) {
      return n.malformed("input {} is missing", i);
    }
  }
  Scan scan{body, {}, {}, static_cast<size_t>(numStates)};
  ZYXC_ASSIGN(scan.inputAxes,
              scanAxes(n, "scan_input_axes", directions, static_cast<size_t>(numScanned)));
  ZYXC_ASSIGN(scan.outputAxes, scanAxes(n, "scan_output_axes", "scan_output_directions",
                                        static_cast<size_t>(numOutputs - numStates)));
  return scan;
}

Status importScan(OnnxNode &n) {
  ZYXC_ASSIGN(Scan scan, scanOf(n, 0, "scan_input_directions"));
  std::vector<GraphValue> operands;
  operands.reserve(n.numInputs());
  for (size_t i = 0; i < n.numInputs(); ++i) {
    operands.push_back(n.in(i));
  }
  ZYXC_ASSIGN(std::vector<GraphValue> results, runScan(n, scan, operands));
  for (GraphValue value : results) {
    ZYXC_RETURN_IF_ERROR(n.result(value));
  }
  return Status::ok();
}

Status importBatchedScan(OnnxNode &n) {
  if (n.has(0)) {
    return n.unsupported("lengths of sequences are not supported: convert the model to operator "
                         "set 9 or newer");
  }
  ZYXC_ASSIGN(Scan scan, scanOf(n, 1, "directions"));
  int64_t batch = n.rank(1) > 0 ? n.shape(1)[0] : 0;
  std::vector<std::vector<GraphValue>> results;
  for (int64_t i = 0; i < batch; ++i) {
    std::vector<GraphValue> operands;
    for (size_t k = 1; k < n.numInputs(); ++k) {
      if (n.rank(k) < 1 || n.shape(k)[0] != batch) {
        return n.malformed("input {} has no batch of {}", k, batch);
      }
      operands.push_back(n.g.entry(n.in(k), 0, i));
    }
    ZYXC_ASSIGN(std::vector<GraphValue> outputs, runScan(n, scan, operands));
    results.resize(outputs.size());
    for (size_t k = 0; k < outputs.size(); ++k) {
      results[k].push_back(outputs[k]);
    }
  }
  if (results.empty()) {
    return n.malformed("its batch is empty");
  }
  for (const std::vector<GraphValue> &values : results) {
    ZYXC_RETURN_IF_ERROR(n.result(n.g.stack(values, 0)));
  }
  return Status::ok();
}

} // namespace zyxc::importer

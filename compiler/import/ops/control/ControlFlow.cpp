// Operators with subgraphs: If, Loop, Scan. Loops are unrolled; of an If the branch that is taken
// is imported, or both where only the run tells which.
#include "compiler/import/node/OnnxOp.h"
#include <algorithm>

namespace zyxc::importer {

static constexpr int64_t maxTrips = 1024; ///< iterations of one loop that are unrolled

/// The value of a condition; nothing where it depends on inputs of the run.
static Expected<std::optional<bool>> known(OnnxNode &n, GraphValue condition) {
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

/// x where a condition of one element holds, else y; their types must be equal.
static Expected<GraphValue> choose(OnnxNode &n, GraphValue condition, GraphValue x, GraphValue y) {
  const TensorType type = n.g.typeOf(x);
  if (type != n.g.typeOf(y)) {
    return n.unsupported("it gives {} or {}, as its condition says, which only the run tells: make "
                         "the condition known (an input: --bind NAME=VALUE) or the types equal",
                         toString(type), toString(n.g.typeOf(y)));
  }
  return x.id == y.id ? x : n.g.select(n.g.broadcast(n.g.reshape(condition, {}), type.shape), x, y);
}

static Status ifElse(OnnxNode &n) {
  ZYXC_ASSIGN(const onnx::GraphProto *thenGraph, n.attrGraph("then_branch"));
  ZYXC_ASSIGN(const onnx::GraphProto *elseGraph, n.attrGraph("else_branch"));
  ZYXC_ASSIGN(std::optional<bool> taken, known(n, n.in(0)));
  std::vector<GraphValue> results;
  if (taken) {
    ZYXC_ASSIGN(results, n.subgraph(*taken ? *thenGraph : *elseGraph, {}));
  } else {
    ZYXC_ASSIGN(results, n.subgraph(*thenGraph, {}));
    ZYXC_ASSIGN(std::vector<GraphValue> others, n.subgraph(*elseGraph, {}));
    if (results.size() != others.size()) {
      return n.malformed("its branches have {} and {} outputs", results.size(), others.size());
    }
    for (size_t i = 0; i < results.size(); ++i) {
      ZYXC_ASSIGN(results[i], choose(n, n.in(0), results[i], others[i]));
    }
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

/// How often a Loop runs at most, from its first input.
static Expected<int64_t> tripCount(OnnxNode &n) {
  if (!n.has(0)) {
    return maxTrips;
  }
  ZYXC_ASSIGN(int64_t count, n.constantInt(0, 0));
  if (dim::isSymbolic(count)) {
    return n.unsupported("{} iterations are unrolled: give {}", dim::toString(count),
                         dimRemedy(count));
  }
  return std::max<int64_t>(count, 0);
}

namespace {

/// A Loop while it is unrolled.
struct Unrolled {
  std::vector<GraphValue> carried;
  std::vector<std::vector<GraphValue>> scanned; ///< per output, its values of all iterations
  std::optional<GraphValue> active;             ///< whether it still runs, where only the run tells
  bool ended = false;
};

} // namespace

/// One iteration: the body's outputs are a condition, what is carried, and what is collected.
static Status iterate(OnnxNode &n, const onnx::GraphProto &body, int64_t trip, Unrolled &loop) {
  GraphValue condition = n.g.constant(Tensor::scalarInt(DType::Bool, 1));
  std::vector<GraphValue> arguments{n.g.constant(Tensor::scalarInt(DType::I64, trip)),
                                    loop.active.value_or(condition)};
  arguments.insert(arguments.end(), loop.carried.begin(), loop.carried.end());
  ZYXC_ASSIGN(std::vector<GraphValue> outputs, n.subgraph(body, arguments));
  if (outputs.size() != 1 + loop.carried.size() + loop.scanned.size()) {
    return n.malformed("its body has {} outputs, but {} are needed", outputs.size(),
                       1 + loop.carried.size() + loop.scanned.size());
  }
  for (size_t i = 0; i < loop.carried.size(); ++i) {
    GraphValue next = outputs[1 + i];
    if (loop.active) {
      ZYXC_ASSIGN(next, choose(n, *loop.active, next, loop.carried[i]));
    }
    loop.carried[i] = next;
  }
  for (size_t i = 0; i < loop.scanned.size(); ++i) {
    loop.scanned[i].push_back(outputs[1 + loop.carried.size() + i]);
  }
  ZYXC_ASSIGN(std::optional<bool> goesOn, known(n, outputs[0]));
  loop.ended = goesOn && !*goesOn;
  if (!goesOn) {
    if (!n.has(0) || !loop.scanned.empty()) {
      return n.unsupported(
          "the number of its iterations depends on values of the run, and {}: give "
          "it a length that is known when the model is compiled",
          n.has(0) ? "it collects a result of each" : "there is no largest one");
    }
    GraphValue condition = n.g.reshape(outputs[0], {});
    loop.active = loop.active ? n.g.op(OpKind::And, {*loop.active, condition}) : condition;
  }
  return n.g.takeStatus();
}

static Status loop(OnnxNode &n) {
  ZYXC_ASSIGN(const onnx::GraphProto *body, n.attrGraph("body"));
  ZYXC_ASSIGN(int64_t trips, tripCount(n));
  Unrolled state;
  for (size_t i = 2; i < n.numInputs(); ++i) {
    if (!n.has(i)) {
      return n.malformed("input {} is missing", i);
    }
    state.carried.push_back(n.in(i));
  }
  if (n.numOutputs() < state.carried.size()) {
    return n.malformed("{} outputs are named for {} carried values", n.numOutputs(),
                       state.carried.size());
  }
  state.scanned.resize(n.numOutputs() - state.carried.size());
  if (n.has(1)) {
    ZYXC_ASSIGN(std::optional<bool> starts, known(n, n.in(1)));
    state.ended = starts && !*starts;
    if (!starts) {
      state.active = n.g.reshape(n.in(1), {});
    }
  }
  if (trips > maxTrips && !state.ended) {
    return n.unsupported("{} iterations: at most {} are unrolled", trips, maxTrips);
  }
  if (state.active && (!n.has(0) || !state.scanned.empty())) {
    return n.unsupported("whether it runs at all depends on values of the run: give its condition "
                         "with --bind");
  }
  for (int64_t trip = 0; trip < trips && !state.ended; ++trip) {
    if (!n.has(0) && trip + 1 == maxTrips) {
      return n.unsupported("more than {} iterations: at most those are unrolled", maxTrips);
    }
    ZYXC_RETURN_IF_ERROR(iterate(n, *body, trip, state));
  }
  for (GraphValue value : state.carried) {
    ZYXC_RETURN_IF_ERROR(n.result(value));
  }
  for (const std::vector<GraphValue> &values : state.scanned) {
    if (values.empty()) {
      return n.unsupported("it collects results, but runs no iteration: their shape is unknown");
    }
    ZYXC_RETURN_IF_ERROR(n.result(n.g.stack(values, 0)));
  }
  return Status::ok();
}

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

/// Runs a scan over values: the states, then what is scanned. Gives the last states, then the
/// collected outputs.
static Expected<std::vector<GraphValue>> runScan(OnnxNode &n, const Scan &scan,
                                                 std::span<const GraphValue> operands) {
  std::vector<GraphValue> states(operands.begin(),
                                 operands.begin() + static_cast<int64_t>(scan.numStates));
  std::span<const GraphValue> scanned = operands.subspan(scan.numStates);
  int64_t trips = -1;
  std::vector<int64_t> axes;
  for (size_t i = 0; i < scanned.size(); ++i) {
    const Shape &shape = n.g.shapeOf(scanned[i]);
    ZYXC_ASSIGN(int64_t axis, n.axis(scan.inputAxes[i].axis, static_cast<int64_t>(shape.size())));
    axes.push_back(axis);
    int64_t length = shape[static_cast<size_t>(axis)];
    if (dim::isSymbolic(length)) {
      return n.unsupported("{} iterations are unrolled: give {}", dim::toString(length),
                           dimRemedy(length));
    }
    if (trips >= 0 && trips != length) {
      return n.malformed("it scans axes of {} and {} elements", trips, length);
    }
    trips = length;
  }
  if (trips < 1 || trips > maxTrips) {
    return n.unsupported("{} iterations: 1 to {} are unrolled", trips, maxTrips);
  }
  std::vector<std::vector<GraphValue>> collected(scan.outputAxes.size());
  for (int64_t trip = 0; trip < trips; ++trip) {
    std::vector<GraphValue> arguments = states;
    for (size_t i = 0; i < scanned.size(); ++i) {
      int64_t at = scan.inputAxes[i].backward ? trips - 1 - trip : trip;
      arguments.push_back(n.g.entry(scanned[i], axes[i], at));
    }
    ZYXC_ASSIGN(std::vector<GraphValue> outputs, n.subgraph(*scan.body, arguments));
    if (outputs.size() != states.size() + collected.size()) {
      return n.malformed("its body has {} outputs, but {} are needed", outputs.size(),
                         states.size() + collected.size());
    }
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

static Status scan(OnnxNode &n) {
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

/// Operator set 8: every value has a batch axis in front, and sequences may have lengths.
static Status batchedScan(OnnxNode &n) {
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

// An omitted input of a Loop or of the old Scan keeps its place: they check their inputs
// themselves.
static constexpr OnnxOp rows[] = {
    {"If", 1, newest, 1, 1, variadic, openDims, ifElse, 0, nullptr, 1},
    {"Loop", 1, newest, 0, variadic, variadic, openDims, loop, 1, nullptr, 2},
    {"Scan", 8, 8, 0, variadic, variadic, fixedDims, batchedScan},
    {"Scan", 9, newest, 1, variadic, variadic, openDims, scan},
};

std::span<const OnnxOp> controlFlowOps() {
  return rows;
}

} // namespace zyxc::importer

// Loop: unrolled, or as zyx.loop.
#include "compiler/import/ops/control/Control.h"
#include <algorithm>

namespace zyxc::importer {

namespace {

/// A Loop node.
struct Loop {
  const onnx::GraphProto *body = nullptr;
  std::vector<GraphValue> inits;
  size_t numCollected = 0;
  std::optional<int64_t> count;       ///< a number or a size; none given, or too large: nothing
  std::optional<int64_t> tooLarge;    ///< a count that no run reaches, so that it counts as none
  std::optional<GraphValue> runCount; ///< the count, where only the run tells it
  std::optional<bool> starts;         ///< its first condition, if it is known
  std::vector<GraphValue> results;    ///< once it is written

  /// Most iterations, a number or a size.
  int64_t limit() const { return starts == false ? 0 : count.value_or(manyIterations); }
};

/// How an attempt to unroll a loop ended.
enum class Unrolled : uint8_t { Done, TooLong, OpenEnd };

} // namespace

static Status readCount(OnnxNode &n, Loop &loop) {
  if (!n.has(0)) {
    return Status::ok();
  }
  Expected<int64_t> count = n.constantInt(0, 0);
  if (count) {
    bool isTooLarge = !dim::isSymbolic(*count) && *count > manyIterations;
    (isTooLarge ? loop.tooLarge : loop.count) = dim::max(*count, 0);
    return Status::ok();
  }
  const TensorType &type = n.type(0);
  if (count.error().code() != ErrorCode::Unsupported || type.dtype != DType::I64 ||
      type.numElements() != 1) {
    return std::move(count).error();
  }
  loop.runCount = n.g.reshape(n.in(0), {});
  return Status::ok();
}

static Expected<Loop> loopOf(OnnxNode &n) {
  Loop loop;
  ZYXC_ASSIGN(loop.body, n.attrGraph("body"));
  ZYXC_RETURN_IF_ERROR(readCount(n, loop));
  for (size_t i = 2; i < n.numInputs(); ++i) {
    if (!n.has(i)) {
      return n.malformed("input {} is missing", i);
    }
    loop.inits.push_back(n.in(i));
  }
  if (n.numOutputs() < loop.inits.size()) {
    return n.malformed("{} outputs are named for {} carried values", n.numOutputs(),
                       loop.inits.size());
  }
  loop.numCollected = n.numOutputs() - loop.inits.size();
  loop.starts = true;
  if (n.has(1)) {
    ZYXC_ASSIGN(loop.starts, knownCondition(n, n.in(1)));
  }
  return loop;
}

/// One iteration: the body's outputs are a condition, what is carried, and what is collected.
static Expected<std::vector<GraphValue>> iterate(OnnxNode &n, const Loop &loop, GraphValue i,
                                                 std::span<const GraphValue> carried) {
  std::vector<GraphValue> arguments{i, n.g.constant(Tensor::scalarInt(DType::Bool, 1))};
  arguments.insert(arguments.end(), carried.begin(), carried.end());
  ZYXC_ASSIGN(std::vector<GraphValue> outputs, n.subgraph(*loop.body, arguments));
  size_t needed = 1 + loop.inits.size() + loop.numCollected;
  if (outputs.size() != needed) {
    return n.malformed("its body has {} outputs, but {} are needed", outputs.size(), needed);
  }
  return outputs;
}

/// Writes up to `most` iterations one after another; gives up where the loop goes on beyond them,
/// or where only the run tells whether it does.
static Expected<Unrolled> unroll(OnnxNode &n, Loop &loop, int64_t most) {
  int64_t count = loop.limit();
  if (loop.runCount || !loop.starts || dim::isSymbolic(count)) {
    return Unrolled::OpenEnd;
  }
  if (loop.count && count > most) {
    return Unrolled::TooLong;
  }
  std::vector<GraphValue> carried = loop.inits;
  std::vector<std::vector<GraphValue>> collected(loop.numCollected);
  bool goesOn = true;
  for (int64_t i = 0; i < count && goesOn; ++i) {
    if (i == most) {
      return Unrolled::TooLong;
    }
    GraphValue number = n.g.constant(Tensor::scalarInt(DType::I64, i));
    ZYXC_ASSIGN(std::vector<GraphValue> outputs, iterate(n, loop, number, carried));
    ZYXC_ASSIGN(std::optional<bool> condition, knownCondition(n, outputs[0]));
    if (!condition) {
      return Unrolled::OpenEnd;
    }
    goesOn = *condition;
    std::copy_n(outputs.begin() + 1, carried.size(), carried.begin());
    for (size_t k = 0; k < collected.size(); ++k) {
      collected[k].push_back(outputs[1 + carried.size() + k]);
    }
    ZYXC_RETURN_IF_ERROR(n.g.takeStatus());
  }
  for (const std::vector<GraphValue> &rows : collected) {
    if (rows.empty()) {
      return Unrolled::OpenEnd; // their shapes follow from the body: zyx.loop collects no row
    }
    carried.push_back(n.g.stack(rows, 0));
  }
  loop.results = std::move(carried);
  return Unrolled::Done;
}

/// The condition under which an iteration follows: its own, and that the count is not reached.
static Expected<GraphValue> conditionOf(OnnxNode &n, const Loop &loop, GraphValue own,
                                        GraphValue next) {
  ZYXC_ASSIGN(std::optional<bool> isKnown, knownCondition(n, own));
  if (isKnown != true && loop.numCollected > 0) {
    return n.unsupported("it collects a result of each iteration, but only the run tells how many "
                         "there are: give it a count that is known, and no other end");
  }
  GraphValue condition = n.g.reshape(own, {});
  return loop.runCount
             ? n.g.op(OpKind::And, {condition, n.g.op(OpKind::Lt, {next, *loop.runCount})})
             : condition;
}

/// Writes the loop as zyx.loop.
static Status writeLoop(OnnxNode &n, Loop &loop) {
  auto integer = [&](int64_t value) {
    return n.g.constant(Tensor::scalarInt(DType::I64, value));
  };
  GraphValue always = n.g.constant(Tensor::scalarInt(DType::Bool, 1));
  if (loop.numCollected > 0 && !(loop.count || loop.starts == false)) {
    return n.unsupported("it collects a result of each iteration, but {}: give it a count that is "
                         "known when the model is compiled",
                         loop.runCount ? "only the run tells how many there are"
                                       : "there is no largest number of them");
  }
  std::vector<TensorType> arguments{{DType::I64, {}}};
  for (GraphValue init : loop.inits) {
    arguments.push_back(n.g.typeOf(init));
  }
  auto body = [&](std::span<const GraphValue> values) -> Expected<std::vector<GraphValue>> {
    ZYXC_ASSIGN(std::vector<GraphValue> outputs, iterate(n, loop, values[0], values.subspan(1)));
    ZYXC_ASSIGN(std::optional<bool> goesOn, knownCondition(n, outputs[0]));
    if (goesOn == true && !loop.count && !loop.runCount) {
      std::string count =
          loop.tooLarge ? fmt::format("its count of {} is over the limit of 2^48", *loop.tooLarge)
                        : "it has no count";
      return n.unsupported("it never ends: {}, and its condition always holds", count);
    }
    ZYXC_ASSIGN(outputs[0], conditionOf(n, loop, outputs[0], n.g.add(values[0], integer(1))));
    return outputs;
  };
  ZYXC_ASSIGN(WrittenRegion region, n.g.region(arguments, "a value that a Loop carries", body));
  GraphValue first = n.has(1) ? n.in(1) : always;
  if (loop.starts != false) {
    ZYXC_ASSIGN(first, conditionOf(n, loop, first, integer(0)));
  }
  ZYXC_ASSIGN(loop.results, n.g.loop(loop.limit(), n.g.reshape(first, {}), loop.inits, region));
  return n.g.takeStatus();
}

/// Writes the loop in the first way that fits.
static Status write(OnnxNode &n, Loop &loop) {
  ZYXC_ASSIGN(Unrolled attempt, unroll(n, loop, shortLoop));
  if (attempt == Unrolled::Done) {
    return Status::ok();
  }
  Status written = writeLoop(n, loop);
  if (written.isOk() || attempt == Unrolled::OpenEnd || n.g.equality()) {
    return written;
  }
  ZYXC_ASSIGN(attempt, unroll(n, loop, mostUnrolled));
  return attempt == Unrolled::Done ? Status::ok() : written;
}

Status importLoop(OnnxNode &n) {
  ZYXC_ASSIGN(Loop loop, loopOf(n));
  ZYXC_RETURN_IF_ERROR(write(n, loop));
  for (GraphValue value : loop.results) {
    ZYXC_RETURN_IF_ERROR(n.result(value));
  }
  return Status::ok();
}

} // namespace zyxc::importer

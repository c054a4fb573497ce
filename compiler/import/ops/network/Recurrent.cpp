// Recurrent layers: RNN, GRU and LSTM. The products with the inputs of all steps are one; each step
// adds that with its state. Few steps are unrolled, many are a loop.
#include "compiler/import/node/OnnxOp.h"
#include "compiler/import/ops/elementwise/Activation.h"
#include <algorithm>

namespace zyxc::importer {

/// Steps that are unrolled. An LSTM of 4 steps compiles in a third of the time as a loop and runs
/// as fast; unrolled ones of 16 steps take seconds to compile (docs/benchmarks.md).
static constexpr int64_t fewSteps = 4;

namespace {

/// The sizes of a layer.
struct Sizes {
  int64_t steps, batch, input, hidden, directions, gates;
};

/// The state between steps: h, and c of an LSTM, each [batch, hidden].
struct State {
  GraphValue h, c;
};

/// What one direction computes with, taken from the node's operands.
struct Direction {
  GraphValue projected;     ///< X W^T + bias of all steps, [steps, batch, gates * hidden]
  GraphValue recurrence;    ///< R^T, [hidden, gates * hidden]
  GraphValue recurrentBias; ///< that of the state's product, [gates * hidden]
  std::optional<GraphValue> peepholes; ///< [3 * hidden]
  std::span<const CellActivation> functions;
  bool backward = false; ///< from the last step to the first
};

class RecurrentLayer;
using StepFunction = State (RecurrentLayer::*)(const Direction &, GraphValue, State);

/// What a direction gives: the shown h of all steps, [steps, batch, hidden], and the last state.
struct Outcome {
  GraphValue sequence;
  State last;
};

class RecurrentLayer {
public:
  RecurrentLayer(OnnxNode &node, Sizes sizes, std::vector<CellActivation> functions)
      : n(node), g(node.g), sizes(sizes), functions(std::move(functions)),
        batchFirst(node.attrInt("layout", 0) != 0), dtype(node.type(0).dtype) {}

  Status write(StepFunction step);

  State rnn(const Direction &d, GraphValue x, State s);
  State gru(const Direction &d, GraphValue x, State s);
  State lstm(const Direction &d, GraphValue x, State s);

private:
  /// Columns [gate * hidden, (gate + count) * hidden) of a row per batch entry.
  GraphValue gate(GraphValue rows, int64_t gate, int64_t count = 1) const;
  /// Entry i of the first axis of x.
  GraphValue entry(GraphValue x, int64_t i) const { return g.entry(x, 0, i); }
  GraphValue activate(const CellActivation &function, GraphValue x) const;
  GraphValue stateProduct(const Direction &d, GraphValue h) const {
    return g.op(OpKind::Matmul, {h, d.recurrence});
  }
  Direction direction(GraphValue x, int64_t i) const;
  State initialState(int64_t i) const;
  GraphValue bounded(const Direction &d, StepFunction step, GraphValue at, GraphValue x,
                     State &state);
  Expected<Outcome> unroll(const Direction &d, StepFunction step, State state);
  Expected<Outcome> loop(const Direction &d, StepFunction step, State state);
  GraphValue reordered(std::span<const GraphValue> perDirection, bool withSteps) const;

  OnnxNode &n;
  GraphWriter &g;
  const Sizes sizes;
  const std::vector<CellActivation> functions;
  const bool batchFirst;
  const DType dtype;
};

} // namespace

GraphValue RecurrentLayer::gate(GraphValue rows, int64_t gate, int64_t count) const {
  int64_t axis = static_cast<int64_t>(g.shapeOf(rows).size()) - 1;
  return g.slice(rows, axis, gate * sizes.hidden, count * sizes.hidden);
}

/// Clipped, if the node says so, then the function.
GraphValue RecurrentLayer::activate(const CellActivation &function, GraphValue x) const {
  if (n.hasAttr("clip")) {
    double bound = n.attrFloat("clip", 0);
    x = g.binary(OpKind::Max, g.binary(OpKind::Min, x, bound), -bound);
  }
  return function(g, x);
}

State RecurrentLayer::rnn(const Direction &d, GraphValue x, State s) {
  return {activate(d.functions[0], g.add(x, g.add(stateProduct(d, s.h), d.recurrentBias))), {}};
}

/// Gates z, r, h.
State RecurrentLayer::gru(const Direction &d, GraphValue x, State s) {
  bool linearFirst = n.attrInt("linear_before_reset", 0) != 0;
  GraphValue candidate, update, reset;
  auto gates = [&](GraphValue product) {
    GraphValue both = g.add(gate(x, 0, 2), g.add(product, gate(d.recurrentBias, 0, 2)));
    both = activate(d.functions[0], both);
    update = gate(both, 0);
    reset = gate(both, 1);
  };
  if (linearFirst) {
    GraphValue product = stateProduct(d, s.h);
    gates(gate(product, 0, 2));
    GraphValue inner = g.add(gate(product, 2), gate(d.recurrentBias, 2));
    candidate = g.add(gate(x, 2), g.mul(reset, inner));
  } else {
    gates(g.op(OpKind::Matmul, {s.h, gate(d.recurrence, 0, 2)}));
    GraphValue inner = g.op(OpKind::Matmul, {g.mul(reset, s.h), gate(d.recurrence, 2)});
    candidate = g.add(gate(x, 2), g.add(inner, gate(d.recurrentBias, 2)));
  }
  candidate = activate(d.functions[1], candidate);
  // (1 - z) h~ + z h
  GraphValue rest = g.sub(g.like(update, 1), update);
  return {g.add(g.mul(rest, candidate), g.mul(update, s.h)), {}};
}

/// Gates i, o, f, c; peepholes i, o, f.
State RecurrentLayer::lstm(const Direction &d, GraphValue x, State s) {
  GraphValue sum = g.add(x, g.add(stateProduct(d, s.h), d.recurrentBias));
  auto gateOf = [&](int64_t i, GraphValue cell) {
    GraphValue value = gate(sum, i);
    if (d.peepholes) {
      value = g.add(value, g.mul(cell, gate(*d.peepholes, i)));
    }
    return activate(d.functions[0], value);
  };
  GraphValue in = gateOf(0, s.c);
  GraphValue forget = n.attrInt("input_forget", 0) ? g.sub(g.like(in, 1), in) : gateOf(2, s.c);
  GraphValue candidate = activate(d.functions[1], gate(sum, 3));
  GraphValue cell = g.add(g.mul(forget, s.c), g.mul(in, candidate));
  GraphValue out = gateOf(1, cell);
  // As ONNX Runtime does, clip bounds what the gates get, not the cell.
  return {g.mul(out, d.functions[2](g, cell)), cell};
}

Direction RecurrentLayer::direction(GraphValue x, int64_t i) const {
  int64_t width = sizes.gates * sizes.hidden;
  GraphValue weights = g.permute(entry(n.in(1), i), {1, 0});
  GraphValue rows = g.reshape(x, {dim::mul(sizes.steps, sizes.batch), sizes.input});
  GraphValue projected = g.op(OpKind::Matmul, {rows, weights});
  projected = g.reshape(projected, {sizes.steps, sizes.batch, width});
  GraphValue recurrentBias = g.splat(dtype, {width}, 0);
  if (n.has(3)) {
    GraphValue bias = entry(n.in(3), i);
    projected = g.add(projected, g.narrow(bias, {0}, {width}, {1}));
    recurrentBias = g.narrow(bias, {width}, {width}, {1});
  }
  auto perDirection = static_cast<int64_t>(functions.size()) / sizes.directions;
  auto first = static_cast<size_t>(i * perDirection);
  Direction result{projected,
                   g.permute(entry(n.in(2), i), {1, 0}),
                   recurrentBias,
                   {},
                   std::span(functions).subspan(first, static_cast<size_t>(perDirection))};
  if (n.has(7)) {
    result.peepholes = entry(n.in(7), i);
  }
  return result;
}

State RecurrentLayer::initialState(int64_t i) const {
  auto read = [&](size_t input) {
    if (!n.has(input)) {
      return g.splat(dtype, {sizes.batch, sizes.hidden}, 0);
    }
    return entry(batchFirst ? g.permute(n.in(input), {1, 0, 2}) : n.in(input), i);
  };
  return {read(5), sizes.gates == 4 ? read(6) : GraphValue()};
}

/// Joins the results of the directions and puts the axes where `layout` says:
/// [steps, batch, hidden] to Y, [batch, hidden] to Y_h.
GraphValue RecurrentLayer::reordered(std::span<const GraphValue> perDirection,
                                     bool withSteps) const {
  GraphValue all = g.stack(perDirection, withSteps ? 1 : 0);
  if (!batchFirst) {
    return all;
  }
  return g.permute(all,
                   withSteps ? std::vector<int64_t>{2, 0, 1, 3} : std::vector<int64_t>{1, 0, 2});
}

/// One step: the state becomes the next one, of step number `at`; what is shown of it. Beyond the
/// end of a sequence its state stays, and 0 is shown.
GraphValue RecurrentLayer::bounded(const Direction &d, StepFunction step, GraphValue at,
                                   GraphValue x, State &state) {
  State next = (this->*step)(d, x, state);
  GraphValue shown = next.h;
  if (n.has(4)) {
    GraphValue number = g.broadcast(g.cast(at, n.type(4).dtype), {sizes.batch});
    GraphValue within = g.op(OpKind::Gt, {n.in(4), number});
    within = g.broadcast(g.reshape(within, {sizes.batch, 1}), {sizes.batch, sizes.hidden});
    shown = g.select(within, next.h, g.like(next.h, 0));
    next.h = g.select(within, next.h, state.h);
    next.c = sizes.gates == 4 ? g.select(within, next.c, state.c) : next.c;
  }
  state = next;
  return shown;
}

Expected<Outcome> RecurrentLayer::unroll(const Direction &d, StepFunction step, State state) {
  std::vector<GraphValue> outputs(static_cast<size_t>(sizes.steps));
  for (int64_t k = 0; k < sizes.steps; ++k) {
    int64_t at = d.backward ? sizes.steps - 1 - k : k;
    GraphValue number = g.constant(Tensor::scalarInt(DType::I64, at));
    GraphValue shown = bounded(d, step, number, entry(d.projected, at), state);
    outputs[static_cast<size_t>(at)] = g.reshape(shown, {1, sizes.batch, sizes.hidden});
    ZYXC_RETURN_IF_ERROR(g.takeStatus());
  }
  return Outcome{g.concat(outputs, 0), state};
}

Expected<Outcome> RecurrentLayer::loop(const Direction &d, StepFunction step, State state) {
  GraphValue always = g.constant(Tensor::scalarInt(DType::Bool, 1));
  const bool hasCell = sizes.gates == 4;
  std::vector<GraphValue> inits{state.h};
  std::vector<TensorType> types{{DType::I64, {}}, g.typeOf(state.h)};
  if (hasCell) {
    inits.push_back(state.c);
    types.push_back(g.typeOf(state.c));
  }
  auto body = [&](std::span<const GraphValue> values) -> Expected<std::vector<GraphValue>> {
    GraphValue at = values[0];
    if (d.backward) {
      at = g.sub(g.scalar(DType::I64, Size{dim::sub(sizes.steps, 1)}), at);
    }
    State now{values[1], hasCell ? values[2] : GraphValue()};
    GraphValue shown = bounded(d, step, at, g.gather(d.projected, at, 0), now);
    return hasCell ? std::vector{always, now.h, now.c, shown} : std::vector{always, now.h, shown};
  };
  ZYXC_ASSIGN(WrittenRegion region, g.region(types, "the state of a recurrent layer", body));
  ZYXC_ASSIGN(std::vector<GraphValue> results, g.loop(sizes.steps, always, inits, region));
  GraphValue sequence = results.back();
  if (d.backward) {
    sequence = g.op(OpKind::Flip, {sequence}, {{"axes", std::vector<int64_t>{0}}});
  }
  return Outcome{sequence, {results[0], hasCell ? results[1] : GraphValue()}};
}

Status RecurrentLayer::write(StepFunction step) {
  GraphValue x = batchFirst ? g.permute(n.in(0), {1, 0, 2}) : n.in(0);
  bool isReverse = n.attrString("direction", "forward") == "reverse";
  std::vector<GraphValue> sequences, lastH, lastC;
  for (int64_t i = 0; i < sizes.directions; ++i) {
    Direction d = direction(x, i);
    d.backward = isReverse || i == 1;
    bool isShort = !dim::isSymbolic(sizes.steps) && sizes.steps >= 1 && sizes.steps <= fewSteps;
    ZYXC_ASSIGN(Outcome outcome,
                isShort ? unroll(d, step, initialState(i)) : loop(d, step, initialState(i)));
    sequences.push_back(outcome.sequence);
    lastH.push_back(outcome.last.h);
    lastC.push_back(outcome.last.c);
  }
  ZYXC_RETURN_IF_ERROR(n.result(reordered(sequences, true)));
  ZYXC_RETURN_IF_ERROR(n.result(reordered(lastH, false)));
  return sizes.gates == 4 ? n.result(reordered(lastC, false)) : Status::ok();
}

/// The sizes, with every operand checked against them.
static Expected<Sizes> sizesOf(OnnxNode &n, int64_t gates) {
  std::string direction = n.attrString("direction", "forward");
  if (direction != "forward" && direction != "reverse" && direction != "bidirectional") {
    return n.malformed("direction must be forward, reverse or bidirectional, not '{}'", direction);
  }
  if (n.rank(0) != 3 || n.rank(1) != 3 || n.rank(2) != 3) {
    return n.malformed("X, W and R need 3 axes, not shapes {}, {} and {}", shapeText(n.shape(0)),
                       shapeText(n.shape(1)), shapeText(n.shape(2)));
  }
  bool batchFirst = n.attrInt("layout", 0) != 0;
  Sizes s{n.shape(0)[batchFirst ? 1 : 0],
          n.shape(0)[batchFirst ? 0 : 1],
          n.shape(0)[2],
          n.shape(2)[2],
          direction == "bidirectional" ? 2 : 1,
          gates};
  Shape state =
      batchFirst ? Shape{s.batch, s.directions, s.hidden} : Shape{s.directions, s.batch, s.hidden};
  if (dim::isSymbolic(s.hidden)) {
    return n.unsupported("its gates are {} wide: give {}", dim::toString(s.hidden),
                         dimRemedy(s.hidden));
  }
  int64_t width = gates * s.hidden;
  const std::pair<size_t, Shape> wanted[] = {{1, {s.directions, width, s.input}},
                                             {2, {s.directions, width, s.hidden}},
                                             {3, {s.directions, 2 * width}},
                                             {4, {s.batch}},
                                             {5, state},
                                             {6, state},
                                             {7, {s.directions, 3 * s.hidden}}};
  for (const auto &[i, shape] : wanted) {
    if (n.has(i) && !n.g.agree(n.shape(i), shape)) {
      return n.malformed("input {} has shape {}, but {} is needed", i, shapeText(n.shape(i)),
                         shapeText(shape));
    }
  }
  if (n.attrInt("hidden_size", s.hidden) != s.hidden) {
    return n.malformed("hidden_size is {}, but R has {}", n.attrInt("hidden_size", 0), s.hidden);
  }
  return s;
}

/// Defaults are the functions of one direction.
static Expected<RecurrentLayer> layerOf(OnnxNode &n, int64_t gates,
                                        const std::vector<std::string> &defaults) {
  ZYXC_ASSIGN(Sizes sizes, sizesOf(n, gates));
  std::vector<std::string> names = defaults;
  if (sizes.directions == 2) {
    names.insert(names.end(), defaults.begin(), defaults.end());
  }
  std::vector<std::string> given = n.attrStrings("activations", names);
  if (given.size() < names.size()) {
    return n.malformed("{} activations are named, but {} are needed", given.size(), names.size());
  }
  given.resize(names.size()); // the schema's default of RNN names two for one direction
  ZYXC_ASSIGN(std::vector<CellActivation> functions, cellActivations(n, std::move(given)));
  return RecurrentLayer(n, sizes, std::move(functions));
}

static Status rnn(OnnxNode &n) {
  ZYXC_ASSIGN(RecurrentLayer layer, layerOf(n, 1, {"Tanh"}));
  return layer.write(&RecurrentLayer::rnn);
}

static Status gru(OnnxNode &n) {
  ZYXC_ASSIGN(RecurrentLayer layer, layerOf(n, 3, {"Sigmoid", "Tanh"}));
  return layer.write(&RecurrentLayer::gru);
}

static Status lstm(OnnxNode &n) {
  ZYXC_ASSIGN(RecurrentLayer layer, layerOf(n, 4, {"Sigmoid", "Tanh", "Tanh"}));
  return layer.write(&RecurrentLayer::lstm);
}

static constexpr OnnxOp rows[] = {
    {"GRU", 7, newest, 3, 6, 2, openDims, gru},
    {"LSTM", 7, newest, 3, 8, 3, openDims, lstm},
    {"RNN", 7, newest, 3, 6, 2, openDims, rnn},
};

std::span<const OnnxOp> recurrentOps() {
  return rows;
}

} // namespace zyxc::importer

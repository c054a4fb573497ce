// One step of an optimizer: Adagrad, Adam, Momentum. Inputs are the rate, the number of the step,
// then all variables, all gradients, and all tensors of each kind of state.
#include "compiler/import/node/OnnxOp.h"

namespace zyxc::importer {

namespace {

/// What one variable is updated from.
struct Variable {
  GraphValue value, gradient;
  std::vector<GraphValue> states;
};

/// The node's scalars and its variables.
struct Step {
  GraphValue rate, count;
  std::vector<Variable> variables;
};

} // namespace

/// Variables with `numStates` states each; the gradient has the regularization added.
static Expected<Step> stepOf(OnnxNode &n, size_t numStates) {
  GraphWriter &g = n.g;
  size_t kinds = 2 + numStates, given = n.numInputs() - 2;
  if (given == 0 || given % kinds != 0 || n.type(0).numElements() != 1 ||
      n.type(1).numElements() != 1) {
    return n.malformed("{} inputs: a rate, a count and {} tensors for each variable are needed",
                       n.numInputs(), kinds);
  }
  size_t count = given / kinds;
  if (n.numOutputs() != count * (1 + numStates)) {
    return n.malformed("{} outputs are named for {} variables", n.numOutputs(), count);
  }
  Step step{g.reshape(n.in(0), {}), g.reshape(n.in(1), {}), {}};
  double norm = n.attrFloat("norm_coefficient", 0);
  for (size_t i = 0; i < count; ++i) {
    for (size_t kind = 1; kind < kinds; ++kind) {
      if (n.type(2 + i) != n.type(2 + kind * count + i)) {
        return n.malformed("variable {} and its tensor {} differ in type", toString(n.type(2 + i)),
                           toString(n.type(2 + kind * count + i)));
      }
    }
    Variable variable{n.in(2 + i), n.in(2 + count + i), {}};
    if (norm != 0) {
      variable.gradient = g.add(g.mul(variable.value, norm), variable.gradient);
    }
    for (size_t kind = 2; kind < kinds; ++kind) {
      variable.states.push_back(n.in(2 + kind * count + i));
    }
    step.variables.push_back(std::move(variable));
  }
  return step;
}

/// All new values, then all new states of each kind.
static Status finish(OnnxNode &n, const std::vector<std::vector<GraphValue>> &results) {
  for (const std::vector<GraphValue> &kind : results) {
    for (GraphValue value : kind) {
      ZYXC_RETURN_IF_ERROR(n.result(value));
    }
  }
  return Status::ok();
}

static Status adagrad(OnnxNode &n) {
  GraphWriter &g = n.g;
  ZYXC_ASSIGN(Step step, stepOf(n, 1));
  DType dtype = g.dtypeOf(step.rate);
  GraphValue decay = g.mul(g.cast(step.count, dtype), n.attrFloat("decay_factor", 0));
  GraphValue rate = g.div(step.rate, g.add(decay, 1.0));
  std::vector<std::vector<GraphValue>> results(2);
  for (const Variable &v : step.variables) {
    GraphValue squares = g.add(v.states[0], g.mul(v.gradient, v.gradient));
    GraphValue root = g.add(g.op(OpKind::Sqrt, {squares}), n.attrFloat("epsilon", 1e-6));
    GraphValue change = g.div(g.mul(g.cast(rate, g.dtypeOf(v.value)), v.gradient), root);
    results[0].push_back(g.sub(v.value, change));
    results[1].push_back(squares);
  }
  return finish(n, results);
}

/// rate sqrt(1 - beta^T) / (1 - alpha^T) after the first step.
static GraphValue adamRate(OnnxNode &n, const Step &step, double alpha, double beta) {
  GraphWriter &g = n.g;
  DType dtype = g.dtypeOf(step.rate);
  GraphValue count = g.cast(step.count, dtype);
  auto rest = [&](double base) {
    GraphValue power = g.op(OpKind::Pow, {g.like(count, base), count});
    return g.sub(g.like(count, 1), power);
  };
  GraphValue adjusted = g.div(g.mul(step.rate, g.op(OpKind::Sqrt, {rest(beta)})), rest(alpha));
  return g.select(g.binary(OpKind::Gt, count, 0.0), adjusted, step.rate);
}

static Status adam(OnnxNode &n) {
  GraphWriter &g = n.g;
  ZYXC_ASSIGN(Step step, stepOf(n, 2));
  double alpha = n.attrFloat("alpha", 0.9), beta = n.attrFloat("beta", 0.999);
  double post = n.attrFloat("norm_coefficient_post", 0);
  GraphValue rate = adamRate(n, step, alpha, beta);
  std::vector<std::vector<GraphValue>> results(3);
  for (const Variable &v : step.variables) {
    GraphValue mean = g.add(g.mul(v.states[0], alpha), g.mul(v.gradient, 1 - alpha));
    GraphValue square = g.mul(v.gradient, v.gradient);
    GraphValue squares = g.add(g.mul(v.states[1], beta), g.mul(square, 1 - beta));
    GraphValue root = g.add(g.op(OpKind::Sqrt, {squares}), n.attrFloat("epsilon", 1e-6));
    GraphValue change = g.div(g.mul(g.cast(rate, g.dtypeOf(v.value)), mean), root);
    GraphValue value = g.sub(v.value, change);
    results[0].push_back(post == 0 ? value : g.mul(value, 1 - post));
    results[1].push_back(mean);
    results[2].push_back(squares);
  }
  return finish(n, results);
}

static Status momentum(OnnxNode &n) {
  GraphWriter &g = n.g;
  ZYXC_ASSIGN(Step step, stepOf(n, 1));
  std::string mode = n.attrString("mode", "");
  if (mode != "standard" && mode != "nesterov") {
    return n.malformed("mode must be standard or nesterov, not '{}'", mode);
  }
  double alpha = n.attrFloat("alpha", 0), beta = n.attrFloat("beta", 0);
  GraphValue started = g.binary(OpKind::Gt, step.count, 0.0);
  std::vector<std::vector<GraphValue>> results(2);
  for (const Variable &v : step.variables) {
    DType dtype = g.dtypeOf(v.value);
    GraphValue share = g.select(started, g.splat(dtype, {}, beta), g.splat(dtype, {}, 1));
    GraphValue velocity = g.add(g.mul(v.states[0], alpha), g.mul(share, v.gradient));
    GraphValue direction =
        mode == "nesterov" ? g.add(v.gradient, g.mul(velocity, alpha)) : velocity;
    results[0].push_back(g.sub(v.value, g.mul(g.cast(step.rate, dtype), direction)));
    results[1].push_back(velocity);
  }
  return finish(n, results);
}

static constexpr OnnxOp rows[] = {
    {"ai.onnx.preview.training.Adagrad", 1, newest, 3, variadic, variadic, fixedDims, adagrad},
    {"ai.onnx.preview.training.Adam", 1, newest, 3, variadic, variadic, fixedDims, adam},
    {"ai.onnx.preview.training.Momentum", 1, newest, 3, variadic, variadic, fixedDims, momentum},
};

std::span<const OnnxOp> optimizerOps() {
  return rows;
}

} // namespace zyxc::importer

// Activation functions, written in elementary ones. Formulas are those of the ONNX operator
// specification, arranged so that no intermediate value overflows.
#include "compiler/import/ops/elementwise/Activation.h"
#include "compiler/import/node/OnnxOp.h"
#include <algorithm>
#include <cmath>

namespace zyxc::importer {

static GraphValue relu(GraphWriter &g, GraphValue x) {
  return g.binary(OpKind::Max, x, 0.0);
}

GraphValue sigmoid(GraphWriter &g, GraphValue x) {
  return g.op(OpKind::Recip, {g.add(g.op(OpKind::Exp, {g.op(OpKind::Neg, {x})}), 1.0)});
}

/// log(1 + e^x) as max(x, 0) + log1p(e^-|x|).
GraphValue softplus(GraphWriter &g, GraphValue x) {
  GraphValue decay = g.op(OpKind::Exp, {g.op(OpKind::Neg, {g.op(OpKind::Abs, {x})})});
  return g.add(relu(g, x), g.op(OpKind::Log1p, {decay}));
}

/// `below` where x < 0, else x.
static GraphValue belowZero(GraphWriter &g, GraphValue x, GraphValue below) {
  return g.select(g.binary(OpKind::Lt, x, 0.0), below, x);
}

/// x clamped to [0, 1].
static GraphValue clampToUnit(GraphWriter &g, GraphValue x) {
  return g.binary(OpKind::Max, g.binary(OpKind::Min, x, 1.0), 0.0);
}

static Status relu(OnnxNode &n) {
  return n.result(relu(n.g, n.in(0)));
}
static Status sigmoid(OnnxNode &n) {
  return n.result(sigmoid(n.g, n.in(0)));
}
static Status softplus(OnnxNode &n) {
  return n.result(softplus(n.g, n.in(0)));
}

static GraphValue leakyRelu(GraphWriter &g, GraphValue x, double alpha) {
  return belowZero(g, x, g.mul(x, alpha));
}
static GraphValue elu(GraphWriter &g, GraphValue x, double alpha) {
  return belowZero(g, x, g.mul(g.op(OpKind::Expm1, {x}), alpha));
}
static GraphValue hardSigmoid(GraphWriter &g, GraphValue x, double alpha, double beta) {
  return clampToUnit(g, g.add(g.mul(x, alpha), beta));
}
static GraphValue softsign(GraphWriter &g, GraphValue x) {
  return g.div(x, g.add(g.op(OpKind::Abs, {x}), 1.0));
}
static GraphValue thresholdedRelu(GraphWriter &g, GraphValue x, double alpha) {
  return g.select(g.binary(OpKind::Gt, x, alpha), x, g.like(x, 0));
}

static Status leakyRelu(OnnxNode &n) {
  return n.result(leakyRelu(n.g, n.in(0), n.attrFloat("alpha", 0.01)));
}

static Status prelu(OnnxNode &n) {
  GraphValue x = n.in(0);
  GraphValue slope = n.in(1);
  // Before operator set 7 a vector of slopes belongs to axis 1.
  if (n.opset < 7 && n.rank(1) == 1 && n.shape(1)[0] != 1 && n.rank(0) > 1) {
    slope = n.g.alongAxis(slope, 1, n.rank(0));
  }
  return n.result(belowZero(n.g, x, n.g.mul(x, n.g.broadcast(slope, n.shape(0)))));
}

static Status elu(OnnxNode &n) {
  return n.result(elu(n.g, n.in(0), n.attrFloat("alpha", 1.0)));
}

static Status selu(OnnxNode &n) {
  bool old = n.opset < 6;
  double alpha = n.attrFloat("alpha", old ? 1.6732 : 1.67326319217681884765625);
  double gamma = n.attrFloat("gamma", old ? 1.0507 : 1.05070102214813232421875);
  GraphValue x = n.in(0);
  GraphValue below = n.g.mul(n.g.op(OpKind::Expm1, {x}), alpha);
  return n.result(n.g.mul(belowZero(n.g, x, below), gamma));
}

static Status celu(OnnxNode &n) {
  double alpha = n.attrFloat("alpha", 1.0);
  GraphValue x = n.in(0);
  GraphValue scaled = n.g.binary(OpKind::Div, x, alpha);
  return n.result(belowZero(n.g, x, n.g.mul(n.g.op(OpKind::Expm1, {scaled}), alpha)));
}

static Status hardSigmoid(OnnxNode &n) {
  return n.result(hardSigmoid(n.g, n.in(0), n.attrFloat("alpha", 0.2), n.attrFloat("beta", 0.5)));
}

static Status hardSwish(OnnxNode &n) {
  GraphValue x = n.in(0);
  GraphValue line = n.g.add(n.g.mul(x, 1.0 / 6.0), 0.5);
  return n.result(n.g.mul(x, clampToUnit(n.g, line)));
}

static Status mish(OnnxNode &n) {
  GraphValue x = n.in(0);
  return n.result(n.g.mul(x, n.g.op(OpKind::Tanh, {softplus(n.g, x)})));
}

static Status swish(OnnxNode &n) {
  GraphValue x = n.in(0);
  double alpha = n.attrFloat("alpha", 1.0);
  return n.result(n.g.mul(x, sigmoid(n.g, alpha == 1.0 ? x : n.g.mul(x, alpha))));
}

static Status softsign(OnnxNode &n) {
  return n.result(softsign(n.g, n.in(0)));
}

static Status gelu(OnnxNode &n) {
  std::string approximate = n.attrString("approximate", "none");
  if (approximate != "none" && approximate != "tanh") {
    return n.malformed("approximate must be none or tanh, not '{}'", approximate);
  }
  GraphWriter &g = n.g;
  GraphValue x = n.in(0);
  GraphValue inner;
  if (approximate == "none") {
    inner = g.op(OpKind::Erf, {g.mul(x, std::sqrt(0.5))});
  } else {
    GraphValue cube = g.mul(g.mul(g.mul(x, x), x), 0.044715);
    inner = g.op(OpKind::Tanh, {g.mul(g.add(x, cube), std::sqrt(2.0 / M_PI))});
  }
  return n.result(g.mul(g.mul(x, 0.5), g.add(inner, 1.0)));
}

static Status shrink(OnnxNode &n) {
  double lambd = n.attrFloat("lambd", 0.5);
  double bias = n.attrFloat("bias", 0.0);
  GraphWriter &g = n.g;
  GraphValue x = n.in(0);
  GraphValue middleOrUp = g.select(g.binary(OpKind::Gt, x, lambd), g.add(x, -bias), g.like(x, 0));
  return n.result(g.select(g.binary(OpKind::Lt, x, -lambd), g.add(x, bias), middleOrUp));
}

static Status thresholdedRelu(OnnxNode &n) {
  return n.result(thresholdedRelu(n.g, n.in(0), n.attrFloat("alpha", 1.0)));
}

GraphValue CellActivation::operator()(GraphWriter &g, GraphValue x) const {
  switch (kind) {
  case Kind::Relu: return relu(g, x);
  case Kind::Tanh: return g.op(OpKind::Tanh, {x});
  case Kind::Sigmoid: return sigmoid(g, x);
  case Kind::Affine: return g.add(g.mul(x, alpha), beta);
  case Kind::LeakyRelu: return leakyRelu(g, x, alpha);
  case Kind::ThresholdedRelu: return thresholdedRelu(g, x, alpha);
  case Kind::ScaledTanh: return g.mul(g.op(OpKind::Tanh, {g.mul(x, beta)}), alpha);
  case Kind::HardSigmoid: return hardSigmoid(g, x, alpha, beta);
  case Kind::Elu: return elu(g, x, alpha);
  case Kind::Softsign: return softsign(g, x);
  case Kind::Softplus: return softplus(g, x);
  }
  return x;
}

Expected<std::vector<CellActivation>> cellActivations(const OnnxNode &n,
                                                      std::vector<std::string> names) {
  using Kind = CellActivation::Kind;
  struct Row {
    std::string_view name;
    Kind kind;
    std::optional<double> alpha, beta; ///< defaults of those that it takes
  };
  static constexpr Row table[] = {
      {"relu", Kind::Relu, {}, {}},
      {"tanh", Kind::Tanh, {}, {}},
      {"sigmoid", Kind::Sigmoid, {}, {}},
      {"affine", Kind::Affine, 1.0, 0.0},
      {"leakyrelu", Kind::LeakyRelu, 0.01, {}},
      {"thresholdedrelu", Kind::ThresholdedRelu, 1.0, {}},
      {"scaledtanh", Kind::ScaledTanh, 1.0, 1.0},
      {"hardsigmoid", Kind::HardSigmoid, 0.2, 0.5},
      {"elu", Kind::Elu, 1.0, {}},
      {"softsign", Kind::Softsign, {}, {}},
      {"softplus", Kind::Softplus, {}, {}},
  };
  std::vector<double> alphas = n.attrFloats("activation_alpha");
  std::vector<double> betas = n.attrFloats("activation_beta");
  size_t nextAlpha = 0, nextBeta = 0;
  std::vector<CellActivation> result;
  for (std::string &name : names) {
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const Row *row = std::find_if(std::begin(table), std::end(table),
                                  [&](const Row &entry) { return entry.name == name; });
    if (row == std::end(table)) {
      return n.malformed("activation '{}' is unknown", name);
    }
    CellActivation entry{row->kind, row->alpha.value_or(0), row->beta.value_or(0)};
    if (row->alpha && nextAlpha < alphas.size()) {
      entry.alpha = alphas[nextAlpha++];
    }
    if (row->beta && nextBeta < betas.size()) {
      entry.beta = betas[nextBeta++];
    }
    result.push_back(entry);
  }
  return result;
}

static constexpr OnnxOp rows[] = {
    {"Celu", 12, newest, 1, 1, 1, openDims, celu},
    {"Elu", 1, newest, 1, 1, 1, openDims, elu},
    {"Gelu", 20, newest, 1, 1, 1, openDims, gelu},
    {"HardSigmoid", 1, newest, 1, 1, 1, openDims, hardSigmoid},
    {"HardSwish", 14, newest, 1, 1, 1, openDims, hardSwish},
    {"LeakyRelu", 1, newest, 1, 1, 1, openDims, leakyRelu},
    {"Mish", 18, newest, 1, 1, 1, openDims, mish},
    {"PRelu", 1, newest, 2, 2, 1, openDims, prelu},
    {"Relu", 1, newest, 1, 1, 1, openDims, relu},
    {"Selu", 1, newest, 1, 1, 1, openDims, selu},
    {"Shrink", 9, newest, 1, 1, 1, openDims, shrink},
    {"Sigmoid", 1, newest, 1, 1, 1, openDims, sigmoid},
    {"Softplus", 1, newest, 1, 1, 1, openDims, softplus},
    {"Softsign", 1, newest, 1, 1, 1, openDims, softsign},
    {"Swish", 24, newest, 1, 1, 1, openDims, swish},
    {"ThresholdedRelu", 10, newest, 1, 1, 1, openDims, thresholdedRelu},
};

std::span<const OnnxOp> activationOps() {
  return rows;
}

} // namespace zyxc::importer

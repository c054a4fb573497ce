// Losses of classifiers: negative log likelihood, and cross entropy of a softmax.
#include "compiler/import/node/OnnxOp.h"
#include <numeric>

namespace zyxc::importer {

/// The loss of log probabilities x [N,C,d..] for target classes [N,d..], reduced as the node says.
static Expected<GraphValue> likelihoodLoss(OnnxNode &n, GraphValue x) {
  GraphWriter &g = n.g;
  const Shape data = g.shapeOf(x);
  Shape shape = n.shape(1);
  Shape wanted = data;
  if (wanted.size() >= 2) {
    wanted.erase(wanted.begin() + 1);
  }
  bool weighted = n.has(2);
  if (data.size() < 2 || shape != wanted || (weighted && n.shape(2) != Shape{data[1]})) {
    return n.malformed("scores {}, targets {} and weights {} do not suit each other",
                       shapeText(data), shapeText(shape),
                       weighted ? shapeText(n.shape(2)) : "of 1");
  }
  std::string reduction = n.attrString("reduction", "mean");
  if (reduction != "none" && reduction != "sum" && reduction != "mean") {
    return n.malformed("reduction must be none, sum or mean, not '{}'", reduction);
  }
  DType dtype = g.dtypeOf(x);
  // What is ignored may lie outside of the classes: it reads class 0 and counts nothing.
  GraphValue target = g.cast(n.in(1), DType::I64);
  GraphValue weight = g.splat(dtype, shape, 1);
  std::optional<GraphValue> ignored;
  if (n.hasAttr("ignore_index")) {
    ignored = g.binary(OpKind::Eq, target, static_cast<double>(n.attrInt("ignore_index", 0)));
    target = g.select(*ignored, g.like(target, 0), target);
  }
  if (weighted) {
    weight = g.gather(n.in(2), target, 0);
  }
  Shape column = shape;
  column.insert(column.begin() + 1, 1);
  GraphValue picked = g.reshape(g.gatherAlong(x, g.reshape(target, column), 1), shape);
  GraphValue loss = g.op(OpKind::Neg, {weighted ? g.mul(picked, weight) : picked});
  if (ignored) {
    weight = g.select(*ignored, g.like(weight, 0), weight);
    loss = g.select(*ignored, g.like(loss, 0), loss);
  }
  if (reduction == "none") {
    return loss;
  }
  std::vector<int64_t> axes(shape.size());
  std::iota(axes.begin(), axes.end(), 0);
  GraphValue sum = g.reduce(OpKind::ReduceSum, loss, axes, false);
  if (reduction == "sum") {
    return sum;
  }
  return g.div(sum, g.reduce(OpKind::ReduceSum, weight, axes, false));
}

static Status negativeLogLikelihood(OnnxNode &n) {
  ZYXC_ASSIGN(GraphValue loss, likelihoodLoss(n, n.in(0)));
  return n.result(loss);
}

static Status softmaxCrossEntropy(OnnxNode &n) {
  if (n.rank(0) < 2) {
    return n.malformed("scores [N,C,..] are needed, not {}", shapeText(n.shape(0)));
  }
  GraphValue logProbability =
      n.g.op(OpKind::LogSoftmax, {n.in(0)}, {{"axes", std::vector<int64_t>{1}}});
  ZYXC_ASSIGN(GraphValue loss, likelihoodLoss(n, logProbability));
  ZYXC_RETURN_IF_ERROR(n.result(loss));
  return n.result(logProbability);
}

static constexpr OnnxOp rows[] = {
    {"NegativeLogLikelihoodLoss", 12, newest, 2, 3, 1, fixedDims, negativeLogLikelihood},
    {"SoftmaxCrossEntropyLoss", 12, newest, 2, 3, 2, fixedDims, softmaxCrossEntropy},
};

std::span<const OnnxOp> lossOps() {
  return rows;
}

} // namespace zyxc::importer

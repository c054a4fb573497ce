// Normalizations and softmax.
#include "compiler/import/node/OnnxOp.h"
#include <array>
#include <numeric>

namespace zyxc::importer {

static std::vector<int64_t> axesFrom(int64_t first, int64_t rank) {
  std::vector<int64_t> axes(static_cast<size_t>(rank - first));
  std::iota(axes.begin(), axes.end(), first);
  return axes;
}

/// The value of an integer attribute of a node; `otherwise` where it is missing.
static int64_t attribute(const onnx::NodeProto &node, std::string_view name, int64_t otherwise) {
  for (const onnx::AttributeProto &entry : node.attribute()) {
    if (entry.name() == name) {
      return entry.i();
    }
  }
  return otherwise;
}

static std::string checkBatchNormalization(const onnx::NodeProto &node) {
  return attribute(node, "spatial", 1) == 0 ? "spatial = 0 is not supported" : "";
}

/// With the statistics of x itself, and those of the run brought towards them.
static Status trainingBatchNormalization(OnnxNode &n) {
  GraphWriter &g = n.g;
  std::vector<int64_t> axes = {0};
  for (int64_t axis = 2; axis < n.rank(0); ++axis) {
    axes.push_back(axis);
  }
  DType dtype = n.type(0).dtype;
  if (n.rank(0) < 2) {
    return n.malformed("[N,C,..] is needed, not {}", shapeText(n.shape(0)));
  }
  GraphValue mean = g.mean(n.in(0), axes, false);
  GraphValue rest = g.sub(n.in(0), g.alongAxis(mean, 1, n.rank(0)));
  GraphValue variance = g.mean(g.mul(rest, rest), axes, false);
  std::array operands{n.in(0), g.cast(n.in(1), dtype), g.cast(n.in(2), dtype), mean, variance};
  ZYXC_RETURN_IF_ERROR(
      n.result(g.op(OpKind::BatchNorm, operands, {{"epsilon", n.attrFloat("epsilon", 1e-5)}})));
  double momentum = n.attrFloat("momentum", 0.9);
  for (auto [running, current] : {std::pair(n.in(3), mean), std::pair(n.in(4), variance)}) {
    GraphValue share = g.mul(g.cast(current, g.dtypeOf(running)), 1 - momentum);
    ZYXC_RETURN_IF_ERROR(n.result(g.add(g.mul(running, momentum), share)));
  }
  return Status::ok();
}

static Status batchNormalization(OnnxNode &n) {
  if (n.attrInt("training_mode", 0) != 0) {
    return trainingBatchNormalization(n);
  }
  DType dtype = n.type(0).dtype;
  GraphValue operands[5] = {n.in(0)};
  for (size_t i = 1; i < 5; ++i) {
    operands[i] = n.g.cast(n.in(i), dtype);
  }
  return n.result(n.g.op(OpKind::BatchNorm, operands, {{"epsilon", n.attrFloat("epsilon", 1e-5)}}));
}

static Status lrn(OnnxNode &n) {
  return n.result(n.g.op(OpKind::Lrn, {n.in(0)},
                         {{"size", n.attrInt("size", 0)},
                          {"alpha", n.attrFloat("alpha", 1e-4)},
                          {"beta", n.attrFloat("beta", 0.75)},
                          {"bias", n.attrFloat("bias", 1.0)}}));
}

/// Axes over which a softmax sums: one since operator set 13, before all from `axis` on.
static Expected<std::vector<int64_t>> softmaxAxes(OnnxNode &n) {
  if (n.opset >= 13) {
    ZYXC_ASSIGN(int64_t axis, n.axis(n.attrInt("axis", -1), n.rank(0)));
    return std::vector<int64_t>{axis};
  }
  int64_t axis = n.attrInt("axis", 1);
  if (axis < -n.rank(0) || axis > n.rank(0)) {
    return n.malformed("axis {} is out of range for rank {}", axis, n.rank(0));
  }
  return axesFrom(axis < 0 ? axis + n.rank(0) : axis, n.rank(0));
}

template <OpKind kind> static Status softmax(OnnxNode &n) {
  ZYXC_ASSIGN(std::vector<int64_t> axes, softmaxAxes(n));
  if (axes.empty()) { // each element is a row of its own
    return n.result(n.g.like(n.in(0), kind == OpKind::Softmax ? 1 : 0));
  }
  return n.result(n.g.op(kind, {n.in(0)}, {{"axes", axes}}));
}

/// 1 at the first largest element of each row, else 0.
static Status hardmax(OnnxNode &n) {
  ZYXC_ASSIGN(std::vector<int64_t> axes, softmaxAxes(n));
  GraphWriter &g = n.g;
  // The axes are neighbours: they become one, the middle one of three.
  int64_t first = axes.empty() ? n.rank(0) : axes[0];
  Shape shape = {1, 1, 1};
  for (int64_t i = 0; i < n.rank(0); ++i) {
    size_t part = i < first ? 0 : i < first + static_cast<int64_t>(axes.size()) ? 1 : 2;
    shape[part] = dim::mul(shape[part], n.shape(0)[static_cast<size_t>(i)]);
  }
  if (shape[1] == 0) {
    return n.result(n.in(0));
  }
  GraphValue largest = g.reduce(OpKind::ArgMax, g.reshape(n.in(0), shape), {1}, true);
  GraphValue hot = g.op(OpKind::Eq, {g.broadcast(largest, shape), g.iota(shape, 1)});
  return n.result(g.reshape(g.cast(hot, n.type(0).dtype), n.shape(0)));
}

/// (x - mean) / sqrt(variance + epsilon) over axes, with both statistics (kept dims).
struct Standardized {
  GraphValue value;
  GraphValue mean;
  GraphValue inverseDeviation;
};

static Standardized standardize(GraphWriter &g, GraphValue x, const std::vector<int64_t> &axes,
                                double epsilon) {
  GraphValue mean = g.mean(x, axes, true);
  GraphValue centered = g.sub(x, mean);
  GraphValue variance = g.mean(g.mul(centered, centered), axes, true);
  GraphValue inverse = g.op(OpKind::Rsqrt, {g.add(variance, epsilon)});
  return {g.mul(centered, inverse), mean, inverse};
}

/// Dtype of the statistics: stash_type, f32 unless the model says otherwise.
static Expected<DType> stashType(OnnxNode &n) {
  ZYXC_ASSIGN(DType dtype, n.attrDType("stash_type", DType::F32));
  return isFloat(dtype) ? Expected<DType>(dtype)
                        : n.malformed("stash_type must be a float dtype, not {}", name(dtype));
}

static Status layerNormalization(OnnxNode &n) {
  ZYXC_ASSIGN(int64_t axis, n.axis(n.attrInt("axis", -1), n.rank(0)));
  ZYXC_ASSIGN(DType stash, stashType(n));
  GraphWriter &g = n.g;
  DType dtype = n.type(0).dtype;
  Standardized s = standardize(g, g.cast(n.in(0), stash), axesFrom(axis, n.rank(0)),
                               n.attrFloat("epsilon", 1e-5));
  GraphValue y = g.mul(g.cast(s.value, dtype), n.in(1));
  if (n.has(2)) {
    y = g.add(y, n.in(2));
  }
  ZYXC_RETURN_IF_ERROR(n.result(y));
  if (n.numOutputs() > 1) {
    ZYXC_RETURN_IF_ERROR(n.result(s.mean));
  }
  return n.numOutputs() > 2 ? n.result(s.inverseDeviation) : Status::ok();
}

static Status rmsNormalization(OnnxNode &n) {
  ZYXC_ASSIGN(int64_t axis, n.axis(n.attrInt("axis", -1), n.rank(0)));
  ZYXC_ASSIGN(DType stash, stashType(n));
  GraphWriter &g = n.g;
  GraphValue x = g.cast(n.in(0), stash);
  GraphValue square = g.mean(g.mul(x, x), axesFrom(axis, n.rank(0)), true);
  GraphValue inverse = g.op(OpKind::Rsqrt, {g.add(square, n.attrFloat("epsilon", 1e-5))});
  return n.result(g.mul(g.cast(g.mul(x, inverse), n.type(0).dtype), n.in(1)));
}

static Status instanceNormalization(OnnxNode &n) {
  if (n.rank(0) < 2) {
    return n.malformed("the input has shape {}: [N,C,..] is needed", shapeText(n.shape(0)));
  }
  GraphWriter &g = n.g;
  Standardized s = standardize(g, n.in(0), axesFrom(2, n.rank(0)), n.attrFloat("epsilon", 1e-5));
  GraphValue scaled = g.mul(s.value, g.alongAxis(n.in(1), 1, n.rank(0)));
  return n.result(g.add(scaled, g.alongAxis(n.in(2), 1, n.rank(0))));
}

static Status groupNormalization(OnnxNode &n) {
  int64_t groups = n.attrInt("num_groups", 0);
  std::optional<int64_t> perGroupChannels =
      n.rank(0) < 2 || groups < 1 ? std::nullopt : dim::exactQuotient(n.shape(0)[1], groups);
  if (!perGroupChannels) {
    return n.malformed("{} groups do not divide the channels of {}", groups, shapeText(n.shape(0)));
  }
  GraphWriter &g = n.g;
  ZYXC_ASSIGN(DType stash, stashType(n));
  DType dtype = n.type(0).dtype;
  const Shape shape = n.shape(0);
  // [N, G, C / G, D1, ..]
  Shape grouped = shape;
  grouped[1] = *perGroupChannels;
  grouped.insert(grouped.begin() + 1, groups);
  int64_t rank = static_cast<int64_t>(grouped.size());
  Standardized s = standardize(g, g.reshape(g.cast(n.in(0), stash), grouped), axesFrom(2, rank),
                               n.attrFloat("epsilon", 1e-5));
  GraphValue y = g.cast(s.value, dtype);
  // Before operator set 21 scale and bias belong to groups, since then to channels.
  bool perGroup = n.opset < 21;
  if (!perGroup) {
    y = g.reshape(y, shape);
  }
  int64_t parameterRank = perGroup ? rank : n.rank(0);
  y = g.mul(y, g.alongAxis(n.in(1), 1, parameterRank));
  y = g.add(y, g.alongAxis(n.in(2), 1, parameterRank));
  return n.result(g.reshape(y, shape));
}

static Status meanVarianceNormalization(OnnxNode &n) {
  ZYXC_ASSIGN(std::vector<int64_t> axes, n.axes(n.attrInts("axes", {0, 2, 3}), n.rank(0)));
  GraphWriter &g = n.g;
  GraphValue x = n.in(0);
  GraphValue centered = g.sub(x, g.mean(x, axes, true));
  GraphValue variance = g.mean(g.mul(centered, centered), axes, true);
  GraphValue deviation = g.add(g.op(OpKind::Sqrt, {variance}), 1e-9);
  return n.result(g.div(centered, deviation));
}

/// x / norm; 0 where the norm is 0.
static Status lpNormalization(OnnxNode &n) {
  ZYXC_ASSIGN(int64_t axis, n.axis(n.attrInt("axis", -1), n.rank(0)));
  int64_t p = n.attrInt("p", 2);
  if (p != 1 && p != 2) {
    return n.malformed("p must be 1 or 2, not {}", p);
  }
  GraphWriter &g = n.g;
  GraphValue x = n.in(0);
  GraphValue powers = p == 1 ? g.op(OpKind::Abs, {x}) : g.mul(x, x);
  GraphValue norm = g.reduce(OpKind::ReduceSum, powers, {axis}, true);
  if (p == 2) {
    norm = g.op(OpKind::Sqrt, {norm});
  }
  GraphValue divisor = g.select(g.binary(OpKind::Eq, norm, 0.0), g.like(norm, 1), norm);
  return n.result(g.div(x, divisor));
}

static constexpr OnnxOp rows[] = {
    {"BatchNormalization", 1, newest, 5, 5, 3, openDims, batchNormalization, 0,
     checkBatchNormalization},
    {"GroupNormalization", 18, newest, 3, 3, 1, openDims, groupNormalization},
    {"Hardmax", 1, newest, 1, 1, 1, openDims, hardmax},
    {"InstanceNormalization", 1, newest, 3, 3, 1, openDims, instanceNormalization},
    {"LRN", 1, newest, 1, 1, 1, openDims, lrn},
    {"LayerNormalization", 17, newest, 2, 3, 3, openDims, layerNormalization},
    {"LogSoftmax", 1, newest, 1, 1, 1, openDims, softmax<OpKind::LogSoftmax>},
    {"LpNormalization", 1, newest, 1, 1, 1, openDims, lpNormalization},
    {"MeanVarianceNormalization", 9, newest, 1, 1, 1, openDims, meanVarianceNormalization},
    {"RMSNormalization", 23, newest, 2, 2, 1, openDims, rmsNormalization},
    {"Softmax", 1, newest, 1, 1, 1, openDims, softmax<OpKind::Softmax>},
};

std::span<const OnnxOp> normalizationOps() {
  return rows;
}

} // namespace zyxc::importer

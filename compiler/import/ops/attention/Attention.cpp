// Scaled dot-product attention, its form with subgraphs, and rotary position embeddings.
#include "compiler/import/node/OnnxOp.h"
#include "compiler/import/ops/attention/Heads.h"
#include <cmath>
#include <limits>

namespace zyxc::importer {

static constexpr double infinity = std::numeric_limits<double>::infinity();

namespace {

/// The operands of an Attention as [B,H,S,D].
struct Operands {
  GraphValue query, key, value;
  bool packed; ///< they came, and the result goes, with the heads in the last axis
};

/// Which keys a query may see, and what is added to the scores.
struct Mask {
  std::optional<GraphValue> allowed; ///< bools that broadcast to the scores
  std::optional<GraphValue> bias;
  bool mayHideAll = false; ///< of some query
};

} // namespace

static Expected<Operands> attentionOperands(OnnxNode &n) {
  Operands o{n.in(0), n.in(1), n.in(2), n.rank(0) == 3};
  int64_t queryHeads = n.attrInt("q_num_heads", 0), keyHeads = n.attrInt("kv_num_heads", 0);
  ZYXC_ASSIGN(o.query, unpackHeads(n, o.query, queryHeads));
  ZYXC_ASSIGN(o.key, unpackHeads(n, o.key, keyHeads));
  ZYXC_ASSIGN(o.value, unpackHeads(n, o.value, keyHeads));
  if (n.has(4) != n.has(5)) {
    return n.malformed("past_key and past_value must be given together");
  }
  if (n.has(4)) {
    if (n.rank(4) != 4 || n.rank(5) != 4) {
      return n.malformed("past_key and past_value need 4 axes");
    }
    o.key = n.g.concat(std::array{n.in(4), o.key}, 2);
    o.value = n.g.concat(std::array{n.in(5), o.value}, 2);
    ZYXC_RETURN_IF_ERROR(n.g.takeStatus());
  }
  ZYXC_RETURN_IF_ERROR(checkHeads(n, o.query, o.key, o.value));
  return o;
}

/// attn_mask with its last axis filled up to `keys`: what it does not name is not seen.
static GraphValue fillMask(GraphWriter &g, GraphValue mask, int64_t keys) {
  size_t rank = g.shapeOf(mask).size();
  int64_t missing = rank == 0 ? 0 : dim::sub(keys, g.shapeOf(mask).back());
  // Where it is not known which is longer, they are taken to be equal.
  if (missing == 0 || !dim::provablyAtMost(0, missing) || g.shapeOf(mask).back() == 1) {
    return mask;
  }
  Shape low(rank, 0), high(rank, 0);
  high.back() = missing;
  bool isBool = g.dtypeOf(mask) == DType::Bool;
  return g.pad(mask, low, high, g.splat(g.dtypeOf(mask), {}, isBool ? 0 : -infinity));
}

static void both(GraphWriter &g, std::optional<GraphValue> &allowed, GraphValue condition) {
  allowed = allowed ? g.binary(OpKind::And, *allowed, condition) : condition;
}

/// The mask of an attention over scores [B,H,queries,keys].
static Expected<Mask> maskOf(OnnxNode &n, const Shape &scores) {
  GraphWriter &g = n.g;
  int64_t queries = scores[2], keys = scores[3];
  Mask mask;
  if (n.has(3)) {
    GraphValue given = fillMask(g, n.in(3), keys);
    ZYXC_ASSIGN(Shape common, g.broadcastShape(g.shapeOf(given), scores));
    if (common != scores) {
      return n.malformed("attn_mask {} does not broadcast to {}", shapeText(n.shape(3)),
                         shapeText(scores));
    }
    (g.dtypeOf(given) == DType::Bool ? mask.allowed : mask.bias) = given;
    mask.mayHideAll = true;
  }
  // Positions of the queries among the keys: [1 or B, 1, queries, 1].
  bool causal = n.attrInt("is_causal", 0) != 0;
  int64_t left = n.attrInt("left_window_size", -1), right = n.attrInt("right_window_size", -1);
  GraphValue key = g.iota({1, 1, 1, keys}, 3);
  GraphValue position = g.iota({1, 1, queries, 1}, 2);
  if (n.has(6)) {
    if (!g.agree(n.shape(6), Shape{scores[0]})) {
      return n.malformed("nonpad_kv_seqlen has shape {}, not {}", shapeText(n.shape(6)),
                         dim::toString(scores[0]));
    }
    GraphValue valid = g.reshape(g.cast(n.in(6), DType::I64), {scores[0], 1, 1, 1});
    both(g, mask.allowed, g.binary(OpKind::Lt, key, valid));
    position = g.add(position, g.add(valid, Size{dim::sub(0, queries)}));
    mask.mayHideAll = true;
  } else if (n.has(4)) {
    position = g.add(position, Size{n.shape(4)[2]});
  }
  if (causal) {
    both(g, mask.allowed, g.binary(OpKind::Le, key, position));
  }
  if (left >= 0) {
    GraphValue first = g.add(position, -static_cast<double>(left));
    both(g, mask.allowed, g.binary(OpKind::Ge, key, first));
    mask.mayHideAll = true;
  }
  if (right >= 0) {
    both(g, mask.allowed, g.binary(OpKind::Le, key, g.add(position, static_cast<double>(right))));
  }
  return mask;
}

/// Softmax over the last axis. `guarded`: rows that are -inf throughout become 0 instead of NaN, by
/// a shift and a divisor that are finite for them too.
static GraphValue attentionWeights(GraphWriter &g, GraphValue scores, bool guarded) {
  std::vector<int64_t> last = {3};
  if (!guarded) {
    return g.op(OpKind::Softmax, {scores}, {{"axes", last}});
  }
  GraphValue largest = g.reduce(OpKind::ReduceMax, scores, last, true);
  GraphValue hidden = g.binary(OpKind::Eq, largest, -infinity);
  GraphValue shift = g.select(hidden, g.like(largest, 0), largest);
  GraphValue power = g.op(OpKind::Exp, {g.sub(scores, shift)});
  GraphValue sum = g.reduce(OpKind::ReduceSum, power, last, true);
  return g.div(power, g.select(hidden, g.like(sum, 1), sum));
}

/// The factor of the scores, from the size of a head where the node does not give it.
static Expected<double> scaleOf(OnnxNode &n, int64_t headSize) {
  if (!n.hasAttr("scale") && dim::isSymbolic(headSize)) {
    return n.unsupported("heads of {} elements scale the scores: give {}", dim::toString(headSize),
                         dimRemedy(headSize));
  }
  auto size = static_cast<double>(std::max<int64_t>(headSize, 1));
  return n.attrFloat("scale", 1.0 / std::sqrt(size));
}

/// Q K^T, each scaled by the root of the scale so that a narrow dtype does not overflow.
static GraphValue scaledScores(GraphWriter &g, GraphValue query, GraphValue key, double scale) {
  double root = std::sqrt(scale);
  GraphValue keys = g.permute(g.mul(key, root), {0, 1, 3, 2});
  return groupedProduct(g, g.mul(query, root), keys);
}

static Status attention(OnnxNode &n) {
  GraphWriter &g = n.g;
  ZYXC_ASSIGN(Operands o, attentionOperands(n));
  if (n.attrFloat("scale", 1) < 0) {
    return n.malformed("scale {} must not be negative", n.attrFloat("scale", 1));
  }
  ZYXC_ASSIGN(double scale, scaleOf(n, g.shapeOf(o.query)[3]));
  GraphValue scores = scaledScores(g, o.query, o.key, scale);
  ZYXC_RETURN_IF_ERROR(g.takeStatus());
  const Shape shape = g.shapeOf(scores);
  int64_t mode = n.attrInt("qk_matmul_output_mode", 0);
  GraphValue shown = scores; // the fourth output
  if (double cap = n.attrFloat("softcap", 0); cap != 0) {
    scores = g.mul(g.op(OpKind::Tanh, {g.binary(OpKind::Div, scores, cap)}), cap);
  }
  shown = mode == 1 ? scores : shown;
  ZYXC_ASSIGN(Mask mask, maskOf(n, shape));
  if (mask.bias) {
    scores = g.add(scores, g.broadcast(g.cast(*mask.bias, g.dtypeOf(scores)), shape));
  }
  if (mask.allowed) {
    scores = g.select(g.broadcast(*mask.allowed, shape), scores, g.like(scores, -infinity));
  }
  shown = mode == 2 ? scores : shown;
  DType dtype = g.dtypeOf(scores);
  ZYXC_ASSIGN(DType precision, n.attrDType("softmax_precision", dtype));
  GraphValue weights = attentionWeights(g, g.cast(scores, precision), mask.mayHideAll);
  weights = g.cast(weights, dtype);
  shown = mode == 3 ? weights : shown;
  GraphValue y = groupedProduct(g, weights, g.cast(o.value, dtype));
  ZYXC_RETURN_IF_ERROR(n.result(o.packed ? packHeads(g, y) : y));
  ZYXC_RETURN_IF_ERROR(n.result(o.key));
  ZYXC_RETURN_IF_ERROR(n.result(o.value));
  return n.result(shown);
}

/// What a modifier subgraph makes of scores or weights, which keep their type.
static Expected<GraphValue> modified(OnnxNode &n, const char *name, GraphValue x) {
  if (!n.hasAttr(name)) {
    return x;
  }
  ZYXC_ASSIGN(const onnx::GraphProto *graph, n.attrGraph(name));
  ZYXC_ASSIGN(std::vector<GraphValue> results, n.subgraph(*graph, std::array{x}));
  if (results.size() != 1 || n.g.typeOf(results[0]) != n.g.typeOf(x)) {
    return n.malformed("{} must give one result of type {}", name, toString(n.g.typeOf(x)));
  }
  return results[0];
}

static Status flexAttention(OnnxNode &n) {
  GraphWriter &g = n.g;
  GraphValue query = n.in(0), key = n.in(1), value = n.in(2);
  ZYXC_RETURN_IF_ERROR(checkHeads(n, query, key, value));
  DType dtype = n.type(0).dtype;
  ZYXC_ASSIGN(DType precision,
              n.attrDType("softmax_precision", dtype == DType::F64 ? DType::F64 : DType::F32));
  ZYXC_ASSIGN(double scale, scaleOf(n, n.shape(0)[3]));
  GraphValue scores = groupedProduct(g, query, g.permute(key, {0, 1, 3, 2}));
  scores = g.mul(g.cast(scores, precision), scale);
  ZYXC_ASSIGN(scores, modified(n, "score_mod", scores));
  GraphValue weights = attentionWeights(g, scores, false);
  ZYXC_ASSIGN(weights, modified(n, "prob_mod", weights));
  return n.result(groupedProduct(g, g.cast(weights, dtype), value));
}

/// cos or sin [B,S,1,half] of the positions, from a table or given for each.
static Expected<GraphValue> rotaryAngles(OnnxNode &n, size_t input, const Shape &shape,
                                         int64_t half) {
  GraphValue table = n.in(input);
  if (n.has(3)) {
    if (n.rank(input) != 2 || !n.g.agree(n.shape(3), Shape{shape[0], shape[1]})) {
      return n.malformed("position_ids {} and table {} do not suit each other",
                         shapeText(n.shape(3)), shapeText(n.shape(input)));
    }
    table = n.g.gather(table, n.in(3), 0);
  }
  if (!n.g.agree(n.g.shapeOf(table), Shape{shape[0], shape[1], half})) {
    return n.malformed("cosines and sines of shape {} are needed, not {}",
                       shapeText(Shape{shape[0], shape[1], half}), shapeText(n.g.shapeOf(table)));
  }
  return n.g.reshape(table, {shape[0], shape[1], 1, half});
}

static Status rotaryEmbedding(OnnxNode &n) {
  GraphWriter &g = n.g;
  bool packed = n.rank(0) == 3;
  ZYXC_ASSIGN(GraphValue heads, unpackHeads(n, n.in(0), n.attrInt("num_heads", 0)));
  GraphValue x = g.permute(heads, {0, 2, 1, 3}); // [B,S,H,D]
  const Shape shape = g.shapeOf(x);
  if (dim::isSymbolic(shape[3])) {
    return n.unsupported("heads of {} elements: give {}", dim::toString(shape[3]),
                         dimRemedy(shape[3]));
  }
  int64_t given = n.attrInt("rotary_embedding_dim", 0);
  int64_t rotated = given == 0 ? shape[3] : given;
  if (rotated < 2 || rotated % 2 != 0 || rotated > shape[3]) {
    return n.malformed("{} of {} elements of a head cannot be rotated in pairs", rotated, shape[3]);
  }
  int64_t half = rotated / 2;
  ZYXC_ASSIGN(GraphValue cosines, rotaryAngles(n, 1, shape, half));
  ZYXC_ASSIGN(GraphValue sines, rotaryAngles(n, 2, shape, half));
  bool interleaved = n.attrInt("interleaved", 0) != 0;
  GraphValue first = g.slice(x, 3, 0, half, interleaved ? 2 : 1);
  GraphValue second = g.slice(x, 3, interleaved ? 1 : half, half, interleaved ? 2 : 1);
  GraphValue real = g.sub(g.mul(first, cosines), g.mul(second, sines));
  GraphValue imaginary = g.add(g.mul(first, sines), g.mul(second, cosines));
  std::vector<GraphValue> parts;
  if (interleaved) {
    GraphValue pairs = g.stack(std::array{real, imaginary}, 4);
    parts.push_back(g.reshape(pairs, {shape[0], shape[1], shape[2], rotated}));
  } else {
    parts = {real, imaginary};
  }
  if (rotated < shape[3]) {
    parts.push_back(g.slice(x, 3, rotated, shape[3] - rotated));
  }
  GraphValue y = g.concat(parts, 3);
  return n.result(packed ? g.reshape(y, n.shape(0)) : g.permute(y, {0, 2, 1, 3}));
}

static constexpr OnnxOp rows[] = {
    {"Attention", 23, newest, 3, 7, 4, openDims, attention},
    {"RotaryEmbedding", 23, newest, 3, 4, 1, openDims, rotaryEmbedding},
    {"ai.onnx.preview.FlexAttention", 1, newest, 3, 3, 1, openDims, flexAttention},
};

std::span<const OnnxOp> attentionOps() {
  return rows;
}

} // namespace zyxc::importer

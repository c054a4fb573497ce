// Layers that carry a state from token to token: linear attention, and the short causal convolution
// before it.
#include "compiler/import/node/OnnxOp.h"
#include "compiler/import/ops/attention/Heads.h"
#include "compiler/import/ops/elementwise/Activation.h"
#include <cmath>

namespace zyxc::importer {

static constexpr int64_t maxTokens = 512; ///< that are unrolled

namespace {

/// The sizes of a linear attention.
struct LinearSizes {
  int64_t batch, tokens, queryHeads, heads, keySize, valueSize;
};

} // namespace

static Expected<LinearSizes> linearSizes(OnnxNode &n) {
  int64_t queryHeads = n.attrInt("q_num_heads", 0), heads = n.attrInt("kv_num_heads", 0);
  if (n.rank(0) != 3 || n.rank(1) != 3 || n.rank(2) != 3 || heads < 1 || queryHeads < 1 ||
      queryHeads % heads != 0) {
    return n.malformed("{} and {} heads do not suit query {}, key {} and value {}", queryHeads,
                       heads, shapeText(n.shape(0)), shapeText(n.shape(1)), shapeText(n.shape(2)));
  }
  LinearSizes s{n.shape(0)[0], n.shape(0)[1],         queryHeads,
                heads,         n.shape(1)[2] / heads, n.shape(2)[2] / heads};
  if (n.shape(0) != Shape{s.batch, s.tokens, queryHeads * s.keySize} ||
      n.shape(1) != Shape{s.batch, s.tokens, heads * s.keySize} ||
      n.shape(2) != Shape{s.batch, s.tokens, heads * s.valueSize}) {
    return n.malformed("query {}, key {} and value {} do not suit each other",
                       shapeText(n.shape(0)), shapeText(n.shape(1)), shapeText(n.shape(2)));
  }
  if (s.tokens < 1 || s.tokens > maxTokens) {
    return n.unsupported("a sequence of {} tokens: 1 to {} are unrolled; give a shorter one and "
                         "carry the state",
                         s.tokens, maxTokens);
  }
  return s;
}

/// decay or beta as [B,H,T,1 or keySize]; one value may serve all heads.
static Expected<GraphValue> gateOf(OnnxNode &n, size_t input, const LinearSizes &s, bool wide) {
  GraphWriter &g = n.g;
  if (!n.has(input) || n.rank(input) != 3 || n.shape(input)[0] != s.batch ||
      n.shape(input)[1] != s.tokens) {
    return n.malformed("update rule '{}' needs input {} of [B,T,..]",
                       n.attrString("update_rule", "gated_delta"), input);
  }
  int64_t width = n.shape(input)[2];
  if (wide && width == s.heads * s.keySize) {
    return unpackHeads(n, n.in(input), s.heads);
  }
  if (width != s.heads && (wide || width != 1)) {
    return n.malformed("input {} has {} values a token for {} heads of {}", input, width, s.heads,
                       s.keySize);
  }
  GraphValue perHead = g.permute(n.in(input), {0, 2, 1}); // [B, 1 or H, T]
  return g.reshape(perHead, {s.batch, width, s.tokens, 1});
}

static Status linearAttention(OnnxNode &n) {
  GraphWriter &g = n.g;
  ZYXC_ASSIGN(LinearSizes s, linearSizes(n));
  std::string rule = n.attrString("update_rule", "gated_delta");
  bool gated = rule == "gated" || rule == "gated_delta";
  bool delta = rule == "delta" || rule == "gated_delta";
  if (!gated && !delta && rule != "linear") {
    return n.malformed("update_rule '{}' is unknown", rule);
  }
  // The state is summed in f32, as narrow floats would lose it.
  DType dtype = n.type(0).dtype;
  DType wide = dtype == DType::F64 ? dtype : DType::F32;
  ZYXC_ASSIGN(GraphValue query, unpackHeads(n, g.cast(n.in(0), wide), s.queryHeads));
  ZYXC_ASSIGN(GraphValue key, unpackHeads(n, g.cast(n.in(1), wide), s.heads));
  ZYXC_ASSIGN(GraphValue value, unpackHeads(n, g.cast(n.in(2), wide), s.heads));
  GraphValue decay, beta;
  if (gated) {
    ZYXC_ASSIGN(decay, gateOf(n, 4, s, true));
    decay = g.op(OpKind::Exp, {g.cast(decay, wide)});
  }
  if (delta) {
    ZYXC_ASSIGN(beta, gateOf(n, 5, s, false));
    beta = g.cast(beta, wide);
  }
  Shape stateShape = {s.batch, s.heads, s.keySize, s.valueSize};
  if (n.has(3) && n.shape(3) != stateShape) {
    return n.malformed("past_state has shape {}, not {}", shapeText(n.shape(3)),
                       shapeText(stateShape));
  }
  GraphValue state = n.has(3) ? g.cast(n.in(3), wide) : g.splat(wide, stateShape, 0);
  double scale = n.attrFloat("scale", 0);
  scale = scale == 0 ? 1.0 / std::sqrt(static_cast<double>(s.keySize)) : scale;
  std::vector<GraphValue> outputs;
  for (int64_t t = 0; t < s.tokens; ++t) {
    auto at = [&](GraphValue x) {
      return g.slice(x, 2, t, 1);
    };
    GraphValue column = g.permute(at(key), {0, 1, 3, 2}); // [B,H,K,1]
    GraphValue row = at(value);                           // [B,H,1,V]
    if (gated) {
      state = g.mul(state, g.permute(at(decay), {0, 1, 3, 2}));
    }
    if (delta) {
      row = g.mul(g.sub(row, g.matmul(at(key), state)), at(beta));
    }
    state = g.add(state, g.mul(column, row));
    outputs.push_back(groupedProduct(g, g.mul(at(query), scale), state));
    ZYXC_RETURN_IF_ERROR(g.takeStatus());
  }
  GraphValue y = packHeads(g, g.concat(outputs, 2));
  ZYXC_RETURN_IF_ERROR(n.result(g.cast(y, dtype)));
  return n.result(g.cast(state, n.has(3) ? n.type(3).dtype : dtype));
}

static Status causalConvWithState(OnnxNode &n) {
  GraphWriter &g = n.g;
  std::string activation = n.attrString("activation", "none");
  bool swish = activation == "silu" || activation == "swish";
  if (n.rank(0) != 3 || n.rank(1) != 3 || n.shape(1)[0] != n.shape(0)[1] || n.shape(1)[1] != 1 ||
      n.shape(1)[2] < 1 || (!swish && activation != "none")) {
    return n.malformed("input {}, weight {} and activation '{}' do not suit each other",
                       shapeText(n.shape(0)), shapeText(n.shape(1)), activation);
  }
  int64_t carried = n.shape(1)[2] - 1;
  Shape stateShape = {n.shape(0)[0], n.shape(0)[1], carried};
  if (n.has(3) && n.shape(3) != stateShape) {
    return n.malformed("past_state has shape {}, not {}", shapeText(n.shape(3)),
                       shapeText(stateShape));
  }
  GraphValue past = n.has(3) ? n.in(3) : g.splat(n.type(0).dtype, stateShape, 0);
  GraphValue all = carried == 0 ? n.in(0) : g.concat(std::array{past, n.in(0)}, 2);
  std::vector<int64_t> one = {1}, none = {0};
  GraphValue y = g.op(OpKind::Conv, {all, n.in(1)},
                      {{"strides", one},
                       {"low", none},
                       {"high", none},
                       {"dilations", one},
                       {"groups", n.shape(0)[1]}});
  if (n.has(2)) {
    y = g.add(y, g.alongAxis(n.in(2), 1, 3));
  }
  ZYXC_RETURN_IF_ERROR(n.result(swish ? g.mul(y, sigmoid(g, y)) : y));
  return n.result(g.slice(all, 2, n.shape(0)[2], carried));
}

static constexpr OnnxOp rows[] = {
    {"CausalConvWithState", 27, newest, 2, 4, 2, fixedDims, causalConvWithState},
    {"LinearAttention", 27, newest, 3, 6, 2, fixedDims, linearAttention},
};

std::span<const OnnxOp> linearAttentionOps() {
  return rows;
}

} // namespace zyxc::importer

#include "compiler/import/ops/attention/Heads.h"

namespace zyxc::importer {

Expected<GraphValue> unpackHeads(OnnxNode &n, GraphValue x, int64_t heads) {
  const Shape shape = n.g.shapeOf(x);
  if (shape.size() == 4) {
    return x;
  }
  std::optional<int64_t> size =
      shape.size() == 3 && heads > 0 ? dim::exactQuotient(shape[2], heads) : std::nullopt;
  if (!size) {
    return n.malformed("{} heads do not suit shape {}: [B,S,heads * size] or 4 axes are needed",
                       heads, shapeText(shape));
  }
  GraphValue split = n.g.reshape(x, {shape[0], shape[1], heads, *size});
  return n.g.permute(split, {0, 2, 1, 3});
}

GraphValue packHeads(GraphWriter &g, GraphValue x) {
  const Shape shape = g.shapeOf(x);
  return g.reshape(g.permute(x, {0, 2, 1, 3}), {shape[0], shape[2], dim::mul(shape[1], shape[3])});
}

GraphValue groupedProduct(GraphWriter &g, GraphValue x, GraphValue y) {
  const Shape q = g.shapeOf(x);
  const Shape kv = g.shapeOf(y);
  if (q[1] == kv[1]) {
    return g.matmul(x, y);
  }
  int64_t queriesPerKey = dim::floorDiv(q[1], kv[1]); // a multiple: checkHeads
  GraphValue grouped = g.reshape(x, {q[0], kv[1], queriesPerKey, q[2], q[3]});
  GraphValue shared = g.reshape(y, {kv[0], kv[1], 1, kv[2], kv[3]});
  return g.reshape(g.matmul(grouped, shared), {q[0], q[1], q[2], kv[3]});
}

Status checkHeads(OnnxNode &n, GraphValue query, GraphValue key, GraphValue value) {
  const Shape q = n.g.shapeOf(query), k = n.g.shapeOf(key), v = n.g.shapeOf(value);
  GraphWriter &g = n.g;
  bool fits = q.size() == 4 && k.size() == 4 && v.size() == 4 && g.agree(q[0], k[0]) &&
              g.agree(k[0], v[0]) && g.agree(k[1], v[1]) && k[1] > 0 &&
              dim::exactQuotient(q[1], k[1]) && g.agree(q[3], k[3]) && g.agree(k[2], v[2]);
  return fits ? Status::ok()
              : n.malformed("query {}, key {} and value {} do not suit each other", shapeText(q),
                            shapeText(k), shapeText(v));
}

} // namespace zyxc::importer

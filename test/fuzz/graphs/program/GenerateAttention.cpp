// Attention as exporters write it: what the kernelizer makes one kernel of, in many forms.
#include "test/fuzz/graphs/program/Generate.h"
#include <limits>
#include <numeric>

namespace zyxc::fuzz {

namespace {

/// The parts of one attention; scores are [batch.., queries, keys].
class AttentionWriter {
public:
  AttentionWriter(Source &source, DType dtype) : source(source), g(source.builder), dtype(dtype) {
    if (source.chance(80)) {
      batch.push_back(source.between(1, 3));
    }
    heads = source.chance(80) ? source.between(1, 4) : 1;
    group = source.chance(30) ? source.between(1, 3) : 1;
    auto length = [&] {
      return source.chance(15) ? source.between(1, 2) : source.between(3, 40);
    };
    queries = length();
    keys = source.chance(30) ? queries : length();
    depth = source.between(1, 20);
    width = source.between(1, 20);
  }

  void write() {
    GraphValue k = repeated(source.operandLike({dtype, shapeOf(heads, keys, depth)}), depth);
    GraphValue q = source.operandLike({dtype, shapeOf(heads * group, queries, depth)});
    // Products with large values may overflow before they are divided by the sum, but not after.
    GraphValue v = clamped(source.operandLike({dtype, shapeOf(heads, keys, width)}));
    v = repeated(v, width);
    q = source.chance(20) ? g.op(OpKind::Mul, {q, like(q, scale())}) : q;
    GraphValue logits = matmul(q, transposed(k));
    for (int64_t steps = source.below(4); steps > 0; --steps) {
      logits = step(logits);
    }
    GraphValue weights = softmax(logits);
    GraphValue result = source.chance(15) ? transposed(matmul(transposed(v), transposed(weights)))
                                          : matmul(weights, v);
    if (source.chance(40)) {
      joinHeads(result);
    }
  }

private:
  Shape shapeOf(int64_t count, int64_t rows, int64_t columns) const {
    Shape shape = batch;
    shape.insert(shape.end(), {count, rows, columns});
    return shape;
  }
  GraphValue transposed(GraphValue x) {
    std::vector<int64_t> perm(static_cast<size_t>(g.typeOf(x).rank()));
    std::iota(perm.begin(), perm.end(), 0);
    std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
    return g.permute(x, perm);
  }
  /// Each head once for every head of queries that shares it.
  GraphValue repeated(GraphValue x, int64_t columns) {
    if (group == 1) {
      return x;
    }
    Shape one = shapeOf(heads, keys, columns);
    one.insert(one.end() - 2, 1);
    Shape each = one;
    each[each.size() - 3] = group;
    return g.reshape(g.broadcast(g.reshape(x, one), each), shapeOf(heads * group, keys, columns));
  }
  GraphValue clamped(GraphValue x) {
    GraphValue low = g.op(OpKind::Max, {x, like(x, -64)});
    return g.op(OpKind::Min, {low, like(low, 64)});
  }
  GraphValue like(GraphValue x, double value) { return g.splatLike(x, value); }
  GraphValue matmul(GraphValue x, GraphValue y) { return g.op(OpKind::Matmul, {x, y}); }
  double scale() { return source.oneOf({0.5, 0.125, 0.3}); }

  /// A mask or bias: of some axes of the scores.
  GraphValue overScores(DType element, const Shape &all) {
    Shape part = all;
    for (int64_t &extent : part) {
      extent = source.chance(40) ? 1 : extent;
    }
    return g.broadcast(source.operandLike({element, part}), all);
  }
  GraphValue step(GraphValue x) {
    const Shape all = g.typeOf(x).shape;
    GraphValue lowest =
        like(x, source.chance(70) ? -std::numeric_limits<double>::infinity() : -1e4);
    switch (source.below(5)) {
    case 0: return g.op(OpKind::Mul, {x, like(x, scale())});
    case 1: return g.op(OpKind::Add, {x, overScores(g.typeOf(x).dtype, all)});
    case 2: return g.op(OpKind::Select, {overScores(DType::Bool, all), x, lowest});
    case 3: {
      auto rank = static_cast<int64_t>(all.size());
      GraphValue visible = g.op(OpKind::Le, {position(all, rank - 1), position(all, rank - 2)});
      return g.op(OpKind::Select, {visible, x, lowest});
    }
    default: return g.op(OpKind::Tanh, {x});
    }
  }
  GraphValue position(const Shape &all, int64_t axis) {
    return g.op(OpKind::Iota, {}, {{"shape", all}, {"axis", axis}, {"dtype", DType::I64}});
  }

  GraphValue softmax(GraphValue x) {
    DType own = g.typeOf(x).dtype;
    if (source.chance(20)) {
      x = g.cast(x, DType::F32);
    }
    int64_t last = g.typeOf(x).rank() - 1;
    GraphValue weights = source.chance(50) ? g.op(OpKind::Softmax, {x}, {{"axes", Shape{last}}})
                                           : writtenOut(x, {last});
    return g.cast(weights, own);
  }
  GraphValue writtenOut(GraphValue x, const std::vector<int64_t> &axes) {
    const Shape all = g.typeOf(x).shape;
    GraphValue largest = g.reduce(OpKind::ReduceMax, x, axes, true);
    GraphValue lowest = like(largest, -std::numeric_limits<double>::infinity());
    GraphValue hidden = g.op(OpKind::Eq, {largest, lowest});
    bool guarded = source.chance(50);
    auto orElse = [&](double value, GraphValue other) {
      return guarded ? g.op(OpKind::Select, {hidden, like(other, value), other}) : other;
    };
    GraphValue shifted = g.op(OpKind::Sub, {x, g.broadcast(orElse(0, largest), all)});
    GraphValue powers = g.op(OpKind::Exp, {shifted});
    GraphValue sum = orElse(1, g.reduce(OpKind::ReduceSum, powers, axes, true));
    return g.op(OpKind::Div, {powers, g.broadcast(sum, all)});
  }

  /// [batch.., heads, queries, width] with the heads side by side in a row.
  void joinHeads(GraphValue x) {
    auto first = static_cast<int64_t>(batch.size());
    std::vector<int64_t> perm = {first + 1, first, first + 2};
    if (first != 0) {
      perm.insert(perm.begin(), 0);
    }
    Shape joined = batch;
    joined.insert(joined.end(), {queries, heads * group * width});
    GraphValue rows = g.reshape(g.permute(x, perm), joined);
    if (source.chance(50)) {
      source.add(OpKind::Add, {rows, source.operandLike(g.typeOf(rows))});
    }
  }

  Source &source;
  GraphWriter &g;
  DType dtype;
  Shape batch;
  int64_t heads, group, queries, keys, depth, width;
};

} // namespace

bool addAttention(Source &source) {
  DType dtype = source.dtypeThat(
      [](DType type) { return isFloat(type) && byteSize(type) > 1; }); // 8 bits hold no scores
  AttentionWriter(source, dtype).write();
  return true;
}

} // namespace zyxc::fuzz

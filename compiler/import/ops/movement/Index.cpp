// Operators that pick or mark elements by index: gather, one-hot, triangles, identity matrices.
#include "compiler/import/node/OnnxOp.h"

namespace zyxc::importer {

static Status gather(OnnxNode &n) {
  ZYXC_ASSIGN(int64_t axis, n.axis(n.attrInt("axis", 0), n.rank(0)));
  return n.result(n.g.gather(n.in(0), n.in(1), axis));
}

/// Indices into an axis as i64, negative ones counted from its end.
static GraphValue fromFront(GraphWriter &g, GraphValue index, int64_t dim) {
  GraphValue wide = g.cast(index, DType::I64);
  return g.select(g.binary(OpKind::Lt, wide, 0.0), g.add(wide, Size{dim}), wide);
}

static Status gatherElements(OnnxNode &n) {
  ZYXC_ASSIGN(int64_t axis, n.axis(n.attrInt("axis", 0), n.rank(0)));
  const Shape &data = n.shape(0);
  if (n.rank(1) != n.rank(0)) {
    return n.malformed("indices of shape {} for data of shape {}", shapeText(n.shape(1)),
                       shapeText(data));
  }
  GraphValue index = fromFront(n.g, n.in(1), data[static_cast<size_t>(axis)]);
  return n.result(n.g.gatherAlong(n.in(0), index, axis));
}

/// result[b.., i.., r..] = x[b.., index[b.., i..]..., r..], through rows of the flat x.
static Status gatherNd(OnnxNode &n) {
  const Shape data = n.shape(0);
  const Shape index = n.shape(1);
  int64_t batch = n.attrInt("batch_dims", 0);
  int64_t depth = index.empty() ? 0 : index.back();
  if (dim::isSymbolic(depth)) {
    return n.unsupported("{} indices for each element: give {}", dim::toString(depth),
                         dimRemedy(depth));
  }
  if (index.empty() || batch < 0 || depth < 1 || batch >= static_cast<int64_t>(index.size()) ||
      depth > static_cast<int64_t>(data.size()) - batch) {
    return n.malformed("indices of shape {} do not suit data of shape {} with {} batch dims",
                       shapeText(index), shapeText(data), batch);
  }
  GraphWriter &g = n.g;
  size_t indexed = static_cast<size_t>(batch + depth);
  Shape rowDims(data.begin(), data.begin() + static_cast<int64_t>(indexed));
  Shape rest(data.begin() + static_cast<int64_t>(indexed), data.end());
  Shape strides = rowMajorStrides(rowDims);
  Shape outer(index.begin(), index.end() - 1);
  GraphValue row = g.splat(DType::I64, outer, 0);
  for (int64_t i = 0; i < batch + depth; ++i) {
    size_t at = static_cast<size_t>(i);
    GraphValue part;
    if (i < batch) {
      if (!g.agree(outer[at], data[at])) {
        return n.malformed("batch dim {} has sizes {} and {}", i, data[at], outer[at]);
      }
      part = g.iota(outer, i);
    } else {
      Shape begin(index.size(), 0), size = index;
      begin.back() = i - batch;
      size.back() = 1;
      GraphValue column = g.narrow(n.in(1), begin, size, Shape(index.size(), 1));
      part = fromFront(g, g.reshape(column, outer), data[at]);
    }
    row = g.add(row, g.mul(part, Size{strides[at]}));
  }
  Shape flat = rest;
  flat.insert(flat.begin(), numElements(rowDims));
  return n.result(g.op(OpKind::Gather, {g.reshape(n.in(0), flat), row}, {{"axis", int64_t(0)}}));
}

static Status oneHot(OnnxNode &n) {
  ZYXC_ASSIGN(int64_t depth, n.constantInt(1, 0));
  ZYXC_ASSIGN(int64_t axis, n.axis(n.attrInt("axis", -1), n.rank(0) + 1));
  if (depth < 0 || n.shape(2) != Shape{2}) {
    return n.malformed("depth {} and values of shape {}: not negative and 2 are needed",
                       dim::toString(depth), shapeText(n.shape(2)));
  }
  GraphWriter &g = n.g;
  Shape shape = n.shape(0);
  shape.insert(shape.begin() + axis, 1);
  GraphValue index = g.reshape(fromFront(g, n.in(0), depth), shape);
  shape[static_cast<size_t>(axis)] = depth;
  GraphValue hot = g.op(OpKind::Eq, {g.broadcast(index, shape), g.iota(shape, axis)});
  auto value = [&](int64_t i) {
    return g.broadcast(g.reshape(g.narrow(n.in(2), {i}, {1}, {1}), {}), shape);
  };
  return n.result(g.select(hot, value(1), value(0)));
}

/// column - row of the last two axes.
static GraphValue diagonalNumber(GraphWriter &g, const Shape &shape) {
  int64_t rank = static_cast<int64_t>(shape.size());
  return g.sub(g.iota(shape, rank - 1), g.iota(shape, rank - 2));
}

static Status eyeLike(OnnxNode &n) {
  ZYXC_ASSIGN(DType dtype, n.attrDType("dtype", n.type(0).dtype));
  if (n.rank(0) != 2) {
    return n.malformed("a matrix is needed, not shape {}", shapeText(n.shape(0)));
  }
  GraphValue number = diagonalNumber(n.g, n.shape(0));
  GraphValue diagonal = n.g.binary(OpKind::Eq, number, static_cast<double>(n.attrInt("k", 0)));
  return n.result(n.g.cast(diagonal, dtype));
}

static Status trilu(OnnxNode &n) {
  ZYXC_ASSIGN(int64_t k, n.constantInt(1, 0));
  if (n.rank(0) < 2) {
    return n.malformed("matrices are needed, not shape {}", shapeText(n.shape(0)));
  }
  OpKind side = n.attrInt("upper", 1) != 0 ? OpKind::Ge : OpKind::Le;
  GraphValue number = diagonalNumber(n.g, n.shape(0));
  GraphValue kept = n.g.binary(side, number, Size{k});
  return n.result(n.g.select(kept, n.in(0), n.g.like(n.in(0), 0)));
}

/// Element t of a sequence of length l is element l - 1 - t, or t from its end on.
static Status reverseSequence(OnnxNode &n) {
  GraphWriter &g = n.g;
  ZYXC_ASSIGN(int64_t batch, n.axis(n.attrInt("batch_axis", 1), n.rank(0)));
  ZYXC_ASSIGN(int64_t time, n.axis(n.attrInt("time_axis", 0), n.rank(0)));
  const Shape shape = n.shape(0);
  if (batch == time || n.rank(1) != 1 ||
      !g.agree(n.shape(1)[0], shape[static_cast<size_t>(batch)])) {
    return n.malformed("axes {} and {} of {} do not suit lengths of shape {}", batch, time,
                       shapeText(shape), shapeText(n.shape(1)));
  }
  GraphValue length = g.alongAxis(g.cast(n.in(1), DType::I64), batch, n.rank(0));
  GraphValue at = g.iota(shape, time);
  GraphValue mirrored = g.sub(g.broadcast(g.add(length, -1.0), shape), at);
  GraphValue index = g.select(g.binary(OpKind::Ge, mirrored, 0.0), mirrored, at);
  return n.result(g.gatherAlong(n.in(0), index, time));
}

/// The entries of an axis (or of the flat x) whose condition, which is known, holds.
static Status compress(OnnxNode &n) {
  ZYXC_ASSIGN(Tensor condition, n.constant(1));
  GraphValue x = n.in(0);
  int64_t axis = 0;
  if (n.hasAttr("axis")) {
    ZYXC_ASSIGN(axis, n.axis(n.attrInt("axis", 0), n.rank(0)));
  } else {
    x = n.g.reshape(x, {n.type(0).numElements()});
  }
  int64_t dim = n.g.shapeOf(x)[static_cast<size_t>(axis)];
  if (condition.type().rank() != 1 || condition.dtype() != DType::Bool ||
      condition.numElements() > dim) {
    return n.malformed("a condition of at most {} bools is needed, not {}", dim,
                       toString(condition.type()));
  }
  std::vector<int64_t> kept;
  for (int64_t i = 0; i < condition.numElements(); ++i) {
    if (condition.asInt(i) != 0) {
      kept.push_back(i);
    }
  }
  return n.result(n.g.gather(x, n.g.constant(Tensor::fromInts(kept)), axis));
}

/// Columns of the last axis, picked by a flat list.
static Status arrayFeatureExtractor(OnnxNode &n) {
  if (n.rank(0) < 1) {
    return n.malformed("an axis of features is needed, not {}", toString(n.type(0)));
  }
  GraphValue index = n.g.reshape(n.in(1), {n.type(1).numElements()});
  GraphValue y = n.g.gather(n.in(0), index, n.rank(0) - 1);
  return n.result(n.rank(0) == 1 ? n.g.reshape(y, {1, n.type(1).numElements()}) : y);
}

static constexpr OnnxOp rows[] = {
    {"Compress", 9, newest, 2, 2, 1, fixedDims, compress, 2},
    {"EyeLike", 9, newest, 1, 1, 1, openDims, eyeLike},
    {"Gather", 1, newest, 2, 2, 1, openDims, gather},
    {"GatherElements", 11, newest, 2, 2, 1, openDims, gatherElements},
    {"GatherND", 11, newest, 2, 2, 1, openDims, gatherNd},
    {"OneHot", 9, newest, 3, 3, 1, openDims, oneHot, 2},
    {"ReverseSequence", 10, newest, 2, 2, 1, openDims, reverseSequence},
    {"Trilu", 14, newest, 1, 2, 1, openDims, trilu, 2},
    {"ai.onnx.ml.ArrayFeatureExtractor", 1, newest, 2, 2, 1, openDims, arrayFeatureExtractor},
};

std::span<const OnnxOp> indexOps() {
  return rows;
}

} // namespace zyxc::importer

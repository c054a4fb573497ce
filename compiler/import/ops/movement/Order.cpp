// Operators that depend on the order of an axis, and those that write to places given by data.
#include "compiler/import/node/OnnxOp.h"

namespace zyxc::importer {

//===- Scans and sorts -----------------------------------------------------------------------===//

static Status scan(OnnxNode &n, OpKind kind) {
  ZYXC_ASSIGN(int64_t given, n.constantInt(1, 0));
  ZYXC_ASSIGN(int64_t axis, n.axis(given, n.rank(0)));
  return n.result(n.g.op(kind, {n.in(0)},
                         {{"axis", axis},
                          {"exclusive", static_cast<int64_t>(n.attrInt("exclusive", 0) != 0)},
                          {"reverse", static_cast<int64_t>(n.attrInt("reverse", 0) != 0)}}));
}

static Status cumSum(OnnxNode &n) {
  return scan(n, OpKind::ScanSum);
}

static Status cumProd(OnnxNode &n) {
  return scan(n, OpKind::ScanProd);
}

/// The axes with one of them last, and the way back (it swaps two axes).
static std::vector<int64_t> withLast(int64_t rank, int64_t axis) {
  std::vector<int64_t> perm(static_cast<size_t>(rank));
  for (int64_t i = 0; i < rank; ++i) {
    perm[static_cast<size_t>(i)] = i;
  }
  std::swap(perm[static_cast<size_t>(axis)], perm.back());
  return perm;
}

/// Positions of the first k of each sorted row, and the elements that stand there.
static Status topK(OnnxNode &n) {
  int64_t k = n.attrInt("k", 0);
  if (n.opset >= 10) {
    ZYXC_ASSIGN(k, n.constantInt(1, 0));
  }
  if (n.rank(0) == 0) {
    return n.malformed("a tensor with an axis is needed, not a scalar");
  }
  ZYXC_ASSIGN(int64_t axis, n.axis(n.attrInt("axis", -1), n.rank(0)));
  int64_t length = n.shape(0)[static_cast<size_t>(axis)];
  if (dim::isSymbolic(k)) {
    return n.unsupported("k is {}, not a number: give {}", dim::toString(k), dimRemedy(k));
  }
  if (k < 0 || k > length) {
    return n.malformed("k is {}, axis {} has {} elements", k, axis, length);
  }
  GraphWriter &g = n.g;
  std::vector<int64_t> perm = withLast(n.rank(0), axis);
  GraphValue rows = g.permute(n.in(0), perm);
  auto descending = static_cast<int64_t>(n.attrInt("largest", 1) != 0);
  GraphValue order = g.op(OpKind::ArgSort, {rows}, {{"descending", descending}});
  Shape kept = g.shapeOf(rows);
  kept.back() = k;
  GraphValue first = g.narrow(order, Shape(kept.size(), 0), kept, Shape(kept.size(), 1));
  int64_t count = numElements(std::span(kept).first(kept.size() - 1));
  GraphValue at = g.reshape(first, {k == 0 ? 0 : count, k});
  if (k > 0) {
    at = g.add(at, g.mul(g.iota({count, k}, 0), Size{length}));
  }
  GraphValue flat = g.reshape(rows, {numElements(n.shape(0))});
  GraphValue values = g.like(g.cast(first, g.dtypeOf(rows)), 0);
  if (numElements(kept) > 0) {
    values = g.reshape(g.op(OpKind::Gather, {flat, at}, {{"axis", int64_t(0)}}), kept);
  }
  ZYXC_RETURN_IF_ERROR(n.result(g.permute(values, perm)));
  return n.result(g.permute(first, perm));
}

//===- Scatter -------------------------------------------------------------------------------===//

/// An index along a dim as i64, from the front, and whether it lies within.
static GraphValue checkedIndex(GraphWriter &g, GraphValue index, int64_t dim, GraphValue &valid) {
  GraphValue wide = g.cast(index, DType::I64);
  GraphValue front = g.select(g.binary(OpKind::Lt, wide, 0.0), g.add(wide, Size{dim}), wide);
  GraphValue within = g.binary(OpKind::And, g.binary(OpKind::Ge, front, 0.0),
                               g.binary(OpKind::Lt, front, Size{dim}));
  valid = g.binary(OpKind::And, valid, within);
  return front;
}

static Expected<std::string> reduction(const OnnxNode &n) {
  std::string name = n.attrString("reduction", "none");
  constexpr std::string_view known[] = {"none", "add", "mul", "max", "min"};
  if (std::find(std::begin(known), std::end(known), name) == std::end(known)) {
    return n.malformed("reduction is '{}', not none, add, mul, max or min", name);
  }
  return name;
}

/// Writes rows of `updates` to rows of x; both are flat but for a row's own elements. A place that
/// is not valid is out of range, so its update is dropped.
static GraphValue scatterRows(GraphWriter &g, GraphValue x, GraphValue place, GraphValue valid,
                              GraphValue updates, std::string combine) {
  GraphValue outside = g.like(place, Size{g.shapeOf(x)[0]});
  return g.op(OpKind::Scatter, {x, g.select(valid, place, outside), updates},
              {{"combine", std::move(combine)}});
}

/// x with x[i0..index[i0..ik]..ik] = updates[i0..ik], through offsets into the flat x.
static Status scatterElements(OnnxNode &n) {
  ZYXC_ASSIGN(int64_t axis, n.axis(n.attrInt("axis", 0), n.rank(0)));
  ZYXC_ASSIGN(std::string combine, reduction(n));
  const Shape data = n.shape(0);
  const Shape shape = n.shape(1);
  if (shape.size() != data.size() || !n.g.agree(n.shape(2), shape)) {
    return n.malformed("indices of shape {} and updates of shape {} for data of shape {}",
                       shapeText(shape), shapeText(n.shape(2)), shapeText(data));
  }
  for (size_t i = 0; i < data.size(); ++i) {
    bool within = static_cast<int64_t>(i) == axis || dim::provablyAtMost(shape[i], data[i]);
    if (!within && !n.g.agree(shape[i], data[i])) {
      return n.malformed("indices of shape {} exceed data of shape {}", shapeText(shape),
                         shapeText(data));
    }
  }
  GraphWriter &g = n.g;
  Shape strides = rowMajorStrides(data);
  GraphValue offset = g.splat(DType::I64, shape, 0);
  GraphValue valid = g.splat(DType::Bool, shape, 1);
  for (size_t i = 0; i < data.size(); ++i) {
    GraphValue at = static_cast<int64_t>(i) == axis ? checkedIndex(g, n.in(1), data[i], valid)
                                                    : g.iota(shape, static_cast<int64_t>(i));
    offset = g.add(offset, g.mul(at, Size{strides[i]}));
  }
  Shape flat{numElements(shape)};
  GraphValue result =
      scatterRows(g, g.reshape(n.in(0), {numElements(data)}), g.reshape(offset, flat),
                  g.reshape(valid, flat), g.reshape(n.in(2), flat), std::move(combine));
  return n.result(g.reshape(result, data));
}

/// x with x[index[i.., :].., r..] = updates[i.., r..], through rows of the flat x.
static Status scatterNd(OnnxNode &n) {
  ZYXC_ASSIGN(std::string combine, reduction(n));
  const Shape data = n.shape(0);
  const Shape index = n.shape(1);
  int64_t depth = index.empty() ? 0 : index.back();
  if (index.empty() || depth < 1 || depth > static_cast<int64_t>(data.size())) {
    return n.malformed("indices of shape {} do not suit data of shape {}", shapeText(index),
                       shapeText(data));
  }
  Shape rowDims(data.begin(), data.begin() + depth);
  Shape rest(data.begin() + depth, data.end());
  Shape outer(index.begin(), index.end() - 1);
  Shape expected = outer;
  expected.insert(expected.end(), rest.begin(), rest.end());
  if (!n.g.agree(n.shape(2), expected)) {
    return n.malformed("updates of shape {}, not {}", shapeText(n.shape(2)), shapeText(expected));
  }
  GraphWriter &g = n.g;
  Shape strides = rowMajorStrides(rowDims);
  GraphValue row = g.splat(DType::I64, outer, 0);
  GraphValue valid = g.splat(DType::Bool, outer, 1);
  for (int64_t i = 0; i < depth; ++i) {
    auto at = static_cast<size_t>(i);
    Shape begin(index.size(), 0), size = index;
    begin.back() = i;
    size.back() = 1;
    GraphValue column = g.narrow(n.in(1), begin, size, Shape(index.size(), 1));
    GraphValue part = checkedIndex(g, g.reshape(column, outer), data[at], valid);
    row = g.add(row, g.mul(part, Size{strides[at]}));
  }
  int64_t count = numElements(outer);
  Shape flat = rest, flatUpdates = rest;
  flat.insert(flat.begin(), numElements(rowDims));
  flatUpdates.insert(flatUpdates.begin(), count);
  GraphValue result =
      scatterRows(g, g.reshape(n.in(0), flat), g.reshape(row, {count}), g.reshape(valid, {count}),
                  g.reshape(n.in(2), flatUpdates), std::move(combine));
  return n.result(g.reshape(result, data));
}

/// New keys or values at a place of each batch's cache; a circular one begins again at its end.
static Status tensorScatter(OnnxNode &n) {
  const Shape cache = n.shape(0);
  const Shape update = n.shape(1);
  std::string mode = n.attrString("mode", "linear");
  ZYXC_ASSIGN(int64_t axis, n.axis(n.attrInt("axis", -2), n.rank(0)));
  if (mode != "linear" && mode != "circular") {
    return n.malformed("mode is '{}', not linear or circular", mode);
  }
  Shape expected = cache;
  if (axis > 0 && update.size() == cache.size()) {
    expected[static_cast<size_t>(axis)] = update[static_cast<size_t>(axis)];
  }
  if (axis == 0 || update != expected) {
    return n.malformed("an update of shape {} at axis {} of a cache of shape {}", shapeText(update),
                       axis, shapeText(cache));
  }
  GraphWriter &g = n.g;
  GraphValue start = g.splat(DType::I64, update, 0);
  if (n.has(2)) {
    if (n.shape(2) != Shape{cache[0]}) {
      return n.malformed("write indices of shape {} for {} batches", shapeText(n.shape(2)),
                         cache[0]);
    }
    GraphValue perBatch = g.alongAxis(g.cast(n.in(2), DType::I64), 0, n.rank(0));
    start = g.broadcast(perBatch, update);
  }
  Shape strides = rowMajorStrides(cache);
  GraphValue offset = g.splat(DType::I64, update, 0);
  GraphValue valid = g.splat(DType::Bool, update, 1);
  for (size_t i = 0; i < cache.size(); ++i) {
    GraphValue at = g.iota(update, static_cast<int64_t>(i));
    if (static_cast<int64_t>(i) == axis) {
      at = g.add(at, start);
      at = mode == "circular" ? g.binary(OpKind::Mod, at, static_cast<double>(cache[i]))
                              : checkedIndex(g, at, cache[i], valid);
    }
    offset = g.add(offset, g.mul(at, Size{strides[i]}));
  }
  Shape flat{numElements(update)};
  GraphValue result =
      scatterRows(g, g.reshape(n.in(0), {numElements(cache)}), g.reshape(offset, flat),
                  g.reshape(valid, flat), g.reshape(n.in(1), flat), "none");
  return n.result(g.reshape(result, cache));
}

/// Elements at their flat places in zeros; a given shape pads that at its end.
static Status maxUnpool(OnnxNode &n) {
  const Shape x = n.shape(0);
  const size_t spatial = x.size() < 2 ? 0 : x.size() - 2;
  Shape sizes = n.attrInts("kernel_shape");
  Shape strides = n.attrInts("strides", Shape(spatial, 1));
  Shape pads = n.attrInts("pads", Shape(2 * spatial, 0));
  if (spatial == 0 || sizes.size() != spatial || strides.size() != spatial ||
      pads.size() != 2 * spatial || n.shape(1) != x) {
    return n.malformed("kernel_shape, strides, pads and indices do not suit shape {}",
                       shapeText(x));
  }
  ZYXC_RETURN_IF_ERROR(n.g.takeStatus());
  Shape shape(x.begin(), x.begin() + 2);
  for (size_t i = 0; i < spatial; ++i) {
    shape.push_back((x[i + 2] - 1) * strides[i] + sizes[i] - pads[i] - pads[spatial + i]);
    if (shape.back() < 0) {
      return n.malformed("the result would have the size {}", shape.back());
    }
  }
  GraphWriter &g = n.g;
  GraphValue place = g.reshape(n.in(1), {numElements(x)});
  GraphValue valid = g.splat(DType::Bool, {numElements(x)}, 1);
  place = checkedIndex(g, place, numElements(shape), valid);
  GraphValue zeros = g.splat(n.type(0).dtype, {numElements(shape)}, 0);
  GraphValue result = g.reshape(
      scatterRows(g, zeros, place, valid, g.reshape(n.in(0), {numElements(x)}), "none"), shape);
  if (n.has(2)) {
    ZYXC_ASSIGN(Shape wanted, n.constantInts(2));
    Shape high;
    bool fits = wanted.size() == shape.size();
    for (size_t i = 0; fits && i < shape.size(); ++i) {
      high.push_back(wanted[i] - shape[i]);
      fits = high.back() >= 0;
    }
    if (!fits) {
      return n.malformed("output_shape {} is smaller than {}", shapeText(wanted), shapeText(shape));
    }
    result = g.pad(result, Shape(shape.size(), 0), high, g.splat(n.type(0).dtype, {}, 0));
  }
  return n.result(result);
}

static constexpr OnnxOp rows[] = {
    {"CumProd", 26, newest, 2, 2, 1, openDims, cumProd, 2},
    {"CumSum", 11, newest, 2, 2, 1, openDims, cumSum, 2},
    {"MaxUnpool", 9, newest, 2, 3, 1, fixedDims, maxUnpool, 4},
    {"Scatter", 9, 10, 3, 3, 1, openDims, scatterElements},
    {"ScatterElements", 11, newest, 3, 3, 1, openDims, scatterElements},
    {"ScatterND", 11, newest, 3, 3, 1, openDims, scatterNd},
    {"TensorScatter", 24, newest, 2, 3, 1, fixedDims, tensorScatter},
    {"TopK", 1, 9, 1, 1, 2, openDims, topK},
    {"TopK", 10, newest, 2, 2, 2, openDims, topK, 2},
};

std::span<const OnnxOp> orderOps() {
  return rows;
}

} // namespace zyxc::importer

// Reductions over axes, and the index of an extreme value.
#include "compiler/import/node/OnnxOp.h"
#include <algorithm>
#include <numeric>

namespace zyxc::importer {

/// What a Reduce operator says besides its function.
struct Reduction {
  std::vector<int64_t> axes;
  bool keepDims = true;
};

static Expected<Reduction> reductionOf(OnnxNode &n) {
  Reduction result;
  result.keepDims = n.attrInt("keepdims", 1) != 0;
  ZYXC_ASSIGN(std::vector<int64_t> axes, n.intsOf(1, "axes"));
  ZYXC_ASSIGN(result.axes, n.axes(std::move(axes), n.rank(0)));
  if (result.axes.empty() && n.attrInt("noop_with_empty_axes", 0) == 0) {
    result.axes.resize(static_cast<size_t>(n.rank(0)));
    std::iota(result.axes.begin(), result.axes.end(), 0);
  }
  return result;
}

template <OpKind kind> static Status simple(OnnxNode &n) {
  ZYXC_ASSIGN(Reduction r, reductionOf(n));
  return n.result(n.g.reduce(kind, n.in(0), r.axes, r.keepDims));
}

/// Max and Min of bools are or and and.
template <OpKind kind, OpKind ofBools> static Status extreme(OnnxNode &n) {
  ZYXC_ASSIGN(Reduction r, reductionOf(n));
  OpKind used = n.type(0).dtype == DType::Bool ? ofBools : kind;
  return n.result(n.g.reduce(used, n.in(0), r.axes, r.keepDims));
}

static Status sumSquare(OnnxNode &n) {
  ZYXC_ASSIGN(Reduction r, reductionOf(n));
  GraphValue x = n.in(0);
  return n.result(n.g.reduce(OpKind::ReduceSum, n.g.mul(x, x), r.axes, r.keepDims));
}

static Status l1(OnnxNode &n) {
  ZYXC_ASSIGN(Reduction r, reductionOf(n));
  GraphValue magnitude = isUnsigned(n.type(0).dtype) ? n.in(0) : n.g.op(OpKind::Abs, {n.in(0)});
  return n.result(n.g.reduce(OpKind::ReduceSum, magnitude, r.axes, r.keepDims));
}

/// Dtype for functions that only floats have: integers are computed in f64 and converted back.
static GraphValue asFloat(OnnxNode &n) {
  DType dtype = n.type(0).dtype;
  return n.g.cast(n.in(0), isFloat(dtype) ? dtype : DType::F64);
}

static Status l2(OnnxNode &n) {
  ZYXC_ASSIGN(Reduction r, reductionOf(n));
  GraphValue x = asFloat(n);
  GraphValue sum = n.g.reduce(OpKind::ReduceSum, n.g.mul(x, x), r.axes, r.keepDims);
  return n.result(n.g.cast(n.g.op(OpKind::Sqrt, {sum}), n.type(0).dtype));
}

static Status logSum(OnnxNode &n) {
  ZYXC_ASSIGN(Reduction r, reductionOf(n));
  GraphValue sum = n.g.reduce(OpKind::ReduceSum, asFloat(n), r.axes, r.keepDims);
  return n.result(n.g.cast(n.g.op(OpKind::Log, {sum}), n.type(0).dtype));
}

/// log of the sum of e^x, with the largest x taken out; an infinite one is left in.
static Status logSumExp(OnnxNode &n) {
  ZYXC_ASSIGN(Reduction r, reductionOf(n));
  GraphWriter &g = n.g;
  GraphValue x = asFloat(n);
  GraphValue largest = g.reduce(OpKind::ReduceMax, x, r.axes, true);
  GraphValue shift = g.select(g.op(OpKind::IsInf, {largest}), g.like(largest, 0), largest);
  GraphValue sum = g.reduce(OpKind::ReduceSum, g.op(OpKind::Exp, {g.sub(x, shift)}), r.axes, true);
  GraphValue result = g.add(g.op(OpKind::Log, {sum}), shift);
  // The shift has the kept dims: drop them at the end.
  Shape shape;
  for (int64_t i = 0; i < n.rank(0); ++i) {
    bool reduced = std::find(r.axes.begin(), r.axes.end(), i) != r.axes.end();
    if (!reduced || r.keepDims) {
      shape.push_back(reduced ? 1 : n.shape(0)[static_cast<size_t>(i)]);
    }
  }
  return n.result(g.cast(g.reshape(result, shape), n.type(0).dtype));
}

static Status mean(OnnxNode &n) {
  ZYXC_ASSIGN(Reduction r, reductionOf(n));
  return n.result(n.g.mean(n.in(0), r.axes, r.keepDims));
}

template <OpKind kind> static Status argExtreme(OnnxNode &n) {
  ZYXC_ASSIGN(int64_t axis, n.axis(n.attrInt("axis", 0), n.rank(0)));
  int64_t last = n.attrInt("select_last_index", 0) != 0;
  Shape shape = n.shape(0);
  if (shape[static_cast<size_t>(axis)] == 0) {
    return n.malformed("axis {} has no elements", axis);
  }
  GraphValue result =
      n.g.op(kind, {n.in(0)}, {{"axes", std::vector<int64_t>{axis}}, {"last", last}});
  if (n.attrInt("keepdims", 1) != 0) {
    shape[static_cast<size_t>(axis)] = 1;
    result = n.g.reshape(result, shape);
  }
  return n.result(result);
}

// Axes are an input since operator set 13 (ReduceSum) or 18 (the others); before, an attribute.
static constexpr OnnxOp rows[] = {
    {"ArgMax", 1, newest, 1, 1, 1, openDims, argExtreme<OpKind::ArgMax>},
    {"ArgMin", 1, newest, 1, 1, 1, openDims, argExtreme<OpKind::ArgMin>},
    {"ReduceL1", 1, newest, 1, 2, 1, openDims, l1, 2},
    {"ReduceL2", 1, newest, 1, 2, 1, openDims, l2, 2},
    {"ReduceLogSum", 1, newest, 1, 2, 1, openDims, logSum, 2},
    {"ReduceLogSumExp", 1, newest, 1, 2, 1, openDims, logSumExp, 2},
    {"ReduceMax", 1, newest, 1, 2, 1, openDims, extreme<OpKind::ReduceMax, OpKind::ReduceOr>, 2},
    {"ReduceMean", 1, newest, 1, 2, 1, openDims, mean, 2},
    {"ReduceMin", 1, newest, 1, 2, 1, openDims, extreme<OpKind::ReduceMin, OpKind::ReduceAnd>, 2},
    {"ReduceProd", 1, newest, 1, 2, 1, openDims, simple<OpKind::ReduceProd>, 2},
    {"ReduceSum", 1, newest, 1, 2, 1, openDims, simple<OpKind::ReduceSum>, 2},
    {"ReduceSumSquare", 1, newest, 1, 2, 1, openDims, sumSquare, 2},
};

std::span<const OnnxOp> reduceOps() {
  return rows;
}

} // namespace zyxc::importer

// Products and convolutions of small integers with zero points, summed in i32, and those that scale
// their result back to small integers.
#include "compiler/import/node/OnnxOp.h"
#include "compiler/import/ops/network/Convolution.h"

namespace zyxc::importer {

/// A scale or zero point with axes to broadcast to `rank` axes: a number, one for each entry of
/// `axis`, or a tensor that has the axes already.
static Expected<GraphValue> perEntry(OnnxNode &n, size_t input, int64_t axis, int64_t rank) {
  if (n.type(input).numElements() == 1) {
    return n.g.reshape(n.in(input), {});
  }
  if (n.rank(input) == 1 && axis >= 0) {
    return n.g.alongAxis(n.in(input), axis, rank);
  }
  if (n.rank(input) != rank) {
    return n.malformed("input {} of shape {} does not suit {} axes", input,
                       shapeText(n.shape(input)), rank);
  }
  return n.in(input);
}

/// An operand less its zero point, in i32.
static Expected<GraphValue> centered(OnnxNode &n, size_t input, size_t zeroPoint, int64_t axis) {
  GraphWriter &g = n.g;
  GraphValue x = g.cast(n.in(input), DType::I32);
  if (!n.has(zeroPoint)) {
    return x;
  }
  ZYXC_ASSIGN(GraphValue zero, perEntry(n, zeroPoint, axis, n.rank(input)));
  return g.sub(x, g.broadcast(g.cast(zero, DType::I32), n.shape(input)));
}

static Status matMulInteger(OnnxNode &n) {
  ZYXC_ASSIGN(GraphValue a, centered(n, 0, 2, n.rank(0) - 2));
  ZYXC_ASSIGN(GraphValue b, centered(n, 1, 3, n.rank(1) - 1));
  return n.result(n.g.matmul(a, b));
}

static Status convInteger(OnnxNode &n) {
  ZYXC_ASSIGN(GraphValue x, centered(n, 0, 2, 1));
  ZYXC_ASSIGN(GraphValue w, centered(n, 1, 3, 0));
  ZYXC_ASSIGN(GraphValue y, convolution(n, x, w));
  return n.result(y);
}

/// sum * (first scale * second scale / result's scale), rounded, plus the zero point, saturated.
static GraphValue requantized(OnnxNode &n, GraphValue sum, GraphValue factor, size_t zeroPoint) {
  GraphWriter &g = n.g;
  GraphValue y = g.mul(g.cast(sum, DType::F32), g.cast(factor, DType::F32));
  GraphValue zero = g.cast(g.reshape(n.in(zeroPoint), {}), DType::F32);
  return g.cast(g.add(g.op(OpKind::Round, {y}), zero), n.type(zeroPoint).dtype);
}

static Status checkScalars(OnnxNode &n, std::initializer_list<size_t> inputs) {
  for (size_t i : inputs) {
    if (n.type(i).numElements() != 1) {
      return n.unsupported("input {} must be one number, not {}", i, toString(n.type(i)));
    }
  }
  return Status::ok();
}

/// a, scale, zero; b, scale, zero; scale, zero of the result.
static Status qLinearMatMul(OnnxNode &n) {
  GraphWriter &g = n.g;
  ZYXC_RETURN_IF_ERROR(checkScalars(n, {6, 7}));
  ZYXC_ASSIGN(GraphValue a, centered(n, 0, 2, n.rank(0) - 2));
  ZYXC_ASSIGN(GraphValue b, centered(n, 3, 5, n.rank(3) - 1));
  GraphValue product = g.matmul(a, b);
  ZYXC_RETURN_IF_ERROR(g.takeStatus());
  auto rank = static_cast<int64_t>(g.shapeOf(product).size());
  ZYXC_ASSIGN(GraphValue first, perEntry(n, 1, rank - 2, rank));
  ZYXC_ASSIGN(GraphValue second, perEntry(n, 4, rank - 1, rank));
  GraphValue scale = g.reshape(g.cast(n.in(6), DType::F32), {});
  GraphValue factor = g.mul(g.cast(first, DType::F32), g.cast(second, DType::F32));
  return n.result(requantized(n, product, g.div(factor, scale), 7));
}

/// x, scale, zero; w, scale, zero; scale, zero of the result; bias in i32.
static Status qLinearConv(OnnxNode &n) {
  GraphWriter &g = n.g;
  ZYXC_RETURN_IF_ERROR(checkScalars(n, {1, 2, 6, 7}));
  ZYXC_ASSIGN(GraphValue x, centered(n, 0, 2, 1));
  ZYXC_ASSIGN(GraphValue w, centered(n, 3, 5, 0));
  ZYXC_ASSIGN(GraphValue sum, convolution(n, x, w));
  if (n.has(8)) {
    sum = g.add(sum, g.alongAxis(n.in(8), 1, n.rank(0)));
  }
  ZYXC_ASSIGN(GraphValue perChannel, perEntry(n, 4, 1, n.rank(0)));
  GraphValue factor = g.mul(g.reshape(n.in(1), {}), perChannel);
  return n.result(requantized(n, sum, g.div(factor, g.reshape(n.in(6), {})), 7));
}

static constexpr OnnxOp rows[] = {
    {"ConvInteger", 10, newest, 2, 4, 1, openDims, convInteger},
    {"MatMulInteger", 10, newest, 2, 4, 1, openDims, matMulInteger},
    {"QLinearConv", 10, newest, 8, 9, 1, openDims, qLinearConv},
    {"QLinearMatMul", 10, newest, 8, 8, 1, openDims, qLinearMatMul},
};

std::span<const OnnxOp> integerProductOps() {
  return rows;
}

} // namespace zyxc::importer

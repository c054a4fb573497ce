// Quantization: conversion to and from small integers and 8-bit floats, with a scale and a zero
// point for a tensor, an axis or blocks of one.
#include "compiler/import/node/OnnxOp.h"
#include "compiler/import/ops/elementwise/Cast.h"
#include <numeric>

namespace zyxc::importer {

/// A scale or zero point spread to the shape of what it belongs to: one number, one for each entry
/// of the node's axis, or one for each block along it.
static Expected<GraphValue> spread(OnnxNode &n, size_t input, const Shape &shape) {
  GraphWriter &g = n.g;
  GraphValue x = n.in(input);
  if (n.type(input).numElements() == 1 && n.rank(input) <= 1) {
    return g.broadcast(g.reshape(x, {}), shape);
  }
  auto rank = static_cast<int64_t>(shape.size());
  ZYXC_ASSIGN(int64_t axis, n.axis(n.attrInt("axis", 1), rank));
  auto at = static_cast<size_t>(axis);
  int64_t block = n.attrInt("block_size", 0);
  if (n.rank(input) == 1 && block == 0 && g.agree(n.shape(input)[0], shape[at])) {
    return g.broadcast(g.alongAxis(x, axis, rank), shape);
  }
  Shape blocks = shape;
  blocks[at] = block > 0 ? dim::ceilDiv(shape[at], block) : 0;
  if (block < 1 || !g.agree(n.shape(input), blocks)) {
    return n.malformed("a scale or zero point of shape {} does not suit {}, axis {} and blocks of "
                       "{}",
                       shapeText(n.shape(input)), shapeText(shape), axis, block);
  }
  // [.., blocks, ..] becomes [.., blocks, block, ..], then one axis, whose end may be too long.
  Shape split = blocks;
  split.insert(split.begin() + axis + 1, 1);
  x = g.reshape(x, split);
  split[at + 1] = block;
  Shape merged = blocks;
  merged[at] = dim::mul(merged[at], block);
  x = g.reshape(g.broadcast(x, split), merged);
  return g.slice(x, axis, 0, shape[at]);
}

/// The dtype of quantized values: that of the zero point, or an attribute's.
static Expected<DType> quantizedType(OnnxNode &n, size_t zeroPoint) {
  if (n.has(zeroPoint)) {
    return n.type(zeroPoint).dtype;
  }
  bool given = n.attrInt("output_dtype", 0) != 0;
  return given ? n.attrDType("output_dtype", DType::U8) : Expected<DType>(DType::U8);
}

static Status quantizeLinear(OnnxNode &n) {
  GraphWriter &g = n.g;
  const Shape shape = n.shape(0);
  ZYXC_ASSIGN(DType to, quantizedType(n, 2));
  ZYXC_ASSIGN(GraphValue scale, spread(n, 1, shape));
  DType precision = g.dtypeOf(scale);
  if (n.attrInt("precision", 0) != 0) {
    ZYXC_ASSIGN(precision, n.attrDType("precision", precision));
  }
  GraphValue y = g.div(g.cast(n.in(0), precision), g.cast(scale, precision));
  // Sums of small integers are exact in f32, whatever the precision of the quotient.
  DType wide = precision == DType::F64 ? precision : DType::F32;
  y = isFloat(to) ? y : g.cast(g.op(OpKind::Round, {y}), wide);
  if (n.has(2)) {
    ZYXC_ASSIGN(GraphValue zero, spread(n, 2, shape));
    y = g.add(y, g.cast(zero, g.dtypeOf(y)));
  }
  // The cast to an integer saturates, which is what is wanted of quantized values.
  return n.result(isFloat(to) ? castAsOnnx(n, y, to) : g.cast(y, to));
}

static Status dequantizeLinear(OnnxNode &n) {
  GraphWriter &g = n.g;
  const Shape shape = n.shape(0);
  DType from = n.type(0).dtype;
  ZYXC_ASSIGN(GraphValue scale, spread(n, 1, shape));
  DType to = g.dtypeOf(scale);
  if (n.attrInt("output_dtype", 0) != 0) {
    ZYXC_ASSIGN(to, n.attrDType("output_dtype", to));
  }
  DType wide = to == DType::F64 ? to : DType::F32;
  // Differences are exact in i32, where a float would round those of large integers.
  DType difference = isFloat(from) ? wide : DType::I32;
  GraphValue x = g.cast(n.in(0), difference);
  if (n.has(2)) {
    ZYXC_ASSIGN(GraphValue zero, spread(n, 2, shape));
    x = g.sub(x, g.cast(zero, difference));
  }
  return n.result(g.cast(g.mul(g.cast(x, wide), g.cast(scale, wide)), to));
}

/// Scale and zero point of u8 from the range of x, which includes 0.
static Status dynamicQuantizeLinear(OnnxNode &n) {
  GraphWriter &g = n.g;
  std::vector<int64_t> axes(static_cast<size_t>(n.rank(0)));
  std::iota(axes.begin(), axes.end(), 0);
  GraphValue x = n.in(0);
  GraphValue largest = g.binary(OpKind::Max, g.reduce(OpKind::ReduceMax, x, axes, false), 0.0);
  GraphValue least = g.binary(OpKind::Min, g.reduce(OpKind::ReduceMin, x, axes, false), 0.0);
  GraphValue scale = g.binary(OpKind::Div, g.sub(largest, least), 255.0);
  // Zeros only: any scale does, but 0.
  scale = g.select(g.binary(OpKind::Eq, scale, 0.0), g.like(scale, 1), scale);
  GraphValue zero = g.op(OpKind::Neg, {g.div(least, scale)});
  zero = g.op(OpKind::Round, {g.binary(OpKind::Min, g.binary(OpKind::Max, zero, 0.0), 255.0)});
  GraphValue y = g.add(g.op(OpKind::Round, {g.div(x, scale)}), zero);
  ZYXC_RETURN_IF_ERROR(n.result(g.cast(y, DType::U8)));
  ZYXC_RETURN_IF_ERROR(n.result(scale));
  return n.result(g.cast(zero, DType::U8));
}

// Rows by version: blocks came with operator set 21; the forms of old models are the same.
static constexpr OnnxOp rows[] = {
    {"DequantizeLinear", 10, newest, 2, 3, 1, openDims, dequantizeLinear},
    {"DynamicQuantizeLinear", 11, newest, 1, 1, 3, openDims, dynamicQuantizeLinear},
    {"QuantizeLinear", 10, newest, 2, 3, 1, openDims, quantizeLinear},
};

std::span<const OnnxOp> quantizeOps() {
  return rows;
}

} // namespace zyxc::importer

// Pools: over sliding windows and over whole images.
#include "compiler/import/node/OnnxOp.h"
#include "compiler/import/ops/network/Windows.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace zyxc::importer {

/// The least value of a dtype: padding that never wins.
static double leastValue(DType dtype) {
  if (isFloat(dtype)) {
    return -std::numeric_limits<double>::infinity();
  }
  auto bits = static_cast<int>(8 * byteSize(dtype));
  return isUnsigned(dtype) ? 0 : -std::ldexp(1.0, bits - 1);
}

/// For each window, the position of its first largest element in the flat x; column-major within an
/// image if `columnMajor`.
static GraphValue maxPositions(OnnxNode &n, const OnnxWindows &w, bool columnMajor) {
  GraphWriter &g = n.g;
  size_t count = w.sizes.size();
  const Shape image = n.shape(0);
  Shape low = {0, 0}, high = {0, 0};
  low.insert(low.end(), w.low.begin(), w.low.end());
  high.insert(high.end(), w.high.begin(), w.high.end());
  DType dtype = n.type(0).dtype;
  GraphValue padded = g.pad(n.in(0), low, high, g.splat(dtype, {}, leastValue(dtype)));
  GraphValue windows =
      g.op(OpKind::Window, {padded},
           {{"sizes", w.sizes}, {"strides", w.strides}, {"dilations", w.dilations}});
  Shape flat = g.shapeOf(windows);
  flat.resize(image.size());
  const Shape result = flat;
  flat.push_back(numElements(w.sizes));
  GraphValue first = g.reduce(OpKind::ArgMax, g.reshape(windows, flat), {n.rank(0)}, false);
  GraphValue element = g.cast(first, DType::I64); // in its window
  int64_t pixels = numElements(std::span(image).subspan(2));
  GraphValue position = g.add(g.mul(g.iota(result, 0), static_cast<double>(image[1] * pixels)),
                              g.mul(g.iota(result, 1), static_cast<double>(pixels)));
  int64_t windowStride = numElements(w.sizes), stride = columnMajor ? 1 : pixels;
  for (size_t i = 0; i < count; ++i) {
    windowStride /= w.sizes[i];
    stride = columnMajor ? stride : stride / image[i + 2];
    GraphValue inWindow =
        g.binary(OpKind::Mod, g.binary(OpKind::Div, element, static_cast<double>(windowStride)),
                 static_cast<double>(w.sizes[i]));
    GraphValue at =
        g.mul(g.iota(result, static_cast<int64_t>(i) + 2), static_cast<double>(w.strides[i]));
    at = g.add(g.add(at, g.mul(inWindow, static_cast<double>(w.dilations[i]))),
               -static_cast<double>(w.low[i]));
    position = g.add(position, g.mul(at, static_cast<double>(stride)));
    stride = columnMajor ? stride * image[i + 2] : stride;
  }
  return position;
}

static Status maxPool(OnnxNode &n) {
  ZYXC_ASSIGN(OnnxWindows w, windowsOf(n, n.attrInts("kernel_shape")));
  ZYXC_RETURN_IF_ERROR(n.result(n.g.op(OpKind::MaxPool, {n.in(0)},
                                       {{"sizes", w.sizes},
                                        {"strides", w.strides},
                                        {"low", w.low},
                                        {"high", w.high},
                                        {"dilations", w.dilations}})));
  if (n.numOutputs() < 2) {
    return Status::ok();
  }
  if (dim::anySymbolic(n.shape(0))) {
    return n.unsupported("positions of the largest elements of {}: give {}", shapeText(n.shape(0)),
                         dimRemedy(n.shape(0)));
  }
  return n.result(maxPositions(n, w, n.attrInt("storage_order", 0) != 0));
}

static Status averagePool(OnnxNode &n) {
  ZYXC_ASSIGN(OnnxWindows w, windowsOf(n, n.attrInts("kernel_shape")));
  std::vector<int64_t> countLow(w.low.size(), 0);
  std::vector<int64_t> countHigh(w.low.size(), 0);
  if (n.attrInt("count_include_pad", 0) != 0) {
    countLow = w.low;
    // What ceil mode adds does not count.
    for (size_t i = 0; i < countHigh.size(); ++i) {
      countHigh[i] = dim::min(w.highDeclared[i], w.high[i]);
    }
  }
  return n.result(n.g.op(OpKind::AvgPool, {n.in(0)},
                         {{"sizes", w.sizes},
                          {"strides", w.strides},
                          {"low", w.low},
                          {"high", w.high},
                          {"dilations", w.dilations},
                          {"count_low", countLow},
                          {"count_high", countHigh}}));
}

/// (sum of |x|^p)^(1/p) over axes, which disappear.
static GraphValue norm(GraphWriter &g, GraphValue magnitude, double p,
                       const std::vector<int64_t> &axes, bool keepDims) {
  GraphValue powers = p == 1 ? magnitude : g.binary(OpKind::Pow, magnitude, p);
  GraphValue sum = g.reduce(OpKind::ReduceSum, powers, axes, keepDims);
  return p == 1 ? sum : g.binary(OpKind::Pow, sum, 1 / p);
}

/// p as an integer (since operator set 2) or as a float (before).
static double exponentOf(OnnxNode &n) {
  return n.opset < 2 ? n.attrFloat("p", 2) : static_cast<double>(n.attrInt("p", 2));
}

static Status lpPool(OnnxNode &n) {
  ZYXC_ASSIGN(OnnxWindows w, windowsOf(n, n.attrInts("kernel_shape")));
  std::vector<int64_t> low = {0, 0}, high = {0, 0}, axes(w.sizes.size());
  low.insert(low.end(), w.low.begin(), w.low.end());
  high.insert(high.end(), w.high.begin(), w.high.end());
  std::iota(axes.begin(), axes.end(), n.rank(0));
  GraphValue magnitude = n.g.op(OpKind::Abs, {n.in(0)});
  GraphValue padded = n.g.pad(magnitude, low, high, n.g.splat(n.type(0).dtype, {}, 0));
  GraphValue windows =
      n.g.op(OpKind::Window, {padded},
             {{"sizes", w.sizes}, {"strides", w.strides}, {"dilations", w.dilations}});
  ZYXC_RETURN_IF_ERROR(n.g.takeStatus()); // the axes below exist only if this went well
  return n.result(norm(n.g, windows, exponentOf(n), axes, false));
}

static Expected<std::vector<int64_t>> spatialAxes(OnnxNode &n) {
  if (n.rank(0) < 2) {
    return n.malformed("the input has shape {}: [N,C,..] is needed", shapeText(n.shape(0)));
  }
  std::vector<int64_t> axes(static_cast<size_t>(n.rank(0) - 2));
  std::iota(axes.begin(), axes.end(), 2);
  return axes;
}

static Status globalAveragePool(OnnxNode &n) {
  ZYXC_ASSIGN(std::vector<int64_t> axes, spatialAxes(n));
  return n.result(n.g.mean(n.in(0), axes, true));
}

static Status globalMaxPool(OnnxNode &n) {
  ZYXC_ASSIGN(std::vector<int64_t> axes, spatialAxes(n));
  return n.result(n.g.reduce(OpKind::ReduceMax, n.in(0), axes, true));
}

static Status globalLpPool(OnnxNode &n) {
  ZYXC_ASSIGN(std::vector<int64_t> axes, spatialAxes(n));
  return n.result(norm(n.g, n.g.op(OpKind::Abs, {n.in(0)}), exponentOf(n), axes, true));
}

static constexpr OnnxOp rows[] = {
    {"AveragePool", 1, newest, 1, 1, 1, openDims, averagePool},
    {"GlobalAveragePool", 1, newest, 1, 1, 1, openDims, globalAveragePool},
    {"GlobalLpPool", 1, newest, 1, 1, 1, openDims, globalLpPool},
    {"GlobalMaxPool", 1, newest, 1, 1, 1, openDims, globalMaxPool},
    {"LpPool", 2, newest, 1, 1, 1, openDims, lpPool},
    {"MaxPool", 1, newest, 1, 1, 2, openDims, maxPool},
};

std::span<const OnnxOp> poolOps() {
  return rows;
}

} // namespace zyxc::importer

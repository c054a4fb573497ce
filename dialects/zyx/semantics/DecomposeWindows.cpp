#include "dialects/zyx/semantics/DecomposeFamilies.h"
#include "dialects/zyx/semantics/Scalar.h"
#include "runtime/core/Dim.h"
#include <algorithm>
#include <numeric>

namespace zyxc::decomposition {

/// Widths of the spatial axes as widths of all axes of [N,C,D1..Dk].
static std::vector<int64_t> onAllAxes(const std::vector<int64_t> &spatial) {
  std::vector<int64_t> all(2, 0);
  all.insert(all.end(), spatial.begin(), spatial.end());
  return all;
}

/// The windows of a pool over padded x, reduced: [N,C,P1..Pk].
static GraphValue reduceWindows(GraphBuilder &builder, OpKind kind, GraphValue padded,
                                const Attrs &attrs) {
  GraphValue windows = builder.op(OpKind::Window, {padded},
                                  {{"sizes", attrs.getInts("sizes")},
                                   {"strides", attrs.getInts("strides")},
                                   {"dilations", attrs.getInts("dilations")}});
  std::vector<int64_t> axes(attrs.getInts("sizes").size());
  std::iota(axes.begin(), axes.end(), builder.typeOf(padded).rank());
  return builder.reduce(kind, windows, std::move(axes), false);
}

GraphValue maxPool(GraphBuilder &builder, GraphValue x, const Attrs &attrs) {
  DType dtype = builder.typeOf(x).dtype;
  Tensor lowest = Tensor::allocate({dtype, {}});
  storeScalar(dtype, reduceIdentity(OpKind::ReduceMax, dtype), lowest.mutableData());
  std::vector<int64_t> low = onAllAxes(attrs.getInts("low"));
  std::vector<int64_t> high = onAllAxes(attrs.getInts("high"));
  std::vector<int64_t> none(low.size(), 0);
  GraphValue padded = low == none && high == none
                          ? x
                          : builder.op(OpKind::Pad, {x, builder.constant(std::move(lowest))},
                                       {{"low", low}, {"high", high}});
  return reduceWindows(builder, OpKind::ReduceMax, padded, attrs);
}

Tensor averageCounts(const TensorType &x, const TensorType &result, const Attrs &attrs) {
  Shape positions(result.shape.begin() + 2, result.shape.end());
  std::vector<std::vector<int64_t>> perAxis(positions.size());
  for (size_t axis = 0; axis < positions.size(); ++axis) {
    int64_t size = attrs.getInts("sizes")[axis];
    int64_t dilation = attrs.getInts("dilations")[axis];
    int64_t first = -attrs.getInts("count_low")[axis];
    int64_t last = x.shape[axis + 2] + attrs.getInts("count_high")[axis] - 1;
    for (int64_t p = 0; p < positions[axis]; ++p) {
      int64_t start = p * attrs.getInts("strides")[axis] - attrs.getInts("low")[axis];
      // Elements r of the window with first <= start + r * dilation <= last.
      int64_t skipped = start < first ? (first - start + dilation - 1) / dilation : 0;
      int64_t end = last < start ? 0 : (last - start) / dilation + 1;
      perAxis[axis].push_back(std::max<int64_t>(std::min(end, size) - skipped, 0));
    }
  }
  Tensor counts = Tensor::allocate({accumulatorOf(x.dtype), positions});
  std::vector<int64_t> at(positions.size(), 0);
  for (int64_t i = 0; i < counts.numElements(); ++i) {
    double count = 1;
    for (size_t axis = 0; axis < at.size(); ++axis) {
      count *= static_cast<double>(perAxis[axis][at[axis]]);
    }
    counts.setDouble(i, std::max(count, 1.0)); // a window of padding only has the mean 0
    for (size_t axis = at.size(); axis-- > 0 && ++at[axis] == positions[axis];) {
      at[axis] = 0;
    }
  }
  return counts;
}

/// averageCounts() as a value [1,1,P1..Pk], for positions whose number is symbolic: the elements
/// that count are ones among zeros.
static GraphValue countElements(GraphBuilder &builder, const TensorType &x, const Attrs &attrs) {
  Shape counted = {1, 1};
  std::vector<int64_t> low(2, 0);
  std::vector<int64_t> high(2, 0);
  for (size_t axis = 0; axis + 2 < x.shape.size(); ++axis) {
    int64_t countLow = attrs.getInts("count_low")[axis];
    int64_t countHigh = attrs.getInts("count_high")[axis];
    counted.push_back(dim::add(x.shape[axis + 2], dim::add(countLow, countHigh)));
    low.push_back(dim::sub(attrs.getInts("low")[axis], countLow));
    high.push_back(dim::sub(attrs.getInts("high")[axis], countHigh));
  }
  GraphValue ones = builder.splat(accumulatorOf(x.dtype), counted, 1);
  GraphValue counts =
      reduceWindows(builder, OpKind::ReduceSum, builder.pad(ones, low, high, 0), attrs);
  return builder.op(OpKind::Max, {counts, builder.splatLike(counts, 1)});
}

GraphValue avgPool(GraphBuilder &builder, GraphValue x, const Attrs &attrs) {
  TensorType type = builder.typeOf(x);
  GraphValue wide = builder.cast(x, accumulatorOf(type.dtype));
  GraphValue padded =
      builder.pad(wide, onAllAxes(attrs.getInts("low")), onAllAxes(attrs.getInts("high")), 0);
  GraphValue sums = reduceWindows(builder, OpKind::ReduceSum, padded, attrs);
  TensorType result = builder.typeOf(sums);
  if (dim::anySymbolic(std::span(result.shape).subspan(2))) {
    GraphValue divisor = builder.broadcast(countElements(builder, type, attrs), result.shape);
    return builder.cast(builder.op(OpKind::Div, {sums, divisor}), type.dtype);
  }
  Tensor counts = averageCounts(type, result, attrs);
  GraphValue divisor = counts.isSplat()
                           ? builder.splat(result.dtype, result.shape, counts.asDouble(0))
                           : builder.broadcast(builder.constant(counts), result.shape);
  return builder.cast(builder.op(OpKind::Div, {sums, divisor}), type.dtype);
}

GraphValue lrn(GraphBuilder &builder, GraphValue x, const Attrs &attrs) {
  TensorType type = builder.typeOf(x);
  int64_t size = attrs.getInt("size");
  // No window reaches further than the channels do.
  int64_t reach = std::max<int64_t>(type.shape[1] - 1, 0);
  int64_t below = std::min((size - 1) / 2, reach);
  int64_t above = std::min(size / 2, reach);
  GraphValue wide = builder.cast(x, accumulatorOf(type.dtype));
  GraphValue square = builder.op(OpKind::Mul, {wide, wide});
  std::vector<int64_t> low(type.rank(), 0);
  std::vector<int64_t> high(type.rank(), 0);
  low[1] = below;
  high[1] = above;
  std::vector<int64_t> sizes(type.rank() - 1, 1); // the windows run over all axes but the first
  std::vector<int64_t> ones = sizes;
  sizes[0] = below + above + 1;
  GraphValue windows = builder.op(OpKind::Window, {builder.pad(square, low, high, 0)},
                                  {{"sizes", sizes}, {"strides", ones}, {"dilations", ones}});
  std::vector<int64_t> axes(sizes.size());
  std::iota(axes.begin(), axes.end(), type.rank());
  GraphValue sum = builder.reduce(OpKind::ReduceSum, windows, axes, false);
  double factor = attrs.getFloat("alpha") / static_cast<double>(size);
  GraphValue scaled = builder.op(OpKind::Mul, {sum, builder.splatLike(sum, factor)});
  GraphValue base =
      builder.op(OpKind::Add, {scaled, builder.splatLike(sum, attrs.getFloat("bias"))});
  GraphValue power =
      builder.op(OpKind::Pow, {base, builder.splatLike(sum, attrs.getFloat("beta"))});
  return builder.cast(builder.op(OpKind::Div, {wide, power}), type.dtype);
}

} // namespace zyxc::decomposition

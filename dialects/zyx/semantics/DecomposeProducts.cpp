#include "dialects/zyx/semantics/DecomposeFamilies.h"
#include <algorithm>
#include <numeric>

namespace zyxc::decomposition {

namespace {
/// An operand of a contract with the labels of its axes.
struct Labelled {
  GraphValue value;
  std::vector<int64_t> labels;
};
} // namespace

static GraphValue contractOf(GraphBuilder &builder, const Labelled &x, const Labelled &y,
                             std::vector<int64_t> out) {
  DType dtype = builder.typeOf(x.value).dtype;
  return builder.op(OpKind::Contract, {x.value, y.value},
                    {{"lhs", x.labels},
                     {"rhs", y.labels},
                     {"out", std::move(out)},
                     {"accumulate", accumulatorOf(dtype)},
                     {"dtype", dtype}});
}

/// A matrix operand whose batch axes keep their place in the broadcast shape `batch` as label; the
/// axes that the other operand repeats are dropped.
static Labelled dropRepeated(GraphBuilder &builder, GraphValue value,
                             std::span<const int64_t> batch,
                             std::span<const int64_t> matrixLabels) {
  Shape shape = builder.typeOf(value).shape;
  auto batchRank = static_cast<int64_t>(shape.size() - matrixLabels.size());
  int64_t missing = static_cast<int64_t>(batch.size()) - batchRank;
  Labelled result{value, {}};
  Shape kept;
  for (int64_t axis = 0; axis < batchRank; ++axis) {
    if (shape[axis] == batch[missing + axis]) {
      kept.push_back(shape[axis]);
      result.labels.push_back(missing + axis);
    }
  }
  kept.insert(kept.end(), shape.begin() + batchRank, shape.end());
  result.labels.insert(result.labels.end(), matrixLabels.begin(), matrixLabels.end());
  result.value = builder.reshape(value, std::move(kept));
  return result;
}

GraphValue matmul(GraphBuilder &builder, Operands operands) {
  auto rankOf = [&](size_t i) {
    return builder.typeOf(operands[i]).rank();
  };
  std::vector<TensorType> types = {builder.typeOf(operands[0]), builder.typeOf(operands[1])};
  Shape batch = inferType(OpKind::Matmul, {}, types)->shape;
  bool hasRows = rankOf(0) > 1;
  bool hasColumns = rankOf(1) > 1;
  batch.resize(batch.size() - hasRows - hasColumns);
  auto rows = static_cast<int64_t>(batch.size()); // labels after those of the batch axes
  int64_t columns = rows + 1;
  int64_t inner = rows + 2;
  std::vector<int64_t> left = hasRows ? std::vector{rows, inner} : std::vector{inner};
  std::vector<int64_t> right = hasColumns ? std::vector{inner, columns} : std::vector{inner};
  std::vector<int64_t> out(batch.size());
  std::iota(out.begin(), out.end(), 0);
  if (hasRows) {
    out.push_back(rows);
  }
  if (hasColumns) {
    out.push_back(columns);
  }
  return contractOf(builder, dropRepeated(builder, operands[0], batch, left),
                    dropRepeated(builder, operands[1], batch, right), std::move(out));
}

GraphValue conv(GraphBuilder &builder, Operands operands, const Attrs &attrs) {
  TensorType x = builder.typeOf(operands[0]);
  TensorType w = builder.typeOf(operands[1]);
  int64_t spatial = x.rank() - 2;
  int64_t groups = attrs.getInt("groups");
  std::vector<TensorType> types = {x, w};
  Shape shape = inferType(OpKind::Conv, attrs, types)->shape;
  std::vector<int64_t> low(2, 0);
  std::vector<int64_t> high(2, 0);
  low.insert(low.end(), attrs.getInts("low").begin(), attrs.getInts("low").end());
  high.insert(high.end(), attrs.getInts("high").begin(), attrs.getInts("high").end());
  GraphValue image = builder.pad(operands[0], low, high, 0);
  GraphValue filter = operands[1];
  if (groups > 1) { // x [N,G,C/G,..], w [G,O/G,C/G,..]
    Shape split = builder.typeOf(image).shape;
    split[1] = x.shape[1] / groups;
    split.insert(split.begin() + 1, groups);
    image = builder.reshape(image, std::move(split));
    split = w.shape;
    split[0] = w.shape[0] / groups;
    split.insert(split.begin(), groups);
    filter = builder.reshape(filter, std::move(split));
  }
  image = builder.op(OpKind::Window, {image},
                     {{"sizes", Shape(w.shape.begin() + 2, w.shape.end())},
                      {"strides", attrs.getInts("strides")},
                      {"dilations", attrs.getInts("dilations")}});
  // Labels: 0 batch, 1 group, 2 input channel, 3 output channel, then positions and kernel axes.
  std::vector<int64_t> positions(spatial);
  std::vector<int64_t> kernel(spatial);
  std::iota(positions.begin(), positions.end(), 4);
  std::iota(kernel.begin(), kernel.end(), 4 + spatial);
  bool grouped = groups > 1;
  Labelled left{image, grouped ? std::vector<int64_t>{0, 1, 2} : std::vector<int64_t>{0, 2}};
  Labelled right{filter, grouped ? std::vector<int64_t>{1, 3, 2} : std::vector<int64_t>{3, 2}};
  std::vector<int64_t> out = grouped ? std::vector<int64_t>{0, 1, 3} : std::vector<int64_t>{0, 3};
  left.labels.insert(left.labels.end(), positions.begin(), positions.end());
  left.labels.insert(left.labels.end(), kernel.begin(), kernel.end());
  right.labels.insert(right.labels.end(), kernel.begin(), kernel.end());
  out.insert(out.end(), positions.begin(), positions.end());
  return builder.reshape(contractOf(builder, left, right, std::move(out)), std::move(shape));
}

/// The value with its axes in the order of `labels`, extents 1 where it lacks a label, then
/// expanded to `shape`.
static GraphValue spread(GraphBuilder &builder, GraphValue value, std::span<const int64_t> own,
                         std::span<const int64_t> labels, const Shape &shape) {
  std::vector<int64_t> perm;
  Shape aligned(shape.size(), 1);
  for (size_t i = 0; i < labels.size(); ++i) {
    auto at = std::find(own.begin(), own.end(), labels[i]);
    if (at != own.end()) {
      perm.push_back(at - own.begin());
      aligned[i] = shape[i];
    }
  }
  GraphValue ordered = builder.permute(value, std::move(perm));
  return builder.broadcast(builder.reshape(ordered, std::move(aligned)), shape);
}

GraphValue contract(GraphBuilder &builder, Operands operands, const Attrs &attrs) {
  const std::vector<int64_t> *sides[] = {&attrs.getInts("lhs"), &attrs.getInts("rhs")};
  std::vector<int64_t> labels = attrs.getInts("out"); // then the summed ones
  size_t kept = labels.size();
  for (const std::vector<int64_t> *side : sides) {
    for (int64_t label : *side) {
      if (std::find(labels.begin(), labels.end(), label) == labels.end()) {
        labels.push_back(label);
      }
    }
  }
  Shape shape(labels.size(), 1);
  for (int i = 0; i < 2; ++i) {
    for (size_t axis = 0; axis < sides[i]->size(); ++axis) {
      size_t at = std::find(labels.begin(), labels.end(), (*sides[i])[axis]) - labels.begin();
      shape[at] = builder.typeOf(operands[i]).shape[axis];
    }
  }
  DType accumulate = attrs.getDType("accumulate");
  GraphValue factors[2];
  for (int i = 0; i < 2; ++i) {
    GraphValue wide = builder.cast(operands[i], accumulate);
    factors[i] = spread(builder, wide, *sides[i], labels, shape);
  }
  GraphValue product = builder.op(OpKind::Mul, {factors[0], factors[1]});
  std::vector<int64_t> summed(labels.size() - kept);
  std::iota(summed.begin(), summed.end(), static_cast<int64_t>(kept));
  GraphValue sum =
      summed.empty() ? product : builder.reduce(OpKind::ReduceSum, product, summed, false);
  return builder.cast(sum, attrs.getDType("dtype"));
}

} // namespace zyxc::decomposition

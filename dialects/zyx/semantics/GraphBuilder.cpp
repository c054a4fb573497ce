#include "dialects/zyx/semantics/GraphBuilder.h"
#include <algorithm>
#include <cassert>

namespace zyxc {

Expected<GraphValue> GraphBuilder::tryOp(OpKind kind, std::span<const GraphValue> operands,
                                         Attrs attrs) {
  std::vector<TensorType> types;
  types.reserve(operands.size());
  for (GraphValue operand : operands) {
    types.push_back(typeOf(operand));
  }
  ZYXC_ASSIGN(TensorType type, inferType(kind, attrs, types));
  return addOp(kind, operands, std::move(attrs), std::move(type));
}

GraphValue GraphBuilder::op(OpKind kind, std::span<const GraphValue> operands, Attrs attrs) {
  Expected<GraphValue> value = tryOp(kind, operands, std::move(attrs));
  assert(value && "operands and attributes are valid");
  return *value;
}

GraphValue GraphBuilder::constant(Tensor value) {
  return op(OpKind::Constant, {}, {{"value", std::move(value)}});
}

GraphValue GraphBuilder::splat(DType dtype, const Shape &shape, double value) {
  return broadcast(constant(Tensor::scalar(dtype, value)), shape);
}

GraphValue GraphBuilder::splatLike(GraphValue like, double value) {
  TensorType type = typeOf(like);
  return splat(type.dtype, type.shape, value);
}

GraphValue GraphBuilder::reshape(GraphValue x, Shape shape) {
  return typeOf(x).shape == shape ? x : op(OpKind::Reshape, {x}, {{"shape", std::move(shape)}});
}

GraphValue GraphBuilder::permute(GraphValue x, std::vector<int64_t> perm) {
  return std::is_sorted(perm.begin(), perm.end())
             ? x
             : op(OpKind::Permute, {x}, {{"perm", std::move(perm)}});
}

GraphValue GraphBuilder::cast(GraphValue x, DType dtype) {
  return typeOf(x).dtype == dtype ? x : op(OpKind::Cast, {x}, {{"dtype", dtype}});
}

GraphValue GraphBuilder::select(GraphValue condition, GraphValue x, GraphValue y) {
  return op(OpKind::Select, {condition, x, y});
}

GraphValue GraphBuilder::broadcast(GraphValue x, const Shape &shape) {
  Shape aligned = typeOf(x).shape;
  assert(aligned.size() <= shape.size() && "the shapes are compatible");
  aligned.insert(aligned.begin(), shape.size() - aligned.size(), 1);
  GraphValue value = reshape(x, aligned);
  return aligned == shape ? value : op(OpKind::Expand, {value}, {{"shape", shape}});
}

GraphValue GraphBuilder::pad(GraphValue x, std::vector<int64_t> low, std::vector<int64_t> high,
                             double value) {
  auto isZero = [](int64_t width) {
    return width == 0;
  };
  if (std::all_of(low.begin(), low.end(), isZero) &&
      std::all_of(high.begin(), high.end(), isZero)) {
    return x;
  }
  GraphValue fill = constant(Tensor::scalar(typeOf(x).dtype, value));
  return op(OpKind::Pad, {x, fill}, {{"low", std::move(low)}, {"high", std::move(high)}});
}

GraphValue GraphBuilder::reduce(OpKind kind, GraphValue x, std::vector<int64_t> axes,
                                bool keepDims) {
  Shape kept = typeOf(x).shape;
  for (int64_t axis : axes) {
    kept[axis] = 1;
  }
  GraphValue value = op(kind, {x}, {{"axes", std::move(axes)}});
  return keepDims ? reshape(value, std::move(kept)) : value;
}

Expected<Shape> broadcastShape(std::span<const int64_t> a, std::span<const int64_t> b) {
  Shape shape(std::max(a.size(), b.size()), 1);
  for (size_t i = 0; i < shape.size(); ++i) { // from the last axis
    int64_t left = i < a.size() ? a[a.size() - 1 - i] : 1;
    int64_t right = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (left != right && left != 1 && right != 1) {
      return makeError(ErrorCode::Input, "shapes {} and {} do not broadcast", listText(a),
                       listText(b));
    }
    shape[shape.size() - 1 - i] = left == 1 ? right : left;
  }
  return shape;
}

} // namespace zyxc

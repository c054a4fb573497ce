#include "dialects/zyx/semantics/DecomposeFamilies.h"
#include <cassert>

namespace zyxc {

static GraphValue batchNorm(GraphBuilder &builder, std::span<const GraphValue> operands,
                            const Attrs &attrs) {
  TensorType type = builder.typeOf(operands[0]);
  DType wide = accumulatorOf(type.dtype);
  auto widened = [&](size_t i) {
    return builder.cast(operands[i], wide);
  };
  // The vectors are combined before they are broadcast, so that they fold when they are constants.
  GraphValue variance = widened(4);
  GraphValue epsilon = builder.splatLike(variance, attrs.getFloat("epsilon"));
  GraphValue deviation = builder.op(OpKind::Sqrt, {builder.op(OpKind::Add, {variance, epsilon})});
  GraphValue scale = builder.op(OpKind::Div, {widened(1), deviation});
  GraphValue shift =
      builder.op(OpKind::Sub, {widened(2), builder.op(OpKind::Mul, {widened(3), scale})});
  auto perChannel = [&](GraphValue vector) {
    Shape shape(type.rank() - 1, 1);
    shape[0] = type.shape[1];
    return builder.broadcast(builder.reshape(vector, shape), type.shape);
  };
  GraphValue scaled = builder.op(OpKind::Mul, {widened(0), perChannel(scale)});
  return builder.cast(builder.op(OpKind::Add, {scaled, perChannel(shift)}), type.dtype);
}

/// softmax, or its logarithm.
static GraphValue softmax(GraphBuilder &builder, OpKind kind, GraphValue x, const Attrs &attrs) {
  TensorType type = builder.typeOf(x);
  const std::vector<int64_t> &axes = attrs.getInts("axes");
  auto overAxes = [&](OpKind reduction, GraphValue value) {
    return builder.broadcast(builder.reduce(reduction, value, axes, true), type.shape);
  };
  GraphValue wide = builder.cast(x, accumulatorOf(type.dtype));
  GraphValue shifted = builder.op(OpKind::Sub, {wide, overAxes(OpKind::ReduceMax, wide)});
  GraphValue exponential = builder.op(OpKind::Exp, {shifted});
  GraphValue result;
  if (kind == OpKind::Softmax) {
    result = builder.op(OpKind::Div, {exponential, overAxes(OpKind::ReduceSum, exponential)});
  } else {
    GraphValue sum = builder.reduce(OpKind::ReduceSum, exponential, axes, true);
    GraphValue logarithm = builder.broadcast(builder.op(OpKind::Log, {sum}), type.shape);
    result = builder.op(OpKind::Sub, {shifted, logarithm});
  }
  return builder.cast(result, type.dtype);
}

static GraphValue stack(GraphBuilder &builder, std::span<const GraphValue> operands,
                        const Attrs &attrs) {
  int64_t axis = attrs.getInt("axis");
  std::vector<GraphValue> slices;
  slices.reserve(operands.size());
  for (GraphValue operand : operands) {
    Shape shape = builder.typeOf(operand).shape;
    shape.insert(shape.begin() + axis, 1);
    slices.push_back(builder.reshape(operand, std::move(shape)));
  }
  return builder.op(OpKind::Concat, slices, {{"axis", axis}});
}

GraphValue decompose(GraphBuilder &builder, OpKind kind, std::span<const GraphValue> operands,
                     const Attrs &attrs) {
  switch (kind) {
  case OpKind::Matmul: return decomposition::matmul(builder, operands);
  case OpKind::Conv: return decomposition::conv(builder, operands, attrs);
  case OpKind::Contract: return decomposition::contract(builder, operands, attrs);
  case OpKind::MaxPool: return decomposition::maxPool(builder, operands[0], attrs);
  case OpKind::AvgPool: return decomposition::avgPool(builder, operands[0], attrs);
  case OpKind::Lrn: return decomposition::lrn(builder, operands[0], attrs);
  case OpKind::BatchNorm: return batchNorm(builder, operands, attrs);
  case OpKind::RandomBits: return decomposition::randomBits(builder, operands[0], attrs);
  case OpKind::Softmax:
  case OpKind::LogSoftmax: return softmax(builder, kind, operands[0], attrs);
  default: break;
  }
  assert(kind == OpKind::Stack && "decompose takes a composite op or a contract");
  return stack(builder, operands, attrs);
}

} // namespace zyxc

#include "compiler/interp/Interp.h"
#include "compiler/interp/EvaluatingBuilder.h"
#include "compiler/interp/Families.h"
#include <unistd.h>

namespace zyxc::interp {

static Expected<Tensor> viaDecomposition(OpKind kind, const Attrs &attrs, Operands operands) {
  EvaluatingBuilder builder;
  std::vector<GraphValue> inputs;
  for (const Tensor &operand : operands) {
    inputs.push_back(builder.input(operand));
  }
  GraphValue result = decompose(builder, kind, inputs, attrs);
  ZYXC_RETURN_IF_ERROR(builder.status());
  return builder.valueOf(result);
}

static Expected<Tensor> evaluateStructural(OpKind kind, const Attrs &attrs, Operands operands,
                                           const TensorType &type) {
  switch (kind) {
  case OpKind::Constant: return attrs.getTensor("value");
  case OpKind::Iota: return iota(attrs, type);
  case OpKind::Concat: return concat(attrs, operands, type);
  case OpKind::Gather: return gather(attrs, operands, type);
  case OpKind::Contract: return contract(attrs, operands, type);
  default: break;
  }
  return makeError(ErrorCode::Unsupported, "{}: has no value before it is bound", name(kind));
}

static Tensor evaluateOrdered(OpKind kind, const Attrs &attrs, Operands operands,
                              const TensorType &type) {
  if (isScan(kind)) {
    return scan(kind, attrs, operands[0], type);
  }
  return kind == OpKind::Scatter ? scatter(attrs, operands, type)
                                 : sort(kind, attrs, operands[0], type);
}

static Expected<Tensor> evaluateComposite(OpKind kind, const Attrs &attrs, Operands operands,
                                          const TensorType &type) {
  switch (kind) {
  case OpKind::Conv: return conv(attrs, operands, type);
  case OpKind::MaxPool:
  case OpKind::AvgPool: return pool(kind, attrs, operands[0], type);
  default: return viaDecomposition(kind, attrs, operands);
  }
}

static Status checkBytes(OpKind kind, std::string_view what, const TensorType &type) {
  size_t memory = static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  std::optional<int64_t> count = checkedNumElements(type.shape);
  if (!count || static_cast<size_t>(*count) > memory / byteSize(type.dtype)) {
    return makeError(ErrorCode::OutOfMemory, "{}: {} of {} exceeds the memory of {} bytes",
                     name(kind), what, toString(type), memory);
  }
  return Status::ok();
}

/// What memory cannot hold is refused before anything is allocated: the result and, of window ops,
/// the padded operand.
static Status checkMemory(OpKind kind, const Attrs &attrs, Operands operands,
                          const TensorType &type) {
  ZYXC_RETURN_IF_ERROR(checkBytes(kind, "a result", type));
  if (kind == OpKind::Conv || kind == OpKind::MaxPool || kind == OpKind::AvgPool) {
    TensorType padded{DType::F64, operands[0].shape()};
    for (int64_t axis = 2; axis < type.rank(); ++axis) {
      padded.shape[axis] += attrs.getInts("low")[axis - 2] + attrs.getInts("high")[axis - 2];
    }
    ZYXC_RETURN_IF_ERROR(checkBytes(kind, "a padded operand", padded));
  }
  return Status::ok();
}

Expected<Tensor> evaluate(OpKind kind, const Attrs &attrs, Operands operands) {
  std::vector<TensorType> types;
  types.reserve(operands.size());
  for (const Tensor &operand : operands) {
    types.push_back(operand.type());
  }
  ZYXC_ASSIGN(TensorType type, inferType(kind, attrs, types));
  ZYXC_RETURN_IF_ERROR(checkMemory(kind, attrs, operands, type));
  if (isElementwise(kind)) {
    return evaluateElementwise(kind, attrs, operands, type);
  }
  if (isReduce(kind)) {
    return evaluateReduce(kind, attrs, operands[0], type);
  }
  if (isMovement(kind)) {
    return evaluateMovement(kind, attrs, operands, type);
  }
  if (isIdentity(kind)) {
    return operands[0];
  }
  if (isOrdered(kind)) {
    return evaluateOrdered(kind, attrs, operands, type);
  }
  return isComposite(kind) ? evaluateComposite(kind, attrs, operands, type)
                           : evaluateStructural(kind, attrs, operands, type);
}

} // namespace zyxc::interp

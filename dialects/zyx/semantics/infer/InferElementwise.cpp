#include "dialects/zyx/semantics/Scalar.h"
#include "dialects/zyx/semantics/infer/InferFamilies.h"

namespace zyxc::infer {

static Status checkDefined(const Request &request, DType dtype) {
  if (!isDefinedOn(request.kind, dtype)) {
    return request.unsupported("is not defined on {}", name(dtype));
  }
  return Status::ok();
}

static Expected<TensorType> unary(const Request &request) {
  ZYXC_RETURN_IF_ERROR(checkDefined(request, request.x().dtype));
  bool test = request.kind == OpKind::IsNan || request.kind == OpKind::IsInf;
  return TensorType{test ? DType::Bool : request.x().dtype, request.x().shape};
}

static Expected<TensorType> binary(const Request &request) {
  const TensorType &x = request.x();
  const TensorType &y = request.operands[1];
  if (x != y) {
    return request.refuse("operand types {} and {} differ", toString(x), toString(y));
  }
  ZYXC_RETURN_IF_ERROR(checkDefined(request, x.dtype));
  bool compare = info(request.kind).family == OpFamily::Compare;
  return TensorType{compare ? DType::Bool : x.dtype, x.shape};
}

static Expected<TensorType> select(const Request &request) {
  const TensorType &condition = request.operands[0];
  const TensorType &x = request.operands[1];
  const TensorType &y = request.operands[2];
  if (condition.dtype != DType::Bool) {
    return request.refuse("the condition is {}, not bool", name(condition.dtype));
  }
  if (x != y) {
    return request.refuse("operand types {} and {} differ", toString(x), toString(y));
  }
  if (condition.shape != x.shape) {
    return request.refuse("condition shape {} and operand shape {} differ",
                          listText(condition.shape), listText(x.shape));
  }
  return x;
}

static Expected<TensorType> bitcast(const Request &request) {
  DType from = request.x().dtype;
  DType to = request.attrs.getDType("dtype");
  if (bitWidth(from) != bitWidth(to)) {
    return request.refuse("{} and {} have different widths", name(from), name(to));
  }
  return TensorType{to, request.x().shape};
}

Expected<TensorType> elementwise(const Request &request) {
  switch (request.kind) {
  case OpKind::Select: return select(request);
  case OpKind::Cast: return TensorType{request.attrs.getDType("dtype"), request.x().shape};
  case OpKind::Bitcast: return bitcast(request);
  default: return isUnary(request.kind) ? unary(request) : binary(request);
  }
}

} // namespace zyxc::infer

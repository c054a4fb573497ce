#include "dialects/zyx/semantics/Scalar.h"
#include "dialects/zyx/semantics/infer/InferFamilies.h"

namespace zyxc::infer {

/// Flags are integers that are 0 or 1.
static Status checkFlag(const Request &request, std::string_view name) {
  int64_t value = request.attrs.getInt(name);
  return value == 0 || value == 1 ? Status::ok()
                                  : request.refuse("{} is {}, not 0 or 1", name, value);
}

static Expected<TensorType> scan(const Request &request) {
  const TensorType &x = request.x();
  int64_t axis = request.attrs.getInt("axis");
  if (x.dtype == DType::Bool) {
    return request.unsupported("is not defined on bool");
  }
  if (axis < 0 || axis >= x.rank()) {
    return request.refuse("axis {} is out of range for {}", axis, toString(x));
  }
  ZYXC_RETURN_IF_ERROR(checkFlag(request, "exclusive"));
  ZYXC_RETURN_IF_ERROR(checkFlag(request, "reverse"));
  return x;
}

static Expected<TensorType> sort(const Request &request) {
  const TensorType &x = request.x();
  if (x.rank() == 0) {
    return request.refuse("needs a tensor with an axis, not {}", toString(x));
  }
  ZYXC_RETURN_IF_ERROR(checkFlag(request, "descending"));
  return TensorType{request.kind == OpKind::ArgSort ? DType::I64 : x.dtype, x.shape};
}

static Expected<TensorType> scatter(const Request &request) {
  const TensorType &x = request.x();
  const TensorType &indices = request.operands[1];
  const TensorType &updates = request.operands[2];
  const std::string &combine = request.attrs.getString("combine");
  std::optional<ScatterCombine> how = parseScatterCombine(combine);
  if (!how) {
    return request.refuse("combine is '{}', not none, add, mul, max or min", combine);
  }
  if (x.dtype == DType::Bool && (*how == ScatterCombine::Add || *how == ScatterCombine::Mul)) {
    return request.unsupported("combine {} is not defined on bool", combine);
  }
  if (x.rank() == 0) {
    return request.refuse("needs a tensor with an axis, not {}", toString(x));
  }
  if (!isInteger(indices.dtype) || indices.rank() != 1) {
    return request.refuse("indices are {}, not a list of integers", toString(indices));
  }
  TensorType expected = x;
  expected.shape[0] = indices.shape[0];
  if (updates != expected) {
    return request.refuse("updates are {}, not {}", toString(updates), toString(expected));
  }
  return x;
}

Expected<TensorType> ordered(const Request &request) {
  if (isScan(request.kind)) {
    return scan(request);
  }
  return request.kind == OpKind::Scatter ? scatter(request) : sort(request);
}

} // namespace zyxc::infer

#include "dialects/zyx/semantics/Scalar.h"
#include "dialects/zyx/semantics/infer/InferFamilies.h"

namespace zyxc::infer {

Expected<TensorType> reduce(const Request &request) {
  const TensorType &x = request.x();
  const std::vector<int64_t> &axes = request.ints("axes");
  if (!isDefinedOn(request.kind, x.dtype)) {
    return request.unsupported("is not defined on {}", name(x.dtype));
  }
  ZYXC_RETURN_IF_ERROR(checkAxes(request, axes, x.rank()));
  std::vector<bool> reduced(x.rank(), false);
  for (size_t i = 0; i < axes.size(); ++i) {
    if (i > 0 && axes[i] < axes[i - 1]) {
      return request.refuse("axes {} are not sorted", listText(axes));
    }
    reduced[axes[i]] = true;
  }
  TensorType result{x.dtype, {}};
  for (int64_t axis = 0; axis < x.rank(); ++axis) {
    if (!reduced[axis]) {
      result.shape.push_back(x.shape[axis]);
    }
  }
  if (request.kind == OpKind::ArgMax || request.kind == OpKind::ArgMin) {
    if (axes.size() != 1) {
      return request.refuse("axes {} must name one axis", listText(axes));
    }
    if (!request.assumeAtMost(1, x.shape[axes[0]])) {
      return request.refuse("axis {} of {} has no elements", axes[0], toString(x));
    }
    result.dtype = DType::I64;
  }
  return result;
}

} // namespace zyxc::infer

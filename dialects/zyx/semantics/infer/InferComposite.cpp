#include "dialects/zyx/semantics/GraphBuilder.h"
#include "dialects/zyx/semantics/infer/InferFamilies.h"

namespace zyxc::infer {

static Expected<TensorType> matmul(const Request &request) {
  const TensorType &x = request.x();
  const TensorType &y = request.operands[1];
  if (x.dtype != y.dtype || x.dtype == DType::Bool) {
    return request.unsupported("is not defined on {} and {}", name(x.dtype), name(y.dtype));
  }
  if (x.rank() == 0 || y.rank() == 0) {
    return request.refuse("{} by {}: a scalar is no matrix", toString(x), toString(y));
  }
  int64_t rows = x.shape.back();
  int64_t columns = y.rank() == 1 ? y.shape[0] : y.shape[y.rank() - 2];
  if (rows != columns) {
    return request.refuse("{} by {}: inner dims {} and {} differ", toString(x), toString(y),
                          dim::toString(rows), dim::toString(columns));
  }
  std::span<const int64_t> xBatch(x.shape.data(), x.rank() == 1 ? 0 : x.rank() - 2);
  std::span<const int64_t> yBatch(y.shape.data(), y.rank() == 1 ? 0 : y.rank() - 2);
  Expected<Shape> batch = broadcastShape(xBatch, yBatch);
  if (!batch) {
    return request.refuse("{} by {}: batch axes do not broadcast", toString(x), toString(y));
  }
  TensorType result{x.dtype, *std::move(batch)};
  if (x.rank() > 1) {
    result.shape.push_back(x.shape[x.rank() - 2]);
  }
  if (y.rank() > 1) {
    result.shape.push_back(y.shape.back());
  }
  return result;
}

/// Appends the spatial extents of a padded window op on x [N,C,D1..Dk] to `shape`.
static Status appendPositions(const Request &request, std::span<const int64_t> sizes,
                              Shape &shape) {
  const TensorType &x = request.x();
  int64_t spatial = x.rank() - 2;
  ZYXC_RETURN_IF_ERROR(checkList(request, "strides", spatial, 1));
  ZYXC_RETURN_IF_ERROR(checkList(request, "dilations", spatial, 1));
  ZYXC_RETURN_IF_ERROR(checkList(request, "low", spatial, 0));
  ZYXC_RETURN_IF_ERROR(checkList(request, "high", spatial, 0));
  for (int64_t i = 0; i < spatial; ++i) {
    int64_t extent =
        dim::add(x.shape[2 + i], dim::add(request.ints("low")[i], request.ints("high")[i]));
    ZYXC_ASSIGN(int64_t positions,
                windowPositions(request, extent, sizes[i], request.ints("strides")[i],
                                request.ints("dilations")[i]));
    shape.push_back(positions);
  }
  return Status::ok();
}

static Status checkImage(const Request &request) {
  if (request.x().rank() < 3) {
    return request.refuse("x is {}, a rank of at least 3 is needed", toString(request.x()));
  }
  return Status::ok();
}

static Status checkFloat(const Request &request) {
  if (!isFloat(request.x().dtype)) {
    return request.unsupported("is not defined on {}", name(request.x().dtype));
  }
  return Status::ok();
}

static Expected<TensorType> conv(const Request &request) {
  const TensorType &x = request.x();
  const TensorType &w = request.operands[1];
  int64_t groups = request.attrs.getInt("groups");
  ZYXC_RETURN_IF_ERROR(checkImage(request));
  if (x.dtype != w.dtype || x.dtype == DType::Bool) {
    return request.unsupported("is not defined on {} and {}", name(x.dtype), name(w.dtype));
  }
  if (w.rank() != x.rank()) {
    return request.refuse("x is {} and w is {}: their ranks differ", toString(x), toString(w));
  }
  if (dim::isSymbolic(x.shape[1]) || dim::anySymbolic(w.shape)) {
    return request.unsupported("x is {} and w is {}: channels and kernel extents must have a size",
                               toString(x), toString(w));
  }
  if (groups < 1 || x.shape[1] % groups != 0 || w.shape[0] % groups != 0) {
    return request.refuse("{} groups do not divide {} input and {} output channels", groups,
                          x.shape[1], w.shape[0]);
  }
  if (w.shape[1] != x.shape[1] / groups) {
    return request.refuse("w is {}, {} channels a group are needed for x {} and {} groups",
                          toString(w), x.shape[1] / groups, toString(x), groups);
  }
  std::span<const int64_t> sizes = std::span(w.shape).subspan(2);
  for (int64_t size : sizes) {
    if (size < 1) {
      return request.refuse("w is {}: a kernel extent is 0", toString(w));
    }
  }
  TensorType result{x.dtype, {x.shape[0], w.shape[0]}};
  ZYXC_RETURN_IF_ERROR(appendPositions(request, sizes, result.shape));
  return result;
}

static Expected<TensorType> pool(const Request &request) {
  const TensorType &x = request.x();
  ZYXC_RETURN_IF_ERROR(checkImage(request));
  ZYXC_RETURN_IF_ERROR(checkList(request, "sizes", x.rank() - 2, 1));
  if (request.kind == OpKind::AvgPool) {
    ZYXC_RETURN_IF_ERROR(checkFloat(request));
    ZYXC_RETURN_IF_ERROR(checkList(request, "count_low", x.rank() - 2, 0));
    ZYXC_RETURN_IF_ERROR(checkList(request, "count_high", x.rank() - 2, 0));
    for (std::string_view side : {"low", "high"}) {
      const std::vector<int64_t> &counted = request.ints("count_" + std::string(side));
      for (size_t axis = 0; axis < counted.size(); ++axis) {
        if (dim::isSymbolic(x.shape[2 + axis]) &&
            !dim::provablyAtMost(counted[axis], request.ints(side)[axis])) {
          return request.unsupported("count_{} is larger than {} at a symbolic axis of {}", side,
                                     side, toString(x));
        }
      }
    }
  } else if (x.dtype == DType::Bool) {
    return request.unsupported("is not defined on bool");
  }
  TensorType result{x.dtype, {x.shape[0], x.shape[1]}};
  ZYXC_RETURN_IF_ERROR(appendPositions(request, request.ints("sizes"), result.shape));
  return result;
}

static Expected<TensorType> batchNorm(const Request &request) {
  const TensorType &x = request.x();
  ZYXC_RETURN_IF_ERROR(checkFloat(request));
  if (x.rank() < 2) {
    return request.refuse("x is {}, a rank of at least 2 is needed", toString(x));
  }
  TensorType vector{x.dtype, {x.shape[1]}};
  for (const TensorType &operand : request.operands.subspan(1)) {
    if (operand != vector) {
      return request.refuse("a parameter is {}, x {} needs {}", toString(operand), toString(x),
                            toString(vector));
    }
  }
  return x;
}

static Expected<TensorType> lrn(const Request &request) {
  const TensorType &x = request.x();
  int64_t size = request.attrs.getInt("size");
  ZYXC_RETURN_IF_ERROR(checkFloat(request));
  if (x.rank() < 2) {
    return request.refuse("x is {}, a rank of at least 2 is needed", toString(x));
  }
  if (dim::isSymbolic(x.shape[1])) {
    return request.unsupported("x is {}: its channels must have a size", toString(x));
  }
  if (size < 1 || size > attributeLimit) {
    return request.refuse("size {} is out of range", size);
  }
  return x;
}

static Expected<TensorType> softmax(const Request &request) {
  ZYXC_RETURN_IF_ERROR(checkFloat(request));
  const std::vector<int64_t> &axes = request.ints("axes");
  ZYXC_RETURN_IF_ERROR(checkAxes(request, axes, request.x().rank()));
  for (size_t i = 1; i < axes.size(); ++i) {
    if (axes[i] < axes[i - 1]) {
      return request.refuse("axes {} are not sorted", listText(axes));
    }
  }
  return request.x();
}

static Expected<TensorType> stack(const Request &request) {
  TensorType result = request.x();
  int64_t axis = request.attrs.getInt("axis");
  if (axis < 0 || axis > result.rank()) {
    return request.refuse("axis {} is out of range for a result of rank {}", axis,
                          result.rank() + 1);
  }
  for (const TensorType &operand : request.operands) {
    if (operand != result) {
      return request.refuse("operand types {} and {} differ", toString(result), toString(operand));
    }
  }
  result.shape.insert(result.shape.begin() + axis, static_cast<int64_t>(request.operands.size()));
  return result;
}

static Expected<TensorType> randomBits(const Request &request) {
  TensorType result{request.attrs.getDType("dtype"), request.ints("shape")};
  if (request.x() != TensorType{DType::U32, {2}}) {
    return request.refuse("key is {}, not u32[2]", toString(request.x()));
  }
  if (!isUnsigned(result.dtype)) {
    return request.refuse("gives unsigned integers, not {}", name(result.dtype));
  }
  return result;
}

Expected<TensorType> composite(const Request &request) {
  switch (request.kind) {
  case OpKind::Matmul: return matmul(request);
  case OpKind::Conv: return conv(request);
  case OpKind::MaxPool:
  case OpKind::AvgPool: return pool(request);
  case OpKind::BatchNorm: return batchNorm(request);
  case OpKind::Lrn: return lrn(request);
  case OpKind::Softmax:
  case OpKind::LogSoftmax: return softmax(request);
  case OpKind::RandomBits: return randomBits(request);
  case OpKind::Stack: return stack(request);
  default: return request.refuse("is not a composite op");
  }
}

} // namespace zyxc::infer

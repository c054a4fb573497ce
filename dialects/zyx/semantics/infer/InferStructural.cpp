#include "dialects/zyx/semantics/infer/InferFamilies.h"
#include <algorithm>
#include <map>

namespace zyxc::infer {

static Expected<TensorType> iota(const Request &request) {
  TensorType result{request.attrs.getDType("dtype"), request.ints("shape")};
  int64_t axis = request.attrs.getInt("axis");
  if (axis < 0 || axis >= result.rank()) {
    return request.refuse("axis {} is out of range for rank {}", axis, result.rank());
  }
  if (result.dtype == DType::Bool) {
    return request.unsupported("is not defined on bool");
  }
  return result;
}

static Expected<TensorType> call(const Request &request) {
  return TensorType{request.attrs.getDType("dtype"), request.ints("shape")};
}

static Expected<TensorType> concat(const Request &request) {
  TensorType result = request.x();
  int64_t axis = request.attrs.getInt("axis");
  if (axis < 0 || axis >= result.rank()) {
    return request.refuse("axis {} is out of range for rank {}", axis, result.rank());
  }
  for (const TensorType &operand : request.operands.subspan(1)) {
    TensorType expected = operand;
    if (operand.rank() == result.rank()) {
      expected.shape[axis] = result.shape[axis];
    }
    if (expected != result) {
      return request.refuse("{} and {} cannot be joined along axis {}", toString(request.x()),
                            toString(operand), axis);
    }
  }
  int64_t total = 0;
  for (const TensorType &operand : request.operands) {
    total = dim::add(total, operand.shape[axis]);
  }
  if (total == dim::invalid) {
    return request.refuse("the joined axis {} has too many elements", axis);
  }
  result.shape[axis] = total;
  return result;
}

static Expected<TensorType> gather(const Request &request) {
  const TensorType &x = request.x();
  const TensorType &indices = request.operands[1];
  int64_t axis = request.attrs.getInt("axis");
  if (axis < 0 || axis >= x.rank()) {
    return request.refuse("axis {} is out of range for {}", axis, toString(x));
  }
  if (!isInteger(indices.dtype)) {
    return request.refuse("indices are {}, not integers", name(indices.dtype));
  }
  if (!request.assumeAtMostUnlessEmpty(1, x.shape[axis], indices.numElements())) {
    return request.refuse("axis {} of {} has no elements to pick for indices {}", axis, toString(x),
                          toString(indices));
  }
  TensorType result{x.dtype, {}};
  result.shape.assign(x.shape.begin(), x.shape.begin() + axis);
  result.shape.insert(result.shape.end(), indices.shape.begin(), indices.shape.end());
  result.shape.insert(result.shape.end(), x.shape.begin() + axis + 1, x.shape.end());
  return result;
}

/// Enters the labels of one operand with their extents; labels are small and occur once.
static Status bindLabels(const Request &request, std::string_view side, const TensorType &operand,
                         std::map<int64_t, int64_t> &extents) {
  const std::vector<int64_t> &labels = request.ints(side);
  if (static_cast<int64_t>(labels.size()) != operand.rank()) {
    return request.refuse("{} {} has {} labels for {}", side, listText(labels), labels.size(),
                          toString(operand));
  }
  for (size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] < 0 || labels[i] >= maxContractLabels) {
      return request.refuse("{} {} holds label {}, labels lie in [0, {})", side, listText(labels),
                            labels[i], maxContractLabels);
    }
    if (std::count(labels.begin(), labels.end(), labels[i]) > 1) {
      return request.refuse("{} {} holds label {} twice", side, listText(labels), labels[i]);
    }
    auto [entry, isNew] = extents.try_emplace(labels[i], operand.shape[i]);
    if (!isNew && entry->second != operand.shape[i]) {
      return request.refuse("label {} has extent {} and {}", labels[i],
                            dim::toString(entry->second), dim::toString(operand.shape[i]));
    }
  }
  return Status::ok();
}

static Expected<TensorType> contract(const Request &request) {
  const TensorType &x = request.x();
  const TensorType &y = request.operands[1];
  DType accumulate = request.attrs.getDType("accumulate");
  if (x.dtype != y.dtype || x.dtype == DType::Bool) {
    return request.unsupported("is not defined on {} and {}", name(x.dtype), name(y.dtype));
  }
  if (accumulate == DType::Bool || isSubByte(accumulate) ||
      isFloat(accumulate) != isFloat(x.dtype)) {
    return request.unsupported("products of {} cannot be accumulated in {}", name(x.dtype),
                               name(accumulate));
  }
  std::map<int64_t, int64_t> extents;
  ZYXC_RETURN_IF_ERROR(bindLabels(request, "lhs", x, extents));
  ZYXC_RETURN_IF_ERROR(bindLabels(request, "rhs", y, extents));
  TensorType result{request.attrs.getDType("dtype"), {}};
  const std::vector<int64_t> &out = request.ints("out");
  for (int64_t label : out) {
    auto entry = extents.find(label);
    if (entry == extents.end()) {
      return request.refuse("out {} holds label {}, which no operand has", listText(out), label);
    }
    if (std::count(out.begin(), out.end(), label) > 1) {
      return request.refuse("out {} holds label {} twice", listText(out), label);
    }
    result.shape.push_back(entry->second);
  }
  return result;
}

static Expected<TensorType> variable(const Request &request) {
  Expected<int64_t> size = dim::parse(request.attrs.getString("name"));
  if (!size) {
    return request.refuse("{}", size.error().message());
  }
  return TensorType{DType::I64, {}};
}

Expected<TensorType> structural(const Request &request) {
  switch (request.kind) {
  case OpKind::Constant: return request.attrs.getTensor("value").type();
  case OpKind::Leaf: return TensorType{request.attrs.getDType("dtype"), request.ints("shape")};
  case OpKind::Variable: return variable(request);
  case OpKind::Iota: return iota(request);
  case OpKind::Call: return call(request);
  case OpKind::Concat: return concat(request);
  case OpKind::Gather: return gather(request);
  case OpKind::Contract: return contract(request);
  default: return request.refuse("is not a structural op");
  }
}

} // namespace zyxc::infer

#include "dialects/zyx/semantics/Infer.h"
#include "dialects/zyx/semantics/infer/InferFamilies.h"
#include <algorithm>

namespace zyxc {

DType accumulatorOf(DType dtype) {
  switch (dtype) {
  case DType::F16:
  case DType::BF16:
  case DType::F8E4M3FN:
  case DType::F8E5M2:
  case DType::F4E2M1FN: return DType::F32;
  case DType::I8:
  case DType::U8: return DType::I32;
  default: return dtype;
  }
}

namespace infer {

bool Request::assumeAtMost(int64_t a, int64_t b) const {
  if (dim::provablyAtMost(a, b)) {
    return true;
  }
  if (dim::provablyLess(b, a)) {
    return false;
  }
  int64_t guard = dim::sub(b, a);
  if (guards && std::ranges::find(*guards, guard) == guards->end()) {
    guards->push_back(guard);
  }
  return true;
}

bool Request::assumeAtMostUnlessEmpty(int64_t a, int64_t b, int64_t count) const {
  if (count == 0 || dim::provablyAtMost(a, b)) {
    return true;
  }
  if (dim::provablyLess(0, count)) {
    return assumeAtMost(a, b);
  }
  return assumeAtMost(0, dim::max(dim::sub(b, a), dim::sub(0, count)));
}

/// The attributes are those declared, with their types, and lists hold no extreme integers.
static Status checkAttributes(const Request &request) {
  std::span<const AttrInfo> declared = info(request.kind).attributes;
  for (const AttrInfo &row : declared) {
    const AttrValue *value = request.attrs.find(row.name);
    if (!value) {
      return request.refuse("attribute {} is missing", row.name);
    }
    if (value->index() != static_cast<size_t>(row.type)) {
      return request.refuse("attribute {} has the wrong type", row.name);
    }
    if (row.type == AttrType::Ints) {
      for (int64_t entry : std::get<std::vector<int64_t>>(*value)) {
        if (!dim::isValid(entry)) {
          return request.refuse("{} holds {}, which exceeds the limit {}", row.name, entry,
                                attributeLimit);
        }
      }
    }
  }
  if (request.attrs.entries().size() != declared.size()) {
    return request.refuse("has {} attributes, {} are declared", request.attrs.entries().size(),
                          declared.size());
  }
  return Status::ok();
}

static Status checkOperands(const Request &request) {
  int arity = info(request.kind).arity;
  size_t count = request.operands.size();
  if (arity < 0 ? count == 0 && request.kind != OpKind::Call
                : count != static_cast<size_t>(arity)) {
    return arity < 0 ? request.refuse("needs at least one operand, has none")
                     : request.refuse("needs {} operands, has {}", arity, count);
  }
  for (const TensorType &operand : request.operands) {
    if (!checkedNumElements(operand.shape)) {
      return request.refuse("operand shape {} has a negative dim or too many elements",
                            listText(operand.shape));
    }
  }
  return Status::ok();
}

Status checkAxes(const Request &request, std::span<const int64_t> axes, int64_t rank) {
  std::vector<bool> seen(rank, false);
  for (int64_t axis : axes) {
    if (axis < 0 || axis >= rank) {
      return request.refuse("axis {} is out of range for rank {}", axis, rank);
    }
    if (seen[axis]) {
      return request.refuse("axes {} name axis {} twice", listText(axes), axis);
    }
    seen[axis] = true;
  }
  return Status::ok();
}

Status checkList(const Request &request, std::string_view name, int64_t length, int64_t least) {
  const std::vector<int64_t> &list = request.ints(name);
  if (static_cast<int64_t>(list.size()) != length) {
    return request.refuse("{} {} has {} entries, {} are needed", name, listText(list), list.size(),
                          length);
  }
  for (int64_t entry : list) {
    if (!request.assumeAtMost(least, entry)) {
      return request.refuse("{} {} holds {}, the least is {}", name, listText(list),
                            dim::toString(entry), least);
    }
  }
  return Status::ok();
}

/// Ops that move elements, or convert them: all that takes types of less than a byte.
static bool isStorageOp(const Request &request) {
  switch (request.kind) {
  case OpKind::Constant:
  case OpKind::Leaf:
  case OpKind::Cast:
  case OpKind::Select:
  case OpKind::Call:
  case OpKind::Concat:
  case OpKind::Stack:
  case OpKind::Gather: return true;
  case OpKind::Scatter: return request.attrs.getString("combine") == "none";
  default: return isMovement(request.kind) || isIdentity(request.kind);
  }
}

static Status checkStorage(const Request &request, const TensorType &type) {
  return !isSubByte(type.dtype) || isStorageOp(request)
             ? Status::ok()
             : request.unsupported(
                   "is not defined on {}, which elements are only stored in: cast them",
                   name(type.dtype));
}

static Expected<TensorType> identity(const Request &request) {
  if (request.kind == OpKind::ToDevice && request.attrs.getString("device") != "cpu") {
    return request.unsupported("there is no device '{}': use cpu",
                               request.attrs.getString("device"));
  }
  return request.x();
}

static Expected<TensorType> dispatch(const Request &request) {
  if (isElementwise(request.kind)) {
    return elementwise(request);
  }
  switch (info(request.kind).family) {
  case OpFamily::Reduce: return reduce(request);
  case OpFamily::Movement: return movement(request);
  case OpFamily::Composite: return composite(request);
  case OpFamily::Scan:
  case OpFamily::Order: return ordered(request);
  case OpFamily::Identity: return identity(request);
  case OpFamily::Unary:
  case OpFamily::Binary:
  case OpFamily::Compare:
  case OpFamily::Structural: break;
  }
  return structural(request);
}

} // namespace infer

/// A size of the result that may be negative at some values of the variables.
static void guardShape(const infer::Request &request, const Shape &shape) {
  for (int64_t size : shape) {
    request.assumeAtMost(0, size);
  }
}

Expected<TensorType> inferType(OpKind kind, const Attrs &attrs,
                               std::span<const TensorType> operands, std::vector<int64_t> *guards) {
  infer::Request request{kind, attrs, operands, guards};
  ZYXC_RETURN_IF_ERROR(infer::checkOperands(request));
  ZYXC_RETURN_IF_ERROR(infer::checkAttributes(request));
  for (const TensorType &operand : operands) {
    ZYXC_RETURN_IF_ERROR(infer::checkStorage(request, operand));
  }
  ZYXC_ASSIGN(TensorType type, infer::dispatch(request));
  ZYXC_RETURN_IF_ERROR(infer::checkStorage(request, type));
  if (!checkedNumElements(type.shape)) {
    return request.refuse("result shape {} has a negative dim or too many elements",
                          listText(type.shape));
  }
  guardShape(request, type.shape);
  return type;
}

} // namespace zyxc

#include "compiler/import/node/OnnxNode.h"
#include <algorithm>

namespace zyxc::importer {

const onnx::AttributeProto *OnnxNode::find(std::string_view name) const {
  for (const onnx::AttributeProto &attribute : proto.attribute()) {
    if (attribute.name() == name) {
      return &attribute;
    }
  }
  return nullptr;
}

void OnnxNode::wrongType(std::string_view name, std::string_view wanted) const {
  g.fail(malformed("attribute '{}' must be {}", name, wanted));
}

int64_t OnnxNode::attrWideInt(std::string_view name, int64_t otherwise) const {
  const onnx::AttributeProto *attribute = find(name);
  if (!attribute) {
    return otherwise;
  }
  if (!attribute->has_i()) {
    wrongType(name, "an integer");
    return otherwise;
  }
  return attribute->i();
}

int64_t OnnxNode::attrInt(std::string_view name, int64_t otherwise) const {
  int64_t value = attrWideInt(name, otherwise);
  Status status = checkSmall(std::span(&value, 1));
  if (!status.isOk()) {
    g.fail(std::move(status));
    return otherwise;
  }
  return value;
}

Status OnnxNode::checkSmall(std::span<const int64_t> values) const {
  for (int64_t value : values) {
    if (!dim::isSymbolic(value) && (value > maxAttrInt || value < -maxAttrInt)) {
      return malformed("the integer {} is out of range: at most 2^31 is allowed here", value);
    }
  }
  return Status::ok();
}

double OnnxNode::attrFloat(std::string_view name, double otherwise) const {
  const onnx::AttributeProto *attribute = find(name);
  if (!attribute) {
    return otherwise;
  }
  if (!attribute->has_f()) {
    wrongType(name, "a float");
    return otherwise;
  }
  return attribute->f();
}

std::string OnnxNode::attrString(std::string_view name, std::string otherwise) const {
  const onnx::AttributeProto *attribute = find(name);
  if (!attribute) {
    return otherwise;
  }
  if (!attribute->has_s()) {
    wrongType(name, "a string");
    return otherwise;
  }
  return attribute->s();
}

std::vector<int64_t> OnnxNode::attrWideInts(std::string_view name) const {
  const onnx::AttributeProto *attribute = find(name);
  if (!attribute) {
    return {};
  }
  if (attribute->has_i() || attribute->has_f() || attribute->has_s() || attribute->has_t()) {
    wrongType(name, "a list of integers");
  }
  return {attribute->ints().begin(), attribute->ints().end()};
}

std::vector<int64_t> OnnxNode::attrInts(std::string_view name,
                                        std::vector<int64_t> otherwise) const {
  if (!hasAttr(name)) {
    return otherwise;
  }
  std::vector<int64_t> values = attrWideInts(name);
  Status status = checkSmall(values);
  if (!status.isOk()) {
    g.fail(std::move(status));
    return otherwise;
  }
  return values;
}

std::vector<double> OnnxNode::attrFloats(std::string_view name) const {
  const onnx::AttributeProto *attribute = find(name);
  if (!attribute) {
    return {};
  }
  return {attribute->floats().begin(), attribute->floats().end()};
}

std::vector<std::string> OnnxNode::attrStrings(std::string_view name,
                                               std::vector<std::string> otherwise) const {
  const onnx::AttributeProto *attribute = find(name);
  if (!attribute) {
    return otherwise;
  }
  return {attribute->strings().begin(), attribute->strings().end()};
}

Expected<Tensor> OnnxNode::attrTensor(std::string_view name) const {
  const onnx::AttributeProto *attribute = find(name);
  if (!attribute || !attribute->has_t()) {
    return malformed("attribute '{}' must be a tensor", name);
  }
  return tensors.read(attribute->t());
}

Expected<const onnx::GraphProto *> OnnxNode::attrGraph(std::string_view name) const {
  const onnx::AttributeProto *attribute = find(name);
  if (!attribute || !attribute->has_g()) {
    return malformed("attribute '{}' must be a graph", name);
  }
  return &attribute->g();
}

Expected<DType> OnnxNode::attrDType(std::string_view name, DType otherwise) const {
  if (!hasAttr(name)) {
    return otherwise;
  }
  int number = static_cast<int>(attrInt(name, 0));
  std::optional<DType> dtype = dtypeOfOnnx(number);
  if (!dtype) {
    return unsupported("elements of {} are not supported", onnxTypeName(number));
  }
  return *dtype;
}

Expected<Tensor> OnnxNode::constant(size_t i) const {
  return g.evaluate(in(i));
}

Expected<Tensor> OnnxNode::constantSizes(size_t i) const {
  return takesOpenDims ? g.evaluateSizes(in(i)) : g.evaluate(in(i));
}

Expected<std::vector<int64_t>> OnnxNode::constantInts(size_t i) const {
  ZYXC_ASSIGN(Tensor tensor, constantSizes(i));
  if (tensor.type().rank() > 1 || !isInteger(tensor.dtype())) {
    return malformed("input {} must be a list of integers, not {}", i, toString(tensor.type()));
  }
  std::vector<int64_t> values;
  values.reserve(tensor.numElements());
  for (int64_t n = 0; n < tensor.numElements(); ++n) {
    values.push_back(tensor.asInt(n));
  }
  return values;
}

Expected<std::vector<int64_t>> OnnxNode::intsOf(size_t i, std::string_view attribute) const {
  if (has(i)) {
    return constantInts(i);
  }
  return attrInts(attribute);
}

Expected<int64_t> OnnxNode::constantInt(size_t i, int64_t otherwise) const {
  if (!has(i)) {
    return otherwise;
  }
  ZYXC_ASSIGN(Tensor tensor, constantSizes(i));
  if (tensor.numElements() != 1) {
    return malformed("input {} must be one number, not {}", i, toString(tensor.type()));
  }
  return tensor.asInt(0);
}

Expected<int64_t> OnnxNode::axis(int64_t axis, int64_t rank) const {
  if (axis < -rank || axis >= rank) {
    return malformed("axis {} is out of range for rank {}", axis, rank);
  }
  return axis < 0 ? axis + rank : axis;
}

Expected<std::vector<int64_t>> OnnxNode::axes(std::vector<int64_t> axes, int64_t rank) const {
  for (int64_t &entry : axes) {
    ZYXC_ASSIGN(entry, axis(entry, rank));
  }
  std::sort(axes.begin(), axes.end());
  if (std::adjacent_find(axes.begin(), axes.end()) != axes.end()) {
    return malformed("an axis occurs twice in [{}]", fmt::join(axes, ","));
  }
  return axes;
}

} // namespace zyxc::importer

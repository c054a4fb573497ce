// Constants, and values that describe shapes.
#include "compiler/import/node/OnnxOp.h"
#include <algorithm>
#include <cmath>

namespace zyxc::importer {

static Status constant(OnnxNode &n) {
  if (n.hasAttr("value")) {
    ZYXC_ASSIGN(Tensor value, n.attrTensor("value"));
    return n.result(n.g.constant(value));
  }
  if (n.hasAttr("value_float")) {
    return n.result(n.g.constant(Tensor::scalar(DType::F32, n.attrFloat("value_float", 0))));
  }
  if (n.hasAttr("value_int")) {
    return n.result(n.g.constant(Tensor::scalarInt(DType::I64, n.attrWideInt("value_int", 0))));
  }
  if (n.hasAttr("value_ints")) {
    return n.result(n.g.constant(Tensor::fromInts(n.attrWideInts("value_ints"))));
  }
  if (n.hasAttr("value_floats")) {
    std::vector<double> values = n.attrFloats("value_floats");
    Tensor tensor = Tensor::allocate({DType::F32, {static_cast<int64_t>(values.size())}});
    for (size_t i = 0; i < values.size(); ++i) {
      tensor.setDouble(static_cast<int64_t>(i), values[i]);
    }
    return n.result(n.g.constant(tensor));
  }
  return n.malformed("it has no value");
}

static std::string checkConstant(const onnx::NodeProto &node) {
  for (const onnx::AttributeProto &attribute : node.attribute()) {
    if (attribute.name() == "value_string" || attribute.name() == "value_strings" ||
        attribute.name() == "sparse_value") {
      return fmt::format("a constant given as {} is not supported", attribute.name());
    }
  }
  return "";
}

static Status constantOfShape(OnnxNode &n) {
  ZYXC_ASSIGN(Shape shape, n.constantInts(0));
  Tensor value = Tensor::scalar(DType::F32, 0);
  if (n.hasAttr("value")) {
    ZYXC_ASSIGN(value, n.attrTensor("value"));
  }
  if (value.numElements() != 1 || !checkedNumElements(shape)) {
    return n.malformed("value {} and shape {}: one element and sizes that are not negative or "
                       "too large are needed",
                       toString(value.type()), sizesText(shape));
  }
  return n.result(n.g.broadcast(n.g.constant(value.withShape({})), shape));
}

static Status shape(OnnxNode &n) {
  int64_t rank = n.rank(0);
  auto clampAxis = [&](int64_t axis) {
    return std::clamp<int64_t>(axis < 0 ? axis + rank : axis, 0, rank);
  };
  int64_t start = clampAxis(n.attrInt("start", 0));
  int64_t end = std::max(start, clampAxis(n.attrInt("end", rank)));
  std::span<const int64_t> dims = n.shape(0);
  return n.result(
      n.g.vector(dims.subspan(static_cast<size_t>(start), static_cast<size_t>(end - start))));
}

static Status size(OnnxNode &n) {
  return n.result(n.g.scalar(DType::I64, Size{n.type(0).numElements()}));
}

/// Number of integers from start to limit, delta apart.
static Expected<int64_t> openRangeLength(const OnnxNode &n, int64_t start, int64_t limit,
                                         int64_t delta) {
  if (dim::isSymbolic(delta) || delta == 0) {
    return n.unsupported("a range with the step {}: a number other than 0 is needed",
                         dim::toString(delta));
  }
  int64_t distance = delta > 0 ? dim::sub(limit, start) : dim::sub(start, limit);
  return dim::ceilDiv(dim::max(distance, 0), delta > 0 ? delta : dim::sub(0, delta));
}

static Expected<int64_t> rangeLength(const OnnxNode &n) {
  Tensor bounds[3];
  if (isInteger(n.type(0).dtype)) {
    int64_t sizes[3];
    for (size_t i = 0; i < 3; ++i) {
      ZYXC_ASSIGN(sizes[i], n.constantInt(i, 0));
    }
    if (dim::anySymbolic(sizes)) {
      return openRangeLength(n, sizes[0], sizes[1], sizes[2]);
    }
  }
  for (size_t i = 0; i < 3; ++i) {
    ZYXC_ASSIGN(bounds[i], n.constant(i));
  }
  double start = bounds[0].asDouble(0);
  double limit = bounds[1].asDouble(0);
  double delta = bounds[2].asDouble(0);
  double count = std::ceil((limit - start) / delta);
  if (delta == 0 || std::isnan(count)) {
    return n.malformed("a range from {} to {} by {} has no length", start, limit, delta);
  }
  if (count > 0x1p48) {
    return n.unsupported("a range from {} to {} by {} has more than 2^48 elements: make it shorter",
                         start, limit, delta);
  }
  return std::max<int64_t>(static_cast<int64_t>(count), 0);
}

static Status range(OnnxNode &n) {
  for (size_t i = 0; i < 3; ++i) {
    if (n.type(i).numElements() != 1 || n.type(i).dtype != n.type(0).dtype) {
      return n.malformed("start, limit and delta must be single numbers of one dtype");
    }
  }
  ZYXC_ASSIGN(int64_t length, rangeLength(n));
  GraphValue at = n.g.iota({length}, 0, n.type(0).dtype);
  GraphValue scaled = n.g.mul(at, n.g.reshape(n.in(2), {}));
  return n.result(n.g.add(scaled, n.g.reshape(n.in(0), {})));
}

static constexpr OnnxOp rows[] = {
    {"Constant", 1, newest, 0, 0, 1, openDims, constant, 0, checkConstant},
    {"ConstantOfShape", 9, newest, 1, 1, 1, openDims, constantOfShape, 1},
    {"Range", 11, newest, 3, 3, 1, openDims, range, 7},
    {"Shape", 1, newest, 1, 1, 1, openDims, shape},
    {"Size", 1, newest, 1, 1, 1, openDims, size},
};

std::span<const OnnxOp> shapeOps() {
  return rows;
}

} // namespace zyxc::importer

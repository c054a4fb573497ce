#include "test/fuzz/graphs/oracle/Exactness.h"
#include <algorithm>
#include <cmath>
#include <map>

namespace zyxc::fuzz {

Effect effectOf(OpKind kind) {
  switch (kind) {
  case OpKind::Neg:
  case OpKind::Abs:
  case OpKind::Sign:
  case OpKind::Not:
  case OpKind::Ceil:
  case OpKind::Floor:
  case OpKind::Round:
  case OpKind::Trunc:
  case OpKind::IsNan:
  case OpKind::IsInf:
  case OpKind::Max:
  case OpKind::Min:
  case OpKind::And:
  case OpKind::Or:
  case OpKind::Xor:
  case OpKind::Shl:
  case OpKind::Shr:
  case OpKind::Select:
  case OpKind::Bitcast:
  case OpKind::ReduceMax:
  case OpKind::ReduceMin:
  case OpKind::ReduceAnd:
  case OpKind::ReduceOr:
  case OpKind::ArgMax:
  case OpKind::ArgMin:
  case OpKind::MaxPool:
  case OpKind::ScanMax:
  case OpKind::ScanMin:
  case OpKind::Scatter: // its order is fixed, and so is its rounding
  case OpKind::Sort:
  case OpKind::ArgSort:
  case OpKind::Stack: return Effect::None;
  case OpKind::Cast:
  case OpKind::Add:
  case OpKind::Sub:
  case OpKind::Mul:
  case OpKind::Div:
  case OpKind::Rem:
  case OpKind::Mod: return Effect::Arithmetic;
  case OpKind::Contract: return Effect::Sum;
  default: break;
  }
  OpFamily family = info(kind).family;
  if (family == OpFamily::Compare || family == OpFamily::Movement ||
      family == OpFamily::Structural || family == OpFamily::Identity) {
    return Effect::None;
  }
  return isReduce(kind) || isComposite(kind) || isScan(kind) ? Effect::Sum : Effect::Function;
}

static double product(const Shape &shape, const std::vector<int64_t> &axes) {
  double result = 1;
  for (int64_t axis : axes) {
    result *= static_cast<double>(shape[static_cast<size_t>(axis)]);
  }
  return result;
}

/// The extents of all labels that the result lacks.
static double termsOfContract(const Attrs &attrs, std::span<const Tensor> operands) {
  std::map<int64_t, int64_t> extents;
  for (size_t side : {0, 1}) {
    const std::vector<int64_t> &labels = attrs.getInts(side == 0 ? "lhs" : "rhs");
    for (size_t axis = 0; axis < labels.size(); ++axis) {
      extents[labels[axis]] = operands[side].shape()[axis];
    }
  }
  for (int64_t label : attrs.getInts("out")) {
    extents.erase(label);
  }
  double result = 1;
  for (const auto &[label, extent] : extents) {
    result *= static_cast<double>(extent);
  }
  return result;
}

double termsOf(const Node &node, std::span<const Tensor> operands) {
  const Shape &shape = operands[0].shape();
  switch (node.kind) {
  case OpKind::Conv:
    return static_cast<double>(operands[1].numElements()) /
           static_cast<double>(std::max<int64_t>(operands[1].shape()[0], 1));
  case OpKind::Matmul: return static_cast<double>(shape.back());
  case OpKind::Contract: return termsOfContract(node.attrs, operands);
  case OpKind::ScanSum:
  case OpKind::ScanProd: return product(shape, {node.attrs.getInt("axis")});
  case OpKind::AvgPool: return static_cast<double>(numElements(node.attrs.getInts("sizes")));
  case OpKind::Lrn: return static_cast<double>(node.attrs.getInt("size"));
  default: break;
  }
  return node.attrs.find("axes") ? product(shape, node.attrs.getInts("axes")) : 1;
}

static bool hasFloat(const Node &node, std::span<const Tensor> operands) {
  return isFloat(node.type.dtype) || (!operands.empty() && isFloat(operands[0].dtype()));
}

/// The largest magnitude, or infinity if an element is no integer.
static double integralMagnitude(const Tensor &x) {
  double largest = 0;
  for (int64_t i = 0; i < x.numElements(); ++i) {
    double value = x.asDouble(i);
    if (!(value == std::trunc(value)) || std::isinf(value)) {
      return INFINITY;
    }
    largest = std::max(largest, std::fabs(value));
  }
  return largest;
}

bool roundsNothing(const Node &node, std::span<const Tensor> operands, const Tensor &result) {
  Effect effect = effectOf(node.kind);
  if (effect == Effect::None || !hasFloat(node, operands)) {
    return true;
  }
  bool isProduct = node.kind == OpKind::Mul || node.kind == OpKind::Conv ||
                   node.kind == OpKind::Matmul || node.kind == OpKind::Contract;
  bool isSum = node.kind == OpKind::Add || node.kind == OpKind::Sub || node.kind == OpKind::Cast ||
               node.kind == OpKind::ReduceSum;
  if (!isProduct && !isSum) {
    return false;
  }
  double bound = isProduct ? 1 : 0;
  for (const Tensor &operand : operands) {
    double magnitude = integralMagnitude(operand);
    bound = isProduct ? bound * magnitude : bound + magnitude;
  }
  bound *= effect == Effect::Sum ? termsOf(node, operands) : 1;
  int bits = isFloat(result.dtype()) ? info(result.dtype()).mantissaBits + 1 : 53;
  if (isFloat(operands[0].dtype()) && node.kind != OpKind::Cast) {
    bits = std::min(bits, info(operands[0].dtype()).mantissaBits + 1);
  }
  return bound <= std::ldexp(1.0, bits);
}

} // namespace zyxc::fuzz

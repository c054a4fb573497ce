#include "compiler/rules/check/FieldEvaluator.h"
#include "compiler/interp/Interp.h"
#include <algorithm>
#include <array>
#include <cmath>

namespace zyxc::rules {

namespace {

constexpr int64_t prime = FieldEvaluator::prime;
constexpr int64_t undefined = FieldEvaluator::undefined;

int64_t power(int64_t base, int64_t exponent) {
  int64_t result = 1;
  for (; exponent > 0; exponent >>= 1) {
    result = exponent & 1 ? result * base % prime : result;
    base = base * base % prime;
  }
  return result;
}

int64_t quotient(int64_t x, int64_t y) {
  return y == 0 ? undefined : x * power(y, prime - 2) % prime;
}

/// A step of arithmetic on two elements.
int64_t step(OpKind kind, int64_t x, int64_t y) {
  if (x == undefined || y == undefined) {
    return undefined;
  }
  switch (kind) {
  case OpKind::Add: return (x + y) % prime;
  case OpKind::Sub: return (x + prime - y) % prime;
  case OpKind::Mul: return x * y % prime;
  case OpKind::Div: return quotient(x, y);
  default: return undefined;
  }
}

/// A finite float is a fraction, and that is an element of the field.
int64_t fromDouble(double value) {
  if (!std::isfinite(value)) {
    return undefined;
  }
  int exponent = 0;
  double fraction = std::frexp(std::abs(value), &exponent);
  int64_t digits = static_cast<int64_t>(std::ldexp(fraction, 53)) % prime;
  exponent -= 53;
  int64_t factor = exponent >= 0 ? power(2, exponent) : quotient(1, power(2, -exponent));
  int64_t magnitude = digits * factor % prime;
  return value < 0 ? (prime - magnitude) % prime : magnitude;
}

std::optional<Tensor> fromConstant(const Tensor &value) {
  if (!isFloat(value.dtype()) && value.dtype() != DType::Bool) {
    return std::nullopt;
  }
  Tensor result = Tensor::allocate({DType::I64, value.shape()});
  for (int64_t i = 0; i < value.numElements(); ++i) {
    result.setInt(i, isFloat(value.dtype()) ? fromDouble(value.asDouble(i)) : value.asInt(i));
  }
  return result;
}

/// Calls body(coordinates) for every point of a box.
template <class Body> void forEachPoint(const Shape &extents, Body body) {
  std::vector<int64_t> point(extents.size());
  for (int64_t left = numElements(extents); left > 0; --left) {
    body(point);
    for (size_t axis = extents.size(); axis-- > 0;) {
      if (++point[axis] < extents[axis]) {
        break;
      }
      point[axis] = 0;
    }
  }
}

/// The place of an element whose axes have the coordinates of their labels.
int64_t placeOf(const std::vector<int64_t> &labels, const Shape &shape,
                const std::vector<int64_t> &labelAt) {
  int64_t place = 0;
  for (size_t axis = 0; axis < labels.size(); ++axis) {
    place = place * shape[axis] + labelAt[labels[axis]];
  }
  return place;
}

/// The sum or the product of elements over axes.
Tensor reduce(OpKind kind, const Attrs &attrs, const Tensor &x, const Shape &shape) {
  OpKind combine = kind == OpKind::ReduceSum ? OpKind::Add : OpKind::Mul;
  const std::vector<int64_t> &axes = attrs.getInts("axes");
  std::vector<int64_t> kept, all;
  for (int64_t axis = 0; axis < x.type().rank(); ++axis) {
    all.push_back(axis);
    if (!std::ranges::count(axes, axis)) {
      kept.push_back(axis);
    }
  }
  Tensor result = Tensor::zeros({DType::I64, shape});
  for (int64_t i = 0; i < result.numElements(); ++i) {
    result.setInt(i, kind == OpKind::ReduceSum ? 0 : 1);
  }
  forEachPoint(x.shape(), [&](const std::vector<int64_t> &point) {
    int64_t to = placeOf(kept, shape, point);
    result.setInt(to, step(combine, result.asInt(to), x.asInt(placeOf(all, x.shape(), point))));
  });
  return result;
}

Tensor contract(const Attrs &attrs, const Tensor &x, const Tensor &y, const Shape &shape) {
  const std::vector<int64_t> &lhs = attrs.getInts("lhs");
  const std::vector<int64_t> &rhs = attrs.getInts("rhs");
  const std::vector<int64_t> &out = attrs.getInts("out");
  int64_t numLabels = 0;
  for (const auto *labels : {&lhs, &rhs, &out}) {
    for (int64_t label : *labels) {
      numLabels = std::max(numLabels, label + 1);
    }
  }
  Shape extents(numLabels, 1);
  for (size_t axis = 0; axis < lhs.size(); ++axis) {
    extents[lhs[axis]] = x.shape()[axis];
  }
  for (size_t axis = 0; axis < rhs.size(); ++axis) {
    extents[rhs[axis]] = y.shape()[axis];
  }
  Tensor result = Tensor::zeros({DType::I64, shape});
  forEachPoint(extents, [&](const std::vector<int64_t> &point) {
    int64_t to = placeOf(out, shape, point);
    int64_t product = step(OpKind::Mul, x.asInt(placeOf(lhs, x.shape(), point)),
                           y.asInt(placeOf(rhs, y.shape(), point)));
    result.setInt(to, step(OpKind::Add, result.asInt(to), product));
  });
  return result;
}

constexpr std::array knownKinds = {
    OpKind::Leaf,    OpKind::Constant, OpKind::Add,       OpKind::Sub,        OpKind::Mul,
    OpKind::Div,     OpKind::Neg,      OpKind::Recip,     OpKind::Pow,        OpKind::Select,
    OpKind::Cast,    OpKind::View,     OpKind::Reshape,   OpKind::Permute,    OpKind::Expand,
    OpKind::Narrow,  OpKind::Flip,     OpKind::Window,    OpKind::Pad,        OpKind::Concat,
    OpKind::Stack,   OpKind::Contract, OpKind::ReduceSum, OpKind::ReduceProd, OpKind::Matmul,
    OpKind::AvgPool, OpKind::Conv,
};

} // namespace

bool FieldEvaluator::knows(OpKind kind) {
  return std::ranges::find(knownKinds, kind) != knownKinds.end();
}

bool FieldEvaluator::knows(const Rule &rule) {
  auto isKnown = [](const Term &term) {
    using Kind = Constraint::Kind;
    bool isIntegral = term.constraint.kind == Kind::Int ||
                      (term.constraint.kind == Kind::Dtype && !isFloat(term.constraint.dtype));
    bool isForeign = (term.kind == Term::Kind::Op && !knows(term.op)) ||
                     (term.kind == Term::Kind::Family && (term.family == OpFamily::Compare));
    return !isIntegral && !isForeign;
  };
  return std::ranges::all_of(rule.pattern, isKnown) && std::ranges::all_of(rule.result, isKnown);
}

void FieldEvaluator::run() {
  // Operands have smaller ids than their users, but a union can give a class an older name.
  for (bool changed = true; changed;) {
    changed = false;
    for (NodeId node = 0; node < graph.engine().numNodes(); ++node) {
      ClassId cls = graph.find(node);
      if (values.contains(cls)) {
        continue;
      }
      if (std::optional<Tensor> result = apply(node)) {
        values[cls] = *std::move(result);
        changed = true;
      }
    }
  }
}

const Tensor *FieldEvaluator::value(ClassId cls) const {
  auto found = values.find(graph.find(cls));
  return found == values.end() ? nullptr : &found->second;
}

std::optional<Tensor> FieldEvaluator::elementwise(NodeId node,
                                                  std::span<const Tensor> operands) const {
  OpKind kind = graph.kind(node);
  Tensor result = Tensor::allocate(operands.back().type());
  for (int64_t i = 0; i < result.numElements(); ++i) {
    int64_t x = operands[0].asInt(i);
    int64_t value = undefined;
    switch (kind) {
    case OpKind::Neg: value = step(OpKind::Sub, 0, x); break;
    case OpKind::Recip: value = step(OpKind::Div, 1, x); break;
    case OpKind::Pow: {
      // Other exponents are no rational functions.
      int64_t exponent = operands[1].asInt(i);
      if (exponent < 0 || exponent > 16 || !graph.splat(graph.operands(node)[1])) {
        return std::nullopt;
      }
      value = x == undefined ? undefined : power(x, exponent);
      break;
    }
    case OpKind::Select:
      value = x == undefined ? undefined : operands[x != 0 ? 1 : 2].asInt(i);
      break;
    default: value = step(kind, x, operands[1].asInt(i)); break;
    }
    result.setInt(i, value);
  }
  return result;
}

std::optional<Tensor> FieldEvaluator::apply(NodeId node) const {
  OpKind kind = graph.kind(node);
  if (!knows(kind) || kind == OpKind::Leaf) {
    return std::nullopt;
  }
  const Attrs &attrs = graph.attrs(node);
  if (kind == OpKind::Constant) {
    return fromConstant(attrs.getTensor("value"));
  }
  const TensorType &type = graph.type(node);
  std::vector<Tensor> operands;
  for (ClassId operand : graph.operands(node)) {
    const Tensor *known = value(operand);
    if (!known ||
        (!isFloat(graph.type(operand).dtype) && graph.type(operand).dtype != DType::Bool)) {
      return std::nullopt;
    }
    operands.push_back(*known);
  }
  if (kind == OpKind::Cast) {
    bool isWidening =
        isFloat(type.dtype) || graph.type(graph.operands(node)[0]).dtype == type.dtype;
    return isWidening ? std::optional(operands[0]) : std::nullopt;
  }
  if (kind == OpKind::ReduceSum || kind == OpKind::ReduceProd) {
    return reduce(kind, attrs, operands[0], type.shape);
  }
  if (kind == OpKind::Contract) {
    return contract(attrs, operands[0], operands[1], type.shape);
  }
  if (isElementwise(kind)) {
    return elementwise(node, operands);
  }
  if (isComposite(kind)) {
    return std::nullopt; // its decomposition stands in the same class
  }
  Expected<Tensor> moved = interp::evaluate(kind, attrs, operands);
  return moved ? std::optional<Tensor>(*std::move(moved)) : std::nullopt;
}

} // namespace zyxc::rules

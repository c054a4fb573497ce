// Arithmetic, comparisons, logic and bits, element by element.
#include "compiler/import/node/OnnxOp.h"

namespace zyxc::importer {

template <OpKind kind> static Status unary(OnnxNode &n) {
  return n.result(n.g.op(kind, {n.in(0)}));
}

/// The second operand of a binary op before operator set 7: broadcast only with `broadcast`, its
/// axes aligned at `axis` of the first operand (default: at the end).
static Expected<GraphValue> legacyOperand(OnnxNode &n) {
  GraphValue y = n.in(1);
  if (n.attrInt("broadcast", 0) == 0) {
    if (n.shape(0) != n.shape(1)) {
      return n.malformed("shapes {} and {} differ and broadcast is not set", shapeText(n.shape(0)),
                         shapeText(n.shape(1)));
    }
    return y;
  }
  int64_t start = n.rank(0) - n.rank(1);
  if (n.hasAttr("axis")) {
    ZYXC_ASSIGN(start, n.axis(n.attrInt("axis", 0), n.rank(0)));
  }
  int64_t trailing = n.rank(0) - start - n.rank(1);
  if (start < 0 || trailing < 0) {
    return n.malformed("shape {} does not fit into {} at axis {}", shapeText(n.shape(1)),
                       shapeText(n.shape(0)), start);
  }
  Shape shape = n.shape(1);
  shape.insert(shape.end(), static_cast<size_t>(trailing), 1);
  return n.g.reshape(y, shape);
}

template <OpKind kind> static Status binary(OnnxNode &n) {
  GraphValue y = n.in(1);
  if (n.opset < 7) {
    ZYXC_ASSIGN(y, legacyOperand(n));
  }
  return n.result(n.g.binary(kind, n.in(0), y));
}

template <OpKind kind> static GraphValue fold(OnnxNode &n) {
  GraphValue result = n.in(0);
  for (size_t i = 1; i < n.numInputs(); ++i) {
    result = n.g.binary(kind, result, n.in(i));
  }
  return result;
}

template <OpKind kind> static Status variadicOp(OnnxNode &n) {
  return n.result(fold<kind>(n));
}

static Status mean(OnnxNode &n) {
  GraphValue sum = fold<OpKind::Add>(n);
  return n.result(n.g.binary(OpKind::Div, sum, static_cast<double>(n.numInputs())));
}

static Status power(OnnxNode &n) {
  GraphValue x = n.in(0);
  GraphValue y = n.in(1);
  if (n.opset < 7) {
    ZYXC_ASSIGN(y, legacyOperand(n));
  }
  DType result = n.type(0).dtype;
  // An integer base with a float exponent is computed in the exponent's dtype.
  DType compute = isFloat(result) || !isFloat(n.type(1).dtype) ? result : n.type(1).dtype;
  GraphValue power = n.g.binary(OpKind::Pow, n.g.cast(x, compute), n.g.cast(y, compute));
  return n.result(n.g.cast(power, result));
}

static Status modulo(OnnxNode &n) {
  return n.result(n.g.binary(n.attrInt("fmod", 0) ? OpKind::Rem : OpKind::Mod, n.in(0), n.in(1)));
}

static Status bitShift(OnnxNode &n) {
  std::string direction = n.attrString("direction", "");
  if (direction != "LEFT" && direction != "RIGHT") {
    return n.malformed("direction must be LEFT or RIGHT, not '{}'", direction);
  }
  return n.result(n.g.binary(direction == "LEFT" ? OpKind::Shl : OpKind::Shr, n.in(0), n.in(1)));
}

static Status isInf(OnnxNode &n) {
  bool negative = n.attrInt("detect_negative", 1) != 0;
  bool positive = n.attrInt("detect_positive", 1) != 0;
  GraphValue x = n.in(0);
  GraphValue result = n.g.op(OpKind::IsInf, {x});
  if (!negative || !positive) {
    GraphValue zero = n.g.like(x, 0);
    // With neither direction, x is both below and above zero: never.
    for (OpKind side : {OpKind::Gt, OpKind::Lt}) {
      if (side == OpKind::Gt ? !negative : !positive) {
        result = n.g.op(OpKind::And, {result, n.g.op(side, {x, zero})});
      }
    }
  }
  return n.result(result);
}

static Status where(OnnxNode &n) {
  ZYXC_ASSIGN(Shape both, n.g.broadcastShape(n.shape(1), n.shape(2)));
  ZYXC_ASSIGN(Shape shape, n.g.broadcastShape(n.shape(0), both));
  return n.result(n.g.select(n.g.broadcast(n.in(0), shape), n.g.broadcast(n.in(1), shape),
                             n.g.broadcast(n.in(2), shape)));
}

static Status clipByAttributes(OnnxNode &n) {
  GraphValue x = n.in(0);
  if (n.hasAttr("min")) {
    x = n.g.binary(OpKind::Max, x, n.attrFloat("min", 0));
  }
  if (n.hasAttr("max")) {
    x = n.g.binary(OpKind::Min, x, n.attrFloat("max", 0));
  }
  return n.result(x);
}

static Status clip(OnnxNode &n) {
  GraphValue x = n.in(0);
  for (size_t i : {1, 2}) {
    if (n.has(i)) {
      if (n.type(i).numElements() != 1) {
        return n.malformed("min and max must be one number, not {}", toString(n.type(i)));
      }
      x = n.g.binary(i == 1 ? OpKind::Max : OpKind::Min, x, n.g.reshape(n.in(i), {}));
    }
  }
  return n.result(x);
}

static Status binarizer(OnnxNode &n) {
  GraphValue above = n.g.binary(OpKind::Gt, n.in(0), n.attrFloat("threshold", 0));
  return n.result(n.g.cast(above, n.type(0).dtype));
}

static constexpr OnnxOp rows[] = {
    {"Abs", 1, newest, 1, 1, 1, openDims, unary<OpKind::Abs>},
    {"Acos", 7, newest, 1, 1, 1, openDims, unary<OpKind::Acos>},
    {"Acosh", 9, newest, 1, 1, 1, openDims, unary<OpKind::Acosh>},
    {"Asin", 7, newest, 1, 1, 1, openDims, unary<OpKind::Asin>},
    {"Asinh", 9, newest, 1, 1, 1, openDims, unary<OpKind::Asinh>},
    {"Atan", 7, newest, 1, 1, 1, openDims, unary<OpKind::Atan>},
    {"Atanh", 9, newest, 1, 1, 1, openDims, unary<OpKind::Atanh>},
    {"BitwiseNot", 18, newest, 1, 1, 1, openDims, unary<OpKind::Not>},
    {"Ceil", 1, newest, 1, 1, 1, openDims, unary<OpKind::Ceil>},
    {"Cos", 7, newest, 1, 1, 1, openDims, unary<OpKind::Cos>},
    {"Cosh", 9, newest, 1, 1, 1, openDims, unary<OpKind::Cosh>},
    {"Erf", 9, newest, 1, 1, 1, openDims, unary<OpKind::Erf>},
    {"Exp", 1, newest, 1, 1, 1, openDims, unary<OpKind::Exp>},
    {"Floor", 1, newest, 1, 1, 1, openDims, unary<OpKind::Floor>},
    {"IsInf", 10, newest, 1, 1, 1, openDims, isInf},
    {"IsNaN", 9, newest, 1, 1, 1, openDims, unary<OpKind::IsNan>},
    {"Log", 1, newest, 1, 1, 1, openDims, unary<OpKind::Log>},
    {"Neg", 1, newest, 1, 1, 1, openDims, unary<OpKind::Neg>},
    {"Not", 1, newest, 1, 1, 1, openDims, unary<OpKind::Not>},
    {"Reciprocal", 1, newest, 1, 1, 1, openDims, unary<OpKind::Recip>},
    {"Round", 11, newest, 1, 1, 1, openDims, unary<OpKind::Round>},
    {"Sign", 9, newest, 1, 1, 1, openDims, unary<OpKind::Sign>},
    {"Sin", 7, newest, 1, 1, 1, openDims, unary<OpKind::Sin>},
    {"Sinh", 9, newest, 1, 1, 1, openDims, unary<OpKind::Sinh>},
    {"Sqrt", 1, newest, 1, 1, 1, openDims, unary<OpKind::Sqrt>},
    {"Tan", 7, newest, 1, 1, 1, openDims, unary<OpKind::Tan>},
    {"Tanh", 1, newest, 1, 1, 1, openDims, unary<OpKind::Tanh>},

    {"Add", 1, newest, 2, 2, 1, openDims, binary<OpKind::Add>},
    {"And", 1, newest, 2, 2, 1, openDims, binary<OpKind::And>},
    {"BitShift", 11, newest, 2, 2, 1, openDims, bitShift},
    {"BitwiseAnd", 18, newest, 2, 2, 1, openDims, binary<OpKind::And>},
    {"BitwiseOr", 18, newest, 2, 2, 1, openDims, binary<OpKind::Or>},
    {"BitwiseXor", 18, newest, 2, 2, 1, openDims, binary<OpKind::Xor>},
    {"Div", 1, newest, 2, 2, 1, openDims, binary<OpKind::Div>},
    {"Equal", 1, newest, 2, 2, 1, openDims, binary<OpKind::Eq>},
    {"Greater", 1, newest, 2, 2, 1, openDims, binary<OpKind::Gt>},
    {"GreaterOrEqual", 12, newest, 2, 2, 1, openDims, binary<OpKind::Ge>},
    {"Less", 1, newest, 2, 2, 1, openDims, binary<OpKind::Lt>},
    {"LessOrEqual", 12, newest, 2, 2, 1, openDims, binary<OpKind::Le>},
    {"Mod", 10, newest, 2, 2, 1, openDims, modulo},
    {"Mul", 1, newest, 2, 2, 1, openDims, binary<OpKind::Mul>},
    {"Or", 1, newest, 2, 2, 1, openDims, binary<OpKind::Or>},
    {"Pow", 1, newest, 2, 2, 1, openDims, power},
    {"Sub", 1, newest, 2, 2, 1, openDims, binary<OpKind::Sub>},
    {"Xor", 1, newest, 2, 2, 1, openDims, binary<OpKind::Xor>},

    {"Max", 1, newest, 1, variadic, 1, openDims, variadicOp<OpKind::Max>},
    {"Mean", 1, newest, 1, variadic, 1, openDims, mean},
    {"Min", 1, newest, 1, variadic, 1, openDims, variadicOp<OpKind::Min>},
    {"Sum", 1, newest, 1, variadic, 1, openDims, variadicOp<OpKind::Add>},

    {"Clip", 1, 10, 1, 1, 1, openDims, clipByAttributes},
    {"Clip", 11, newest, 1, 3, 1, openDims, clip},
    {"Where", 9, newest, 3, 3, 1, openDims, where},
    {"ai.onnx.ml.Binarizer", 1, newest, 1, 1, 1, openDims, binarizer},
};

std::span<const OnnxOp> elementwiseOps() {
  return rows;
}

} // namespace zyxc::importer

#include "dialects/zyxk/scalar/ScalarFunction.h"
#include "dialects/zyx/semantics/Scalar.h"
#include "dialects/zyxk/scalar/ScalarEmitter.h"
#include <array>
#include <cmath>

using namespace mlir;

namespace zyxc {

namespace {

/// Short names for zyx ops on one float dtype.
class FloatWriter {
public:
  FloatWriter(OpBuilder &builder, Location loc, DType dtype, Value like)
      : emit(builder, loc), builder(builder), loc(loc), dtype(dtype), like(like) {}

  Value op(OpKind kind, ValueRange operands) {
    return emitScalar(builder, loc, kind, dtype, operands, dtype);
  }
  Value constant(double value) { return emit.floatLike(like, value); }
  Value add(Value x, Value y) { return op(OpKind::Add, {x, y}); }
  Value mul(Value x, Value y) { return op(OpKind::Mul, {x, y}); }
  Value add(Value x, double y) { return add(x, constant(y)); }
  Value mul(Value x, double y) { return mul(x, constant(y)); }
  Value max(Value x, double y) { return op(OpKind::Max, {x, constant(y)}); }
  Value min(Value x, double y) { return op(OpKind::Min, {x, constant(y)}); }
  Value exp(Value x) { return op(OpKind::Exp, {x}); }
  Value neg(Value x) { return op(OpKind::Neg, {x}); }
  Value div(Value x, Value y) { return op(OpKind::Div, {x, y}); }

private:
  ScalarEmitter emit;
  OpBuilder &builder;
  Location loc;
  DType dtype;
  Value like;
};

struct Activation {
  std::string_view name;
  Value (*emit)(FloatWriter &w, Value x);
};

} // namespace

static Value sigmoid(FloatWriter &w, Value x) {
  return w.div(w.constant(1.0), w.add(w.exp(w.neg(x)), 1.0));
}

/// log(1 + e^x) without overflow.
static Value softplus(FloatWriter &w, Value x) {
  Value tail = w.op(OpKind::Log1p, {w.exp(w.neg(w.op(OpKind::Abs, {x})))});
  return w.add(w.max(x, 0.0), tail);
}

static Value halfTimesOnePlus(FloatWriter &w, Value x, Value inner) {
  return w.mul(w.mul(x, 0.5), w.add(inner, 1.0));
}

/// x / 2 * (1 + tanh(z)) with z = sqrt(2 / pi) (x + 0.044715 x^3), as x * sigmoid(2 z): the same
/// function, without the cancellation in 1 + tanh(z) and without a tanh.
static Value geluTanh(FloatWriter &w, Value x) {
  double scale = -2.0 * std::sqrt(2.0 / M_PI);
  Value exponent = w.mul(x, w.add(w.mul(w.mul(x, x), scale * 0.044715), scale));
  return w.div(x, w.add(w.exp(exponent), 1.0));
}

static constexpr std::array<Activation, 9> activations = {{
    {"gelu",
     [](FloatWriter &w, Value x) {
       return halfTimesOnePlus(w, x, w.op(OpKind::Erf, {w.mul(x, std::sqrt(0.5))}));
     }},
    {"gelu_tanh", geluTanh},
    {"hard_swish",
     [](FloatWriter &w, Value x) {
       return w.mul(x, w.min(w.max(w.add(w.mul(x, 1.0 / 6.0), 0.5), 0.0), 1.0));
     }},
    {"mish",
     [](FloatWriter &w, Value x) { return w.mul(x, w.op(OpKind::Tanh, {softplus(w, x)})); }},
    {"relu", [](FloatWriter &w, Value x) { return w.max(x, 0.0); }},
    {"sigmoid", sigmoid},
    {"silu", [](FloatWriter &w, Value x) { return w.mul(x, sigmoid(w, x)); }},
    {"softplus", softplus},
    {"softsign",
     [](FloatWriter &w, Value x) { return w.div(x, w.add(w.op(OpKind::Abs, {x}), 1.0)); }},
}};

static const Activation *findActivation(std::string_view name) {
  for (const Activation &activation : activations) {
    if (activation.name == name) {
      return &activation;
    }
  }
  return nullptr;
}

std::optional<unsigned> scalarFunctionArity(std::string_view name) {
  if (findActivation(name)) {
    return 1;
  }
  std::optional<OpKind> kind = parseOpKind(name);
  bool test = kind == OpKind::IsNan || kind == OpKind::IsInf;
  if (!kind || test || !isDefinedOn(*kind, DType::F32)) {
    return std::nullopt;
  }
  OpFamily family = info(*kind).family;
  if (family != OpFamily::Unary && family != OpFamily::Binary) {
    return std::nullopt;
  }
  return family == OpFamily::Unary ? 1 : 2;
}

std::string scalarFunctionNames() {
  std::string names;
  for (const Activation &activation : activations) {
    names += (names.empty() ? "" : ", ") + std::string(activation.name);
  }
  return names;
}

static DType floatDType(Type type) {
  return type.isF64()    ? DType::F64
         : type.isF16()  ? DType::F16
         : type.isBF16() ? DType::BF16
                         : DType::F32;
}

Value emitScalarFunction(OpBuilder &builder, Location loc, std::string_view name,
                         ValueRange operands) {
  DType dtype = floatDType(getElementTypeOrSelf(operands[0].getType()));
  DType wide = dtype == DType::F64 ? DType::F64 : DType::F32;
  ScalarEmitter emit(builder, loc);
  SmallVector<Value> widened;
  for (Value operand : operands) {
    widened.push_back(dtype == wide ? operand : emit.cast(dtype, wide, operand));
  }
  Value result;
  if (const Activation *activation = findActivation(name)) {
    FloatWriter writer(builder, loc, wide, widened[0]);
    result = activation->emit(writer, widened[0]);
  } else {
    result = emitScalar(builder, loc, *parseOpKind(name), wide, widened, wide);
  }
  return dtype == wide ? result : emit.cast(wide, dtype, result);
}

} // namespace zyxc

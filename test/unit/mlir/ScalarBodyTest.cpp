// Generated scalar code against the reference semantics, op by op and dtype by dtype, on values
// where they are delicate.
#include "dialects/zyxk/scalar/ScalarBody.h"
#include "dialects/zyx/semantics/Scalar.h"
#include "dialects/zyxk/IR/ZyxkOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "test/unit/mlir/KernelRunner.h"
#include <catch2/catch.hpp>
#include <cmath>
#include <optional>

using namespace zyxc;
using namespace zyxc::test;

/// A kernel that applies one op to each element of its ports, with a last constant operand if
/// given.
static std::string kernelFor(OpKind kind, std::span<const DType> operands, DType result,
                             int64_t count, std::optional<double> constant = std::nullopt) {
  mlir::MLIRContext context;
  context.loadDialect<zyxk::ZyxkDialect, mlir::arith::ArithDialect, mlir::math::MathDialect>();
  mlir::OpBuilder builder(&context);
  mlir::Location loc = builder.getUnknownLoc();
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(loc);
  builder.setInsertionPointToEnd(module->getBody());
  auto shape = mlir::AffineMap::get(0, 0, builder.getAffineConstantExpr(count));
  std::vector<zyxk::PortType> ports;
  for (DType dtype : operands) {
    ports.push_back(zyxk::PortType::get(&context, storageType(&context, dtype), shape,
                                        zyxk::PortMode::In, mlir::AffineMap(), 0));
  }
  ports.push_back(zyxk::PortType::get(&context, storageType(&context, result), shape,
                                      zyxk::PortMode::Out, mlir::AffineMap(), 0));
  auto bounds = mlir::AffineMap::get(1, 0, builder.getAffineConstantExpr(count));
  auto kernel = zyxk::KernelOp::createWithPorts(builder, loc, "scalar", {}, {"i"}, bounds, ports);
  builder.setInsertionPointToEnd(&kernel.getBlock());
  mlir::AffineMap map = mlir::AffineMap::getMultiDimIdentityMap(1, &context);
  llvm::SmallVector<mlir::Value> values;
  for (size_t i = 0; i < operands.size(); ++i) {
    auto load = zyxk::LoadOp::create(builder, loc, ports[i].getElementType(), kernel.getPort(i),
                                     mlir::ValueRange(), map, zyxk::Oob::Prove);
    values.push_back(emitFromStorage(builder, loc, operands[i], load));
  }
  if (constant) {
    values.push_back(emitConstant(builder, loc, operands.back(), *constant));
  }
  mlir::Value value = emitScalar(builder, loc, kind, operands.back(), values, result);
  value = emitToStorage(builder, loc, result, value);
  zyxk::StoreOp::create(builder, loc, value, kernel.getPort(operands.size()), mlir::ValueRange(),
                        map, zyxk::Combine::None);
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os);
  return text;
}

/// Values of a dtype where casts, divisions and roundings are delicate.
static std::vector<Scalar> valuesOf(DType dtype) {
  std::vector<Scalar> values;
  if (isFloat(dtype)) {
    for (double x : {0.0,          1.0,          0.5,          1.5,          2.5,
                     3.0,          0.1,          127.0,        127.9,        128.0,
                     255.0,        255.5,        256.0,        448.0,        464.0,
                     465.0,        32767.5,      65503.0,      65520.0,      1e5,
                     2147483520.0, 2147483648.0, 4294967040.0, 4294967296.0, 9.3e18,
                     1.9e19,       1e30,         3.3e38,       1e-3,         1e-7,
                     6e-8,         0.0009765625, 0.001953125,  1e-40,        double(INFINITY),
                     double(NAN),  1.0000000596, 2049.0,       2051.0,       1.00048828126}) {
      for (double signedX : {x, -x}) {
        Scalar value = evalCast(DType::F64, dtype, {.f = signedX});
        values.push_back(value);
      }
    }
    return values;
  }
  for (int64_t x : std::initializer_list<int64_t>{0,
                                                  1,
                                                  2,
                                                  3,
                                                  5,
                                                  7,
                                                  8,
                                                  15,
                                                  16,
                                                  31,
                                                  32,
                                                  63,
                                                  64,
                                                  100,
                                                  127,
                                                  128,
                                                  255,
                                                  256,
                                                  2049,
                                                  32767,
                                                  32768,
                                                  65535,
                                                  16777217,
                                                  2147483647,
                                                  2147483648,
                                                  4294967295,
                                                  (1ll << 53) + 1,
                                                  (1ll << 60) + 1,
                                                  INT64_MAX,
                                                  INT64_MIN}) {
    for (int64_t signedX : {x, static_cast<int64_t>(0 - static_cast<uint64_t>(x))}) {
      values.push_back(evalCast(DType::I64, dtype, {.i = signedX}));
    }
  }
  return values;
}

static bool agree(DType dtype, Scalar got, Scalar want, bool approximate) {
  if (!isFloat(dtype)) {
    return got.i == want.i;
  }
  if (std::isnan(want.f) || std::isnan(got.f)) {
    return std::isnan(want.f) && std::isnan(got.f);
  }
  if (!approximate || want.f == got.f) {
    // Zeros of max and min may have either sign.
    return want.f == got.f;
  }
  double unit = std::ldexp(1.0, -info(dtype).mantissaBits);
  return std::abs(got.f - want.f) <= 4 * unit * std::abs(want.f) + 1e-44;
}

static void append(std::vector<uint8_t> &bytes, DType dtype, Scalar value) {
  size_t at = bytes.size();
  bytes.resize(at + byteSize(dtype));
  storeScalar(dtype, value, bytes.data() + at);
}

/// Runs one op on all combinations of values and compares with the reference.
static void check(OpKind kind, DType dtype, DType result, bool approximate) {
  bool isBinaryOp = isBinary(kind);
  std::vector<Scalar> values = valuesOf(dtype);
  std::vector<uint8_t> xs;
  std::vector<uint8_t> ys;
  std::vector<Scalar> want;
  std::vector<std::pair<Scalar, Scalar>> inputs;
  for (Scalar x : values) {
    for (size_t j = 0; j < (isBinaryOp ? values.size() : 1); ++j) {
      append(xs, dtype, x);
      append(ys, dtype, values[j]);
      inputs.emplace_back(x, values[j]);
      want.push_back(kind == OpKind::Cast ? evalCast(dtype, result, x)
                     : isBinaryOp         ? evalBinary(kind, dtype, x, values[j])
                                          : evalUnary(kind, dtype, x));
    }
  }
  std::vector<DType> operands(isBinaryOp ? 2 : 1, dtype);
  KernelRunner kernel(kernelFor(kind, operands, result, static_cast<int64_t>(want.size())));
  kernel.add(xs);
  if (isBinaryOp) {
    kernel.add(ys);
  }
  kernel.addOutput<uint8_t>(want.size() * byteSize(result));
  kernel.run();
  std::vector<uint8_t> got =
      kernel.elements<uint8_t>(operands.size(), want.size() * byteSize(result));
  for (size_t i = 0; i < want.size(); ++i) {
    Scalar element = loadScalar(result, got.data() + i * byteSize(result));
    auto show = [](DType type, Scalar s) {
      return isFloat(type) ? s.f : static_cast<double>(s.i);
    };
    INFO(name(kind) << " on " << name(dtype) << " to " << name(result) << ": x "
                    << show(dtype, inputs[i].first) << ", y " << show(dtype, inputs[i].second)
                    << ", got " << show(result, element) << ", want " << show(result, want[i]));
    bool agrees = agree(result, element, want[i], approximate);
    CHECK(agrees);
    if (!agrees) {
      return; // one message per op and dtype
    }
  }
}

static constexpr DType allDTypes[] = {DType::Bool, DType::I8,       DType::I16,   DType::I32,
                                      DType::I64,  DType::U8,       DType::U16,   DType::U32,
                                      DType::U64,  DType::F16,      DType::BF16,  DType::F32,
                                      DType::F64,  DType::F8E4M3FN, DType::F8E5M2};

TEST_CASE("scalar body: casts between all dtypes", "[scalar-body]") {
  for (DType from : allDTypes) {
    for (DType to : allDTypes) {
      check(OpKind::Cast, from, to, false);
    }
  }
}

TEST_CASE("scalar body: integer and bool ops", "[scalar-body]") {
  for (DType dtype : allDTypes) {
    if (isFloat(dtype)) {
      continue;
    }
    for (OpKind kind :
         {OpKind::Neg, OpKind::Abs, OpKind::Sign, OpKind::Not, OpKind::Add, OpKind::Sub,
          OpKind::Mul, OpKind::Div, OpKind::Rem,  OpKind::Mod, OpKind::Pow, OpKind::Max,
          OpKind::Min, OpKind::And, OpKind::Or,   OpKind::Xor, OpKind::Shl, OpKind::Shr,
          OpKind::Eq,  OpKind::Ne,  OpKind::Lt,   OpKind::Le,  OpKind::Gt,  OpKind::Ge}) {
      if (isDefinedOn(kind, dtype)) {
        check(kind, dtype, info(kind).family == OpFamily::Compare ? DType::Bool : dtype, false);
      }
    }
  }
}

TEST_CASE("scalar body: exact float ops", "[scalar-body]") {
  for (DType dtype : allDTypes) {
    if (!isFloat(dtype)) {
      continue;
    }
    for (OpKind kind : {OpKind::Neg, OpKind::Abs, OpKind::Sign, OpKind::Ceil, OpKind::Floor,
                        OpKind::Round, OpKind::Trunc, OpKind::Sqrt, OpKind::Recip, OpKind::Add,
                        OpKind::Sub, OpKind::Mul, OpKind::Div, OpKind::Max, OpKind::Min}) {
      check(kind, dtype, dtype, false);
    }
    for (OpKind kind : {OpKind::Eq, OpKind::Ne, OpKind::Lt, OpKind::Le, OpKind::Gt, OpKind::Ge,
                        OpKind::IsNan, OpKind::IsInf}) {
      check(kind, dtype, DType::Bool, false);
    }
  }
}

TEST_CASE("scalar body: powers by roots", "[scalar-body]") {
  for (DType dtype : {DType::F16, DType::F32, DType::F64}) {
    for (double exponent : {0.25, 0.5, 0.75, 1.0, 2.0, -0.25, -0.5, -0.75}) {
      std::vector<Scalar> values = valuesOf(dtype);
      std::vector<uint8_t> xs;
      for (Scalar x : values) {
        append(xs, dtype, x);
      }
      auto count = static_cast<int64_t>(values.size());
      KernelRunner kernel(kernelFor(OpKind::Pow, std::span(&dtype, 1), dtype, count, exponent));
      kernel.add(xs);
      kernel.addOutput<uint8_t>(xs.size());
      kernel.run();
      std::vector<uint8_t> got = kernel.elements<uint8_t>(1, xs.size());
      for (size_t i = 0; i < values.size(); ++i) {
        Scalar want = evalBinary(OpKind::Pow, dtype, values[i], {.f = exponent});
        Scalar element = loadScalar(dtype, got.data() + i * byteSize(dtype));
        INFO(values[i].f << " ^ " << exponent << ": got " << element.f << ", want " << want.f);
        CHECK(agree(dtype, element, want, true));
      }
    }
  }
}

TEST_CASE("scalar body: float functions", "[scalar-body]") {
  for (DType dtype : {DType::F32, DType::F64}) {
    for (OpKind kind :
         {OpKind::Rsqrt, OpKind::Exp, OpKind::Exp2, OpKind::Expm1, OpKind::Log, OpKind::Log2,
          OpKind::Log1p, OpKind::Tanh, OpKind::Erf, OpKind::Pow, OpKind::Rem, OpKind::Mod}) {
      check(kind, dtype, dtype, true);
    }
  }
}

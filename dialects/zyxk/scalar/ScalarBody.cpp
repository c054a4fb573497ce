#include "dialects/zyxk/scalar/ScalarBody.h"
#include "dialects/zyxk/scalar/ScalarEmitter.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "runtime/core/Float.h"

using namespace mlir;

namespace zyxc {

Type storageType(MLIRContext *context, DType dtype) {
  switch (dtype) {
  case DType::F16: return Float16Type::get(context);
  case DType::BF16: return BFloat16Type::get(context);
  case DType::F32: return Float32Type::get(context);
  case DType::F64: return Float64Type::get(context);
  default: return IntegerType::get(context, 8 * byteSize(dtype));
  }
}

bool isSmallFloat(DType dtype) {
  return isFloat(dtype) && byteSize(dtype) == 1;
}

Type scalarType(MLIRContext *context, DType dtype) {
  return dtype == DType::Bool ? IntegerType::get(context, 1) : storageType(context, dtype);
}

Value emitFromStorage(OpBuilder &builder, Location loc, DType dtype, Value value) {
  if (dtype != DType::Bool) {
    return value;
  }
  ScalarEmitter emit(builder, loc);
  return emit.compare(arith::CmpIPredicate::ne, value, emit.intLike(value, 0));
}

Value emitToStorage(OpBuilder &builder, Location loc, DType dtype, Value value) {
  if (dtype != DType::Bool) {
    return value;
  }
  return ScalarEmitter(builder, loc).convert<arith::ExtUIOp>(value, builder.getI8Type());
}

Value emitConstant(OpBuilder &builder, Location loc, DType dtype, double value) {
  if (!isFloat(dtype)) {
    return emitIntConstant(builder, loc, dtype, static_cast<int64_t>(value));
  }
  Type type = scalarType(builder.getContext(), dtype);
  APInt bits(static_cast<unsigned>(8 * byteSize(dtype)), floatToBits(dtype, value),
             /*isSigned=*/false);
  if (auto floating = dyn_cast<FloatType>(type)) {
    auto attribute = FloatAttr::get(floating, APFloat(floating.getFloatSemantics(), bits));
    return arith::ConstantOp::create(builder, loc, attribute);
  }
  return arith::ConstantOp::create(builder, loc, IntegerAttr::get(type, bits));
}

Value emitIntConstant(OpBuilder &builder, Location loc, DType dtype, int64_t value) {
  auto type = cast<IntegerType>(scalarType(builder.getContext(), dtype));
  APInt bits(64, static_cast<uint64_t>(value));
  return arith::ConstantOp::create(builder, loc,
                                   IntegerAttr::get(type, bits.trunc(type.getWidth())));
}

//===- Building blocks -----------------------------------------------------------------------===//

Type ScalarEmitter::typeLike(Value like, Type element) {
  auto shaped = dyn_cast<ShapedType>(like.getType());
  return shaped ? shaped.clone(element) : element;
}

Value ScalarEmitter::constantLike(Value like, TypedAttr scalar) {
  if (auto shaped = dyn_cast<ShapedType>(like.getType())) {
    scalar = DenseElementsAttr::get(shaped.clone(scalar.getType()), scalar);
  }
  return make<arith::ConstantOp>(scalar);
}

Value ScalarEmitter::intLike(Value like, int64_t value) {
  Type element = getElementTypeOrSelf(like.getType());
  APInt bits(64, static_cast<uint64_t>(value));
  return constantLike(like, IntegerAttr::get(element, bits.trunc(element.getIntOrFloatBitWidth())));
}

Value ScalarEmitter::floatLike(Value like, double value) {
  return constantLike(like, FloatAttr::get(getElementTypeOrSelf(like.getType()), value));
}

//===- Dispatch ------------------------------------------------------------------------------===//

static arith::CmpFPredicate floatPredicate(OpKind kind) {
  switch (kind) {
  case OpKind::Eq: return arith::CmpFPredicate::OEQ;
  case OpKind::Ne: return arith::CmpFPredicate::UNE;
  case OpKind::Lt: return arith::CmpFPredicate::OLT;
  case OpKind::Le: return arith::CmpFPredicate::OLE;
  case OpKind::Gt: return arith::CmpFPredicate::OGT;
  default: break;
  }
  assert(kind == OpKind::Ge && "a comparison");
  return arith::CmpFPredicate::OGE;
}

static arith::CmpIPredicate intPredicate(OpKind kind, bool isSigned) {
  using P = arith::CmpIPredicate;
  switch (kind) {
  case OpKind::Eq: return P::eq;
  case OpKind::Ne: return P::ne;
  case OpKind::Lt: return isSigned ? P::slt : P::ult;
  case OpKind::Le: return isSigned ? P::sle : P::ule;
  case OpKind::Gt: return isSigned ? P::sgt : P::ugt;
  default: break;
  }
  assert(kind == OpKind::Ge && "a comparison");
  return isSigned ? P::sge : P::uge;
}

static Value emitBitcast(OpBuilder &builder, Location loc, DType from, DType to, Value x) {
  Value bits = emitToStorage(builder, loc, from, x);
  Type type = storageType(builder.getContext(), to);
  if (getElementTypeOrSelf(bits.getType()) != type) {
    bits = ScalarEmitter(builder, loc).convert<arith::BitcastOp>(bits, type);
  }
  return emitFromStorage(builder, loc, to, bits);
}

Value emitScalar(OpBuilder &builder, Location loc, OpKind kind, DType dtype, ValueRange operands,
                 DType resultDType) {
  ScalarEmitter emit(builder, loc);
  if (kind == OpKind::Select) {
    return emit.select(operands[0], operands[1], operands[2]);
  }
  if (kind == OpKind::Cast) {
    return emit.cast(dtype, resultDType, operands[0]);
  }
  if (kind == OpKind::Bitcast) {
    return emitBitcast(builder, loc, dtype, resultDType, operands[0]);
  }
  bool compares = info(kind).family == OpFamily::Compare;
  if (!isFloat(dtype)) {
    if (compares) {
      return emit.compare(intPredicate(kind, isSigned(dtype)), operands[0], operands[1]);
    }
    return operands.size() == 1 ? emit.intUnary(kind, isSigned(dtype), operands[0])
                                : emit.intBinary(kind, isSigned(dtype), operands[0], operands[1]);
  }
  Value x = emit.widen(dtype, operands[0]);
  if (compares) {
    return emit.compare(floatPredicate(kind), x, emit.widen(dtype, operands[1]));
  }
  Value result = operands.size() == 1 ? emit.floatUnary(kind, x)
                                      : emit.floatBinary(kind, x, emit.widen(dtype, operands[1]));
  return resultDType == DType::Bool ? result : emit.narrow(dtype, result);
}

Value emitFloatExtreme(OpBuilder &builder, Location loc, bool largest, Value x, Value y) {
  return ScalarEmitter(builder, loc).floatExtreme(largest, x, y);
}

} // namespace zyxc

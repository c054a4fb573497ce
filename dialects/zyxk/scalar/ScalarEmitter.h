// The parts of emitScalar (ScalarBody.h): one builder of scalar or vector arithmetic, and one
// function per group of ops.
#pragma once
#include "dialects/zyxk/scalar/ScalarBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace zyxc {

/// Builds arith ops on scalars, or lane by lane on vectors: a type or constant is made "like" a
/// value, with the same shape.
class ScalarEmitter {
public:
  ScalarEmitter(mlir::OpBuilder &builder, mlir::Location loc) : builder(builder), loc(loc) {}

  mlir::Type typeLike(mlir::Value like, mlir::Type element);
  mlir::Value constantLike(mlir::Value like, mlir::TypedAttr scalar);
  /// An integer constant of the type of `like`.
  mlir::Value intLike(mlir::Value like, int64_t value);
  /// A float constant of the type of `like`.
  mlir::Value floatLike(mlir::Value like, double value);

  template <class Op, class... Args> mlir::Value make(Args &&...args) {
    return Op::create(builder, loc, std::forward<Args>(args)...);
  }
  /// An op whose result has element type `element` and the shape of its operand.
  template <class Op> mlir::Value convert(mlir::Value x, mlir::Type element) {
    return Op::create(builder, loc, typeLike(x, element), x);
  }
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value x, mlir::Value y) {
    return make<mlir::arith::CmpIOp>(predicate, x, y);
  }
  mlir::Value compare(mlir::arith::CmpFPredicate predicate, mlir::Value x, mlir::Value y) {
    return make<mlir::arith::CmpFOp>(predicate, x, y);
  }
  mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y) {
    return make<mlir::arith::SelectOp>(condition, x, y);
  }

  // ScalarFloat.cpp: ops on f32 and f64; comparisons and tests give i1.
  mlir::Value floatUnary(OpKind kind, mlir::Value x);
  mlir::Value floatBinary(OpKind kind, mlir::Value x, mlir::Value y);
  /// Larger (or smaller) value; NaN wins; of two zeros either.
  mlir::Value floatExtreme(bool largest, mlir::Value x, mlir::Value y);

  // ScalarInteger.cpp: ops on integers and bool.
  mlir::Value intUnary(OpKind kind, bool isSigned, mlir::Value x);
  mlir::Value intBinary(OpKind kind, bool isSigned, mlir::Value x, mlir::Value y);

  // ScalarCast.cpp: between body scalars.
  mlir::Value cast(DType from, DType to, mlir::Value x);
  mlir::Value resize(bool isSigned, mlir::Value x, mlir::Type type);
  mlir::Value wrap(DType dtype, mlir::Value x);
  /// A float body scalar as f32 or f64, in which its ops are computed, and back.
  mlir::Value widen(DType dtype, mlir::Value x);
  mlir::Value narrow(DType dtype, mlir::Value x);

private:
  mlir::Value floatFunction(OpKind kind, mlir::Value x);
  mlir::Value rootPower(mlir::Value x, mlir::Value y);
  mlir::Value intPower(bool isSigned, mlir::Value x, mlir::Value y);
  mlir::Value quotient(bool isSigned, mlir::Value x, mlir::Value y);
  mlir::Value floatToInt(DType to, mlir::Value x);
  mlir::Value intToFloat(DType from, DType to, mlir::Value x);
  mlir::Value roundToOddF32(mlir::Value x);
  mlir::Value fromF8(DType dtype, mlir::Value bits);
  mlir::Value toF8(DType dtype, mlir::Value x);

  mlir::OpBuilder &builder;
  mlir::Location loc;
};

/// Larger (or smaller) of two floats or vectors of floats; NaN wins; of two zeros either.
mlir::Value emitFloatExtreme(mlir::OpBuilder &builder, mlir::Location loc, bool largest,
                             mlir::Value x, mlir::Value y);

} // namespace zyxc

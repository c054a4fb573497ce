// Short names for arithmetic on f32 values of one type, scalars or vectors, and the steps that the
// functions of this folder share.
#pragma once
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"

namespace zyxc {

inline bool isF32(mlir::Type type) {
  return mlir::getElementTypeOrSelf(type).isF32();
}

class FloatMath {
public:
  using Value = mlir::Value;

  FloatMath(mlir::PatternRewriter &rewriter, mlir::Location loc, mlir::Type type)
      : rewriter(rewriter), loc(loc), type(type) {}

  // Floats.
  Value constant(float value) const { return splat(rewriter.getF32FloatAttr(value)); }
  Value fma(Value x, Value y, Value z) const { return make<mlir::math::FmaOp>(x, y, z); }
  Value mul(Value x, Value y) const { return make<mlir::arith::MulFOp>(x, y); }
  Value div(Value x, Value y) const { return make<mlir::arith::DivFOp>(x, y); }
  Value add(Value x, Value y) const { return make<mlir::arith::AddFOp>(x, y); }
  Value sub(Value x, Value y) const { return make<mlir::arith::SubFOp>(x, y); }
  Value neg(Value x) const { return make<mlir::arith::NegFOp>(x); }
  Value abs(Value x) const { return make<mlir::math::AbsFOp>(x); }
  Value fma(Value x, float y, Value z) const { return fma(x, constant(y), z); }
  Value fma(Value x, float y, float z) const { return fma(x, constant(y), constant(z)); }
  Value mul(Value x, float y) const { return mul(x, constant(y)); }
  Value add(Value x, float y) const { return add(x, constant(y)); }
  /// c[0] + c[1] x + c[2] x^2 + ..
  Value polynomial(Value x, llvm::ArrayRef<float> coefficients) const;

  // Comparisons with a number are false for NaN.
  Value less(Value x, float y) const { return compare(mlir::arith::CmpFPredicate::OLT, x, y); }
  Value greater(Value x, float y) const { return compare(mlir::arith::CmpFPredicate::OGT, x, y); }
  Value equal(Value x, float y) const { return compare(mlir::arith::CmpFPredicate::OEQ, x, y); }
  Value select(Value condition, Value yes, Value no) const {
    return make<mlir::arith::SelectOp>(condition, yes, no);
  }
  /// The limit where x is beyond it, else x: a NaN stays.
  Value atLeast(Value x, float limit) const { return select(less(x, limit), constant(limit), x); }
  Value atMost(Value x, float limit) const { return select(greater(x, limit), constant(limit), x); }

  // Bits of floats, as i32.
  Value integer(int32_t value) const { return splat(rewriter.getI32IntegerAttr(value)); }
  Value bits(Value x) const { return make<mlir::arith::BitcastOp>(integerType(), x); }
  Value fromBits(Value x) const { return make<mlir::arith::BitcastOp>(type, x); }
  Value addBits(Value x, Value y) const { return make<mlir::arith::AddIOp>(x, y); }
  Value subBits(Value x, Value y) const { return make<mlir::arith::SubIOp>(x, y); }
  Value andBits(Value x, int32_t y) const { return make<mlir::arith::AndIOp>(x, integer(y)); }
  Value shiftLeft(Value x, int32_t by) const { return make<mlir::arith::ShLIOp>(x, integer(by)); }
  Value shiftRight(Value x, int32_t by) const { return make<mlir::arith::ShRSIOp>(x, integer(by)); }
  Value toFloat(Value x) const { return make<mlir::arith::SIToFPOp>(type, x); }
  /// x with the sign of `sign`, for an x that has it already or is +0: two operations instead of
  /// copysign's three.
  Value withSignOf(Value x, Value sign) const;

  mlir::Type integerType() const;

private:
  template <class Op, class... Args> Value make(Args &&...args) const {
    return Op::create(rewriter, loc, std::forward<Args>(args)...);
  }
  Value compare(mlir::arith::CmpFPredicate predicate, Value x, float y) const {
    return make<mlir::arith::CmpFOp>(predicate, x, constant(y));
  }
  Value splat(mlir::TypedAttr attr) const;

  mlir::PatternRewriter &rewriter;
  mlir::Location loc;
  mlir::Type type;
};

} // namespace zyxc

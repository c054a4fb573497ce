// Scratch and workgroup memory hold no i1 (a vector of it is packed to bits, a single one is a
// byte): what is kept there is an i8, 0 or 1.
#pragma once
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace zyxc {

/// The type that a scalar or vector type has in memory.
inline mlir::Type storedType(mlir::Type type) {
  if (!mlir::getElementTypeOrSelf(type).isInteger(1)) {
    return type;
  }
  mlir::Type stored = mlir::IntegerType::get(type.getContext(), 8);
  auto vector = mlir::dyn_cast<mlir::VectorType>(type);
  return vector ? mlir::Type(vector.clone(stored)) : stored;
}

/// A scalar or vector as it is stored.
inline mlir::Value toStored(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value) {
  mlir::Type stored = storedType(value.getType());
  return value.getType() == stored ? value
                                   : mlir::arith::ExtUIOp::create(builder, loc, stored, value);
}

/// The value of a scalar or vector type that was stored.
inline mlir::Value fromStored(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                              mlir::Type type) {
  return value.getType() == type ? value : mlir::arith::TruncIOp::create(builder, loc, type, value);
}

} // namespace zyxc

// zyx scalar ops as arith and math ops on signless scalars or vectors of them, with the semantics
// of docs/semantics.md. Kernel bodies and every target's lowering build scalars only here.
#pragma once
#include "dialects/zyx/semantics/OpKind.h"
#include "mlir/IR/Builders.h"
#include "runtime/core/DType.h"

namespace zyxc {

/// A float of a byte or less: kept as its bits in an i8, computed with in f32.
bool isSmallFloat(DType dtype);
/// Element type of a dtype in memory and on ports: signless; bool, small floats and integers of
/// less than a byte are i8.
mlir::Type storageType(mlir::MLIRContext *context, DType dtype);
/// Type of a dtype as a body scalar: as in memory, but bool is i1.
mlir::Type scalarType(mlir::MLIRContext *context, DType dtype);

/// A loaded element (storageType) as a body scalar (scalarType), and back.
mlir::Value emitFromStorage(mlir::OpBuilder &builder, mlir::Location loc, DType dtype,
                            mlir::Value value);
mlir::Value emitToStorage(mlir::OpBuilder &builder, mlir::Location loc, DType dtype,
                          mlir::Value value);

/// The elementwise op `kind` (unary, binary, comparison, select, cast, bitcast) on body scalars of
/// `operandDType` (of select: that of its branches). Returns a body scalar of `resultDType`.
/// Operands may be vectors of one shape; the result is then a vector of that shape.
/// Narrow floats compute in f32 and are rounded to their dtype after each op.
mlir::Value emitScalar(mlir::OpBuilder &builder, mlir::Location loc, OpKind kind,
                       DType operandDType, mlir::ValueRange operands, DType resultDType);

/// A constant of `dtype`, as a body scalar: `value` for floats (rounded), `integer` for the rest.
mlir::Value emitConstant(mlir::OpBuilder &builder, mlir::Location loc, DType dtype, double value);
mlir::Value emitIntConstant(mlir::OpBuilder &builder, mlir::Location loc, DType dtype,
                            int64_t value);

} // namespace zyxc

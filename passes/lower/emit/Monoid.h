// The monoids of zyxk.reduce on scalars and on vectors.
#pragma once
#include "dialects/zyxk/IR/ZyxkOps.h"

namespace zyxc {

/// The kind that compares values as an arg kind does.
zyxk::ReduceKind valueKind(zyxk::ReduceKind kind);
/// The element that changes nothing; not of an arg kind.
mlir::TypedAttr identityOf(zyxk::ReduceKind kind, mlir::Type type);

/// An accumulator: the value, and for arg kinds the position of the value.
struct Accumulator {
  mlir::Value value;
  mlir::Value position; ///< integer of positionType(); null for the other kinds
};

/// Builds the operations of one reduction. Accumulators are scalars or vectors of one shape.
class Monoid {
public:
  Monoid(zyxk::ReduceOp reduce, int64_t points);
  /// Of a scan: no arg kind.
  explicit Monoid(zyxk::ScanOp scan);

  /// The identity element, as scalars, or as vectors of `lanes` elements if lanes > 0.
  Accumulator identity(mlir::OpBuilder &builder, int64_t lanes) const;
  Accumulator combine(mlir::OpBuilder &builder, const Accumulator &a, const Accumulator &b) const;
  /// One accumulator from all lanes, by a tree of halves.
  Accumulator acrossLanes(mlir::OpBuilder &builder, Accumulator a) const;
  /// The result of the reduce op.
  mlir::Value finish(mlir::OpBuilder &builder, const Accumulator &a) const;
  bool isArg() const { return arg; }
  /// 32 bits wherever positions fit.
  mlir::IntegerType positionType() const;

private:
  mlir::Value better(mlir::OpBuilder &builder, mlir::Value a, mlir::Value b) const;
  mlir::Value same(mlir::OpBuilder &builder, mlir::Value a, mlir::Value b) const;

  mlir::Location loc;
  mlir::MLIRContext *context;
  mlir::Type element;
  zyxk::ReduceKind kind;
  bool arg;
  bool last;
  bool wide; ///< positions need 64 bits; over no points the identity is the result
};

} // namespace zyxc

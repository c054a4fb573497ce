// Sizes that a host function is given at run time: what an expression over the dims of its kernel
// is, computed once, at the entry of the function, where it dominates all uses.
#pragma once
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

namespace zyxc {

class RuntimeSizes {
public:
  /// `dims`: the arguments of the block `entry` (or values before all others of it) that hold the
  /// dims, of type index.
  RuntimeSizes(mlir::Block &entry, mlir::Location loc, mlir::ValueRange dims);

  /// An expression over symbols. Divisors below 1 count as 1: no size whose divisor is 0 matters.
  mlir::Value valueOf(mlir::AffineExpr expr);
  /// A size over "d<i>" (dialects/zyxk/IR/affine/SizeExpr.h).
  mlir::Value valueOf(int64_t size);
  /// A size that is at least `least`.
  mlir::Value atLeast(int64_t least, int64_t size);
  mlir::Value atLeast(int64_t least, mlir::AffineExpr expr);
  /// extent - extent mod step: the end of whole steps.
  mlir::Value wholeEnd(int64_t extent, int64_t step);

private:
  mlir::Value emit(mlir::AffineExpr expr);
  mlir::Value emitDivision(mlir::AffineBinaryOpExpr expr);
  /// A builder behind what was computed up to now.
  mlir::OpBuilder builder();
  mlir::Value keep(mlir::Value value);
  mlir::Value constant(int64_t value);

  mlir::Block &entry;
  mlir::Location loc;
  llvm::SmallVector<mlir::Value> dims;
  mlir::Operation *last = nullptr; ///< computed here
  llvm::DenseMap<mlir::AffineExpr, mlir::Value> values;
  llvm::DenseMap<std::pair<mlir::AffineExpr, int64_t>, mlir::Value> limited;
  llvm::DenseMap<std::pair<mlir::AffineExpr, int64_t>, mlir::Value> ends;
};

} // namespace zyxc

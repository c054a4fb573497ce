// Products of f32 values with constants, without an operation where there is a constant to scale.
#pragma once
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/APFloat.h"

namespace zyxc {

/// The constant that a float value is at every element.
std::optional<llvm::APFloat> floatConstantOf(mlir::Value value);

/// True if nothing becomes of the op's result but sums with constants of at least 1: what is below
/// 2^-25 of it does not matter.
bool isAddedToOne(mlir::Operation *op);

/// Multiplies f32 values, scalars or vectors, by a constant.
class Scaler {
public:
  Scaler(mlir::PatternRewriter &rewriter, mlir::Location loc, double factor)
      : rewriter(rewriter), loc(loc), factor(factor) {}

  /// The value times the factor, in a constant that the value has already where it can.
  mlir::Value operator()(mlir::Value value);
  /// Null if the value has no constant to scale, or is needed unscaled, too.
  mlir::Value within(mlir::Value value);

private:
  mlir::Value scaled(mlir::Value value, unsigned steps);
  mlir::Value constant(mlir::Type type, double value);

  mlir::PatternRewriter &rewriter;
  mlir::Location loc;
  double factor;
};

} // namespace zyxc

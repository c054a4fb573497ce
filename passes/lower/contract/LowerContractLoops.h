// Index arithmetic and counted loops for emitters. Constants fold while they are built.
#pragma once
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

namespace zyxc {

/// Builds arithmetic on non-negative values of type index.
class IndexMath {
public:
  IndexMath(mlir::OpBuilder &builder, mlir::Location loc) : builder(builder), loc(loc) {}

  mlir::Value constant(int64_t value) const;
  mlir::Value add(mlir::Value x, mlir::Value y) const;
  mlir::Value sub(mlir::Value x, mlir::Value y) const;
  mlir::Value mul(mlir::Value x, int64_t factor) const;
  mlir::Value div(mlir::Value x, int64_t divisor) const;
  mlir::Value rem(mlir::Value x, int64_t divisor) const;
  mlir::Value min(mlir::Value x, int64_t limit) const;
  mlir::Value min(mlir::Value x, mlir::Value y) const;

  /// Coordinates of a row-major index over `extents`.
  llvm::SmallVector<mlir::Value> delinearize(mlir::Value index,
                                             llvm::ArrayRef<int64_t> extents) const;
  /// Row-major index of coordinates over `extents`.
  mlir::Value linearize(llvm::ArrayRef<mlir::Value> coordinates,
                        llvm::ArrayRef<int64_t> extents) const;

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
};

/// The value of a constant of type index, if it is one.
std::optional<int64_t> constantOf(mlir::Value value);

/// Emits `for (i = lo; i < hi; i += step) body(i)`. A loop of exactly one turn is emitted as its
/// body alone, an empty one not at all.
void emitLoop(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value lo, mlir::Value hi,
              int64_t step, llvm::function_ref<void(mlir::Value)> body);

} // namespace zyxc

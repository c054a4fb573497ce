// Stores of a row that are emitted inside a loop over the next row: a burst of stores that go past
// the caches runs at the speed of memory and holds everything up; between the exponentials of the
// next row it costs little.
#pragma once
#include "passes/lower/LoopNest.h"
#include "passes/lower/emit/VectorExpr.h"

namespace zyxc {

/// True if the stores of a row plan can wait for the next row: all run over the rows' one axis,
/// whose vectors are whole, some value is held, and nothing else lies between tasks and rows.
bool canStoreLate(const AccessTable &table, const NestPlan &plan);

class LateStores {
public:
  LateStores(const AccessTable &table, const NestPlan &plan, llvm::ArrayRef<mlir::Value> ports,
             mlir::Value scratch);

  /// Values of one row that its stores need: they are carried to the next row.
  llvm::ArrayRef<mlir::Value> carried() const { return rowValues; }
  llvm::SmallVector<mlir::Value> initial(mlir::OpBuilder &builder) const;

  /// Enters the row `unit`, whose carried values are `values`.
  void begin(mlir::OpBuilder &builder, mlir::Value unit, mlir::ValueRange values);
  /// Emits the stores of one vector, from element `at` of the row on.
  void emitVector(mlir::OpBuilder &builder, mlir::Value at);
  /// Emits the stores of the whole row.
  void emitRow(mlir::OpBuilder &builder);
  void end();

  /// Bytes of scratch memory from the held values of `unit` to those of row 0: rows take turns.
  static mlir::Value shiftOf(mlir::OpBuilder &builder, mlir::Location loc, const NestPlan &plan,
                             mlir::Value unit);

private:
  const AccessTable &table;
  const NestPlan &plan;
  mlir::Value scratch;
  mlir::Location loc;
  VectorExpr expr;
  std::optional<HeldRows> held;
  std::unique_ptr<VectorExpr::Scope> scope;
  llvm::SmallVector<zyxk::StoreOp> stores;
  llvm::SmallVector<mlir::Value> rowValues;
};

} // namespace zyxc

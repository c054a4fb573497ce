// Values of a row that wait in scratch memory between the loops over the row: what is dear to
// compute (an exponential, a sum of two loads) is computed in the first loop that needs it and
// read by the later ones.
#pragma once
#include "passes/lower/emit/VectorExpr.h"

namespace zyxc {

/// A value with one axis beside those that all stores and reductions share.
struct HeldValue {
  mlir::Value bodyValue;
  unsigned axis = 0;
  int64_t offset = 0; ///< bytes from the start of the scratch memory, a multiple of 64
  bool dear = false;  ///< takes a function such as an exponential
};

/// Elements of a row that its scratch memory holds where the row's extent is known at run time
/// only: longer ones must not be held.
inline constexpr int64_t mostHeldElements = 16 * 1024;

/// The values worth holding, for loops over rows of the `shared` axes; `bytes` grows by the scratch
/// memory that they take. `width`: lanes.
llvm::SmallVector<HeldValue> chooseHeldValues(const AccessTable &table, zyxk::AxisSet shared,
                                              int64_t width, int64_t &bytes);

/// The results of all scans, which lie in scratch memory whatever their size.
llvm::SmallVector<HeldValue> heldScans(const AccessTable &table, int64_t width, int64_t &bytes);

/// Holds values for one VectorExpr.
class HeldRows : public ValueHolder {
public:
  /// Views of `scratch` are made at the builder's insertion point, `shift` bytes further on if it
  /// is set.
  HeldRows(mlir::OpBuilder &builder, mlir::Location loc, VectorExpr &expr,
           llvm::ArrayRef<HeldValue> values, mlir::Value scratch, mlir::Value shift = {});
  ~HeldRows() override;
  HeldRows(const HeldRows &) = delete;
  HeldRows &operator=(const HeldRows &) = delete;

  /// All values are there already, or this one.
  void setFilled();
  void setFilled(mlir::Value value) { rows.find(value)->second.filled = true; }
  mlir::Value memoryOf(mlir::Value value) const { return rows.find(value)->second.memory; }
  /// Called once for each vector in the second loop over the row, in which the row is in the
  /// caches, with the number of the vector's first element.
  using Beside = std::function<void(mlir::OpBuilder &, mlir::Value)>;
  void setBeside(Beside emit) { beside = std::move(emit); }
  /// No loop called it.
  bool besideIsOpen() const { return !besideValue; }

  mlir::Value load(mlir::OpBuilder &builder, mlir::Operation *op) override;
  void computed(mlir::OpBuilder &builder, mlir::Operation *op, mlir::Value result) override;
  void loopEnded() override;

private:
  struct Row {
    mlir::Value memory;
    unsigned axis = 0;
    bool written = false; ///< in the loop being emitted
    bool filled = false;  ///< by a loop before this one
  };

  VectorExpr &expr;
  llvm::DenseMap<mlir::Value, Row> rows;
  void emitBeside(mlir::OpBuilder &builder, mlir::Operation *op, mlir::Value at);

  Beside beside;
  mlir::Value besideValue; ///< the held value whose vectors call it
  int loops = 0;           ///< that have ended
};

} // namespace zyxc

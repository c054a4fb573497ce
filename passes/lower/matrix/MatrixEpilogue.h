// From accumulators to the kernel's stores: a group of threads writes 64 columns of its fragments
// to an f32 tile in workgroup memory, then a rolled loop reads rows of it, so that neighbouring
// threads store neighbouring elements, and evaluates the stores on them.
#pragma once
#include "passes/lower/emit/VectorExpr.h"
#include "passes/lower/matrix/MatrixFrame.h"

namespace zyxc {

/// The epilogue of one group: a warpgroup (64 rows) or a warp (16 rows). Fragments are those of
/// mma and wgmma: register 4t + 2h + e of lane l of warp w holds row 16w + l/4 + 8h, column
/// 8t + 2(l%4) + e.
class MatrixEpilogue {
public:
  static constexpr int64_t columns = 64;

  /// `member`: the number of this thread among the `threads` of the group. `shared`: the group's
  /// tile, a multiple of 1024 bytes. `sync`: the barrier of the group.
  MatrixEpilogue(MatrixFrame &frame, int64_t threads, mlir::Value member, mlir::Value shared,
                 std::function<void()> sync);

  /// Stores parts of the group's results one after the other: 16 rows of a warp (64 of a
  /// warpgroup) by 64 columns each, 32 of this thread's `accumulators`. `positionOf` gives the
  /// first row and column of a part from its number (i32). One loop, so that the stores' code is
  /// there once.
  void emit(llvm::ArrayRef<mlir::Value> accumulators, const TilePosition &tile,
            llvm::function_ref<std::pair<mlir::Value, mlir::Value>(mlir::Value)> positionOf);

private:
  void storeFragments(llvm::ArrayRef<mlir::Value> accumulators);
  /// The batch axes and the columns from `column` on have their coordinates.
  void assignColumns(mlir::OpBuilder &builder, const TilePosition &tile, mlir::Value column);
  /// What does not depend on the row.
  void prepareStores(mlir::OpBuilder &builder);
  /// The loop over the rows of this thread's `column`, the first of the group is `row`.
  void storeRows(mlir::OpBuilder &builder, mlir::Value row, mlir::Value ownColumn);
  /// Row `inTile` of the f32 tile.
  void storeRow(mlir::OpBuilder &builder, mlir::Value row, mlir::Value inTile,
                mlir::Value ownColumn);
  /// The sums at `address`, in the type of the contraction's result.
  mlir::Value sumsAt(mlir::OpBuilder &builder, mlir::Value address);
  void emitColumns(const TilePosition &tile, mlir::Value row, mlir::Value column,
                   mlir::Value ownColumn);

  MatrixFrame &frame;
  int64_t lanes;      ///< elements of a thread in one row: 8, or 1 if the rows are not aligned
  int64_t parts;      ///< columns of a thread, where the group has fewer threads than a row needs
  int64_t rowsAtOnce; ///< of one turn of the loop
  int64_t rows;
  std::function<void()> sync;
  VectorExpr expr;
  mlir::Value shared, writeAddress, ownRow, ownColumn;
};

} // namespace zyxc

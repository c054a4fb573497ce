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
  /// Where single rows are stored: which elements a thread has of a row.
  enum class Style : uint8_t {
    Granules, ///< 8 elements, as one access
    Pairs,    ///< two elements of 16 bits in a word, which starts at an odd column in odd rows
    Elements, ///< one
  };
  static Style styleOf(const AccessTable &table, const MatrixProblem &problem);

  void storeFragments(llvm::ArrayRef<mlir::Value> accumulators);
  /// The batch axes and the columns from `column` on have their coordinates.
  void assignColumns(mlir::OpBuilder &builder, VectorExpr &values, const TilePosition &tile,
                     mlir::Value column);
  /// What does not depend on the row.
  void prepareStores(mlir::OpBuilder &builder, VectorExpr &values);
  /// The loop over the rows of this thread: `body` gets the builder and a row's number in the tile.
  void rowLoop(mlir::OpBuilder &builder,
               llvm::function_ref<void(mlir::OpBuilder &, mlir::Value)> body);
  /// A builder where row `at` exists.
  mlir::OpBuilder insideRows(mlir::OpBuilder &builder, mlir::Value at);
  /// The address in the f32 tile of row `inTile` and a column.
  mlir::Value sumAddress(mlir::OpBuilder &builder, mlir::Value inTile, mlir::Value column);
  /// The sums at `address`, in the type of the contraction's result.
  mlir::Value sumsAt(mlir::OpBuilder &builder, mlir::Value address);
  void storeRow(mlir::OpBuilder &builder, mlir::Value row, mlir::Value inTile,
                mlir::Value ownColumn);
  void storeRows(mlir::OpBuilder &builder, mlir::Value row, mlir::Value ownColumn);
  void emitColumns(const TilePosition &tile, mlir::Value row, mlir::Value column,
                   mlir::Value ownColumn);

  // Style Pairs (PairRows.cpp).
  /// Columns of a part of the tile.
  struct Segment {
    int64_t width = 0;
    int64_t inTile = 0; ///< the first one in the f32 tile
    mlir::Value column; ///< the first one in the matrix
    mlir::Value count;  ///< how many of `width` the matrix has
  };
  /// Two elements of a row to be stored.
  struct Word {
    mlir::Value row, value, memory, index;
  };
  /// Whether (row, column) is stored at an odd element: 0 or 1.
  mlir::Value parityOf(mlir::OpBuilder &builder, const TilePosition &tile, mlir::Value row,
                       mlir::Value column);
  void emitPairs(const TilePosition &tile, mlir::Value row, mlir::Value column, int64_t part);
  void storeWords(const TilePosition &tile, mlir::Value row, const Segment &segment);
  Word wordAt(mlir::OpBuilder &builder, mlir::Value row, mlir::Value inTile,
              llvm::ArrayRef<mlir::Value> columnsOfWord);
  void storeEnds(const TilePosition &tile, mlir::Value row, const Segment &segment);

  MatrixFrame &frame;
  Style style;
  int64_t lanes;      ///< elements that `expr` evaluates at once
  int64_t parts;      ///< columns of a thread, where the group has fewer threads than a row needs
  int64_t rowsAtOnce; ///< of one turn of the loop
  int64_t rows;
  std::function<void()> sync;
  VectorExpr expr;
  std::optional<VectorExpr> second; ///< for the second value of a pair
  mlir::Value member, shared, writeAddress, ownRow, ownColumn;
};

} // namespace zyxc

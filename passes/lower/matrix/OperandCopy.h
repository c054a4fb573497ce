// How tiles of factors lie in workgroup memory, and their copy by cp.async.
#pragma once
#include "passes/lower/matrix/MatrixFrame.h"

namespace zyxc {

// A tile is in the 128-byte swizzle: rows of 64 halves whose 16-byte piece p stands at p xor row %
// 8. K-major: one row per row of the factor (64 k). Else chunks of 64 rows of the factor, each
// chunk 64 rows of k.
inline constexpr int64_t halfBytes = 2;
inline constexpr int64_t swizzleBytes = 128;
inline constexpr int64_t chunkRows = 64; ///< halves of 128 bytes
inline constexpr int64_t chunkBytes = chunkRows * swizzleBytes;

/// Copies tiles of one factor with all threads of the workgroup, 16 bytes at a time. Elements
/// outside of the factor become zeros.
class OperandCopy {
public:
  OperandCopy(MatrixFrame &frame, const MatrixOperand &operand, const MatrixSource &source,
              int64_t tileRows);

  /// Computes this thread's addresses for a tile whose first row is `first`.
  void setTile(const TilePosition &tile, mlir::Value first);
  /// Starts the copies of the tile at step `step` of k to `shared`.
  void start(mlir::OpBuilder &builder, mlir::Value shared, mlir::Value step);

private:
  /// The address of the factor's first element, i64.
  mlir::Value origin();

  MatrixFrame &frame;
  const MatrixOperand &operand;
  const MatrixSource &source;
  int64_t tileRows;
  int64_t rows; ///< of the factor
  int64_t rowsAtOnce;
  bool isRagged;
  mlir::Value first;  ///< row of the tile
  mlir::Value global; ///< address of this thread's first piece at step 0, i64
  mlir::Value piece, storedRow, sharedOffset;
};

} // namespace zyxc

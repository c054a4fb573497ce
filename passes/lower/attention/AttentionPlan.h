// The sizes of an attention kernel on matrix units: tiles, stages, and the layout of workgroup
// memory.
#pragma once
#include "dialects/zyxk/target/Target.h"
#include "passes/lower/emit/AccessTable.h"
#include "passes/lower/emit/AttentionRoles.h"

namespace zyxc {

/// A tensor map of an operand, and the tile that one load brings: columns in chunks of 64.
struct AttentionMap {
  unsigned port = 0;
  mlir::Type element;
  llvm::SmallVector<int64_t> dims;    ///< elements, innermost first, by ascending strides
  llvm::SmallVector<int64_t> strides; ///< bytes, of dims 1 and up
  int64_t rows = 0;                   ///< of a box
  int64_t chunks = 0;                 ///< boxes of 64 columns
  /// Coordinates of dims 1 and up, over the batch axes; null at the dim of the rows.
  llvm::SmallVector<mlir::AffineExpr> coordinates;

  int64_t tileBytes() const { return rows * chunks * chunkRowBytes; }
  int64_t chunkBytes() const { return rows * chunkRowBytes; }
  static constexpr int64_t chunkRowBytes = 128;
  static constexpr int64_t chunkColumns = 64;
  static constexpr int64_t chunkSteps = 4; ///< k16 steps of a chunk
};

/// Workgroup memory: queries, keys and values (`stages` each), then the barriers.
struct AttentionPlan {
  zyxk::MmaUnit unit = zyxk::MmaUnit::Wgmma; ///< or Mma: one warpgroup, which loads itself
  int64_t queries = 0, keys = 0, depth = 0, width = 0;
  llvm::SmallVector<int64_t> batch; ///< extents of the batch axes

  int64_t warpgroups = 0; ///< that compute, 64 rows of queries each
  int64_t keyTile = 0;
  int64_t stages = 0;          ///< a power of two
  int64_t registerSteps = 0;   ///< k16 steps of the scores that take the queries from registers
  double rescale = 0;          ///< log2 of the growth of a maximum that is tolerated
  int64_t loaderRegisters = 0; ///< of a thread
  int64_t computeRegisters = 0;
  int64_t minBlocks = 1; ///< workgroups on a multiprocessor
  mlir::Type element;    ///< f16 or bf16
  KeyWindow window;
  AttentionMap q, k, v;

  int64_t queryTile() const { return 64 * warpgroups; }
  int64_t queryTiles() const;
  int64_t depthSteps() const; ///< k16 steps of the scores
  int64_t keyTiles() const;
  int64_t batches() const;
  int64_t tiles() const { return batches() * queryTiles(); }
  int64_t threads() const { return 128 * (warpgroups + loaders()); }
  int64_t loaders() const { return unit == zyxk::MmaUnit::Wgmma ? 1 : 0; }
  /// Registers of the scores and of the output in one thread.
  int64_t scoreRegisters() const { return keyTile / 2; }
  int64_t outputRegisters() const { return width / 2; }

  // Offsets in workgroup memory.
  int64_t queryBuffers() const { return unit == zyxk::MmaUnit::Wgmma ? 2 : 1; }
  int64_t keyOffset() const { return queryBuffers() * q.tileBytes(); }
  int64_t valueOffset() const { return keyOffset() + stages * k.tileBytes(); }
  int64_t barrierOffset() const { return valueOffset() + stages * v.tileBytes(); }
  int64_t sharedBytes() const;
  /// Barriers of 8 bytes each: full and empty of every buffer.
  int64_t queryFull() const { return barrierOffset(); }
  int64_t queryEmpty() const { return queryFull() + 8 * queryBuffers(); }
  int64_t keyFull() const { return queryEmpty() + 8 * queryBuffers(); }
  int64_t keyEmpty() const { return keyFull() + 8 * stages; }
  int64_t valueFull() const { return keyEmpty() + 8 * stages; }
  int64_t valueEmpty() const { return valueFull() + 8 * stages; }

  /// The plan for Mma or Wgmma, or what stands in its way.
  static std::optional<AttentionPlan> make(zyxk::KernelOp kernel, const AttentionRoles &roles,
                                           const AccessTable &table, zyxk::MmaUnit unit,
                                           const Target &target, std::string &obstacle);
};

} // namespace zyxc

// The frame of a matrix kernel: control flow as blocks of the function (a wgmma in flight must not
// cross what a structured loop would put around it), the loop over tiles, and their order.
#pragma once
#include "passes/lower/matrix/MatrixPlan.h"
#include "passes/lower/matrix/TileCoordinates.h"
#include "passes/lower/ptx/PtxAtoms.h"
#include "passes/lower/ptx/SharedMemory.h"
#include "passes/lower/tile/GpuLaunch.h"

namespace zyxc {

/// The tile that a workgroup works on. All values are i32.
struct TilePosition {
  mlir::Value row, column; ///< the first ones
  /// Of each batch axis of the problem.
  llvm::SmallVector<mlir::Value> batch;
};

/// Builds the body of a gpu.func. The builder's insertion point moves through its blocks.
class MatrixFrame {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  /// Takes over an empty launch; finish() returns from it.
  MatrixFrame(const AccessTable &table, const MatrixProblem &problem, const MatrixPlan &plan,
              GpuLaunch &launch);
  void finish();

  /// Emits `body` as a loop that runs at least once. The body gets the carried values, and returns
  /// whether to go on and the next values; those of the last turn are the result.
  Values doWhile(mlir::ValueRange initial,
                 llvm::function_ref<std::pair<mlir::Value, Values>(mlir::ValueRange)> body);
  /// Runs one of two bodies. An empty `otherwise` does nothing.
  void branch(mlir::Value condition, llvm::function_ref<void()> then,
              llvm::function_ref<void()> otherwise = {});
  /// All tiles of this workgroup, with values carried from tile to tile.
  void tileLoop(mlir::ValueRange initial,
                llvm::function_ref<Values(const TilePosition &, mlir::ValueRange)> body);

  /// The number of this thread in the workgroup, i32.
  mlir::Value thread() const { return threadId; }

  const AccessTable &table;
  const MatrixProblem &problem;
  const MatrixPlan &plan;
  GpuLaunch &launch;
  mlir::OpBuilder builder;
  mlir::Location loc;
  I32Math math;
  PtxAtoms ptx;

private:
  TilePosition positionOf(mlir::Value tile);
  mlir::Block *appendBlock(mlir::ValueRange arguments = {});

  mlir::Value threadId;
};

} // namespace zyxc

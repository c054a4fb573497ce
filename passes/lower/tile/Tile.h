// The tile interface: what a family driver asks of a target. A driver is written once against it; a
// target implements it. Threads that share workgroup memory run the same code; values are per
// thread. On the host there is one thread, a barrier is nothing, and a stage is scratch memory.
// Matrix units, whose fragments are no vectors, have frames of their own (passes/lower/matrix).
#pragma once
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace zyxc {

/// The threads that work on one row, column or tile: `size` of them, a power of two. Thread t of
/// the workgroup is member (t / stride) % size of team (t / (stride * size)) * stride + t % stride,
/// so with stride 1 a team's threads are neighbours; with a larger one neighbours are in different
/// teams.
struct Team {
  int64_t size = 1;
  int64_t stride = 1;
};

/// Workgroup memory of one element type: memref<N x element>, aligned to 16 bytes.
using Stage = mlir::Value;

/// Builds the operations of a tile program at the insertion point of the builder it is given.
class Tile {
public:
  /// Combines two accumulators (each a list of scalars or vectors); associative.
  using Combine = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::OpBuilder &, mlir::ValueRange, mlir::ValueRange)>;

  virtual ~Tile() = default;

  /// Threads of a workgroup, and this thread's number among them (index).
  virtual int64_t threads() const = 0;
  virtual mlir::Value thread(mlir::OpBuilder &builder) = 0;
  /// This thread's number in its team, and the number of its team in the workgroup (index).
  virtual mlir::Value member(mlir::OpBuilder &builder, const Team &team) = 0;
  virtual mlir::Value teamIndex(mlir::OpBuilder &builder, const Team &team) = 0;
  /// The tiles of this workgroup, out of `tiles` (static) of the launch. What `body` emits must run
  /// whole: a workgroup without a tile runs the last one again with `active` = false; null is true.
  virtual void tileLoop(
      mlir::OpBuilder &builder, int64_t tiles,
      llvm::function_ref<void(mlir::OpBuilder &, mlir::Value tile, mlir::Value active)> body) = 0;
  /// Runs `body` on the threads for which `condition` holds. No barrier may be inside.
  virtual void role(mlir::OpBuilder &builder, mlir::Value condition,
                    llvm::function_ref<void(mlir::OpBuilder &)> body) = 0;

  /// Workgroup memory, alive from here to the end of the function.
  virtual Stage stageAlloc(mlir::OpBuilder &builder, mlir::Type element, int64_t elements) = 0;
  /// Until what all threads wrote to stages is visible to all.
  virtual void barrier(mlir::OpBuilder &builder) = 0;

  /// The combination of all members' values in a fixed order, given to every member; bit-equal for
  /// all of them. Every thread of the workgroup must get here.
  virtual llvm::SmallVector<mlir::Value> fragReduce(mlir::OpBuilder &builder, const Team &team,
                                                    mlir::ValueRange mine, Combine combine) = 0;
  /// The combination of the values of the members before this one, then that of all members.
  /// `identity` is what member 0 gets. Teams of stride 1 only.
  virtual std::pair<llvm::SmallVector<mlir::Value>, llvm::SmallVector<mlir::Value>>
  fragScan(mlir::OpBuilder &builder, const Team &team, mlir::ValueRange mine,
           mlir::ValueRange identity, Combine combine) = 0;
};

} // namespace zyxc

// Loop nests of the map and row families: outer axes that all stores and reductions share, split
// into tasks; below them the reductions and the store loops.
#pragma once
#include "passes/lower/emit/AccessTable.h"
#include "passes/lower/emit/HeldRows.h"

namespace zyxc {

/// How a kernel becomes loops.
struct NestPlan {
  llvm::SmallVector<unsigned> taskAxes; ///< outermost; their row-major index is split into units
  llvm::SmallVector<unsigned> loopAxes; ///< shared axes below them
  std::optional<unsigned> lane;         ///< the shared axis with the lanes (map family)
  int64_t width = 1;                    ///< lanes
  int64_t registersPerVector = 1;
  int64_t chunk = 0; ///< elements of the lane axis in one unit
  // Sizes over the kernel's dims, where it has some; there is then one unit per task.
  int64_t chunks = 1; ///< units along the lane axis
  int64_t units = 1;
  int64_t unitsPerTask = 1;
  int64_t tasks = 1;
  /// Of an open kernel: so many rows, of this axis, share the loads of a reduction.
  std::optional<unsigned> rowAxis;
  int64_t rows = 1;
  bool chunksFirst = false; ///< of an open kernel: units of one chunk follow each other
  /// Values of a row that wait in scratch memory (row family).
  llvm::SmallVector<HeldValue> held;
  int64_t heldBytes = 0; ///< of one row
  /// Stores of large outputs go past the caches.
  bool streams = false;
  /// Stores of a row are emitted with the next row (LateStores.h).
  bool storesLate = false;
  /// A last vector may overlap the one before it, which stores some elements twice.
  bool overlap = false;
};

/// Axes over which every store runs and on which the result of every reduction and fold depends.
zyxk::AxisSet sharedAxes(const AccessTable &table);
/// Axes that must not have lanes: some store is scattered along them.
zyxk::AxisSet scatteredAxes(const AccessTable &table);

/// Fills the task fields of a plan whose lane and width are chosen. `perTask`: elements that one
/// task should handle; 0: a default.
void planTasks(const AccessTable &table, NestPlan &plan, int64_t perTask);

/// True if the kernel's outputs are too large to stay in the caches.
bool shouldStream(zyxk::KernelOp kernel);

/// Replaces the kernel by its host function.
void emitNest(const AccessTable &table, const NestPlan &plan);

} // namespace zyxc

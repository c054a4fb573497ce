// Values of a unit's points that wait in workgroup memory between the sweeps over them. A thread
// meets the same chunks in every sweep, so it reads only what it wrote itself: no barrier is
// needed.
#pragma once
#include "passes/lower/emit/VectorExpr.h"
#include "passes/lower/tile/Tile.h"

namespace zyxc {

/// A value that one sweep leaves for later ones.
struct StagedValue {
  mlir::Value bodyValue;
  unsigned first = 0; ///< the sweep that computes it
  unsigned last = 0;  ///< the last sweep that reads it
  unsigned slot = 0;  ///< values of one type whose sweeps do not overlap share memory
};

/// What is held, chosen before code is emitted.
struct StagePlan {
  zyxk::AxisSet axes = 0;                  ///< the sweeps' points inside of a unit
  llvm::SmallVector<StagedValue> values;   ///< in the order in which they are read first
  llvm::SmallVector<mlir::Type> slotTypes; ///< element type of each slot

  bool empty() const { return values.empty(); }
  /// Workgroup memory for `points` points.
  int64_t bytes(int64_t points) const;
};

/// The sweeps of a unit over all of its points `axes`, in the order in which TeamNest emits them,
/// each with the values that it evaluates.
std::vector<llvm::SmallVector<mlir::Value>> sweepsOver(const AccessTable &table,
                                                       zyxk::AxisSet unitAxes, zyxk::AxisSet axes);

/// The values that later sweeps over `axes` need again: loads, what takes fewer bytes than the
/// loads below it, and what is dear to compute. Nothing if some reduction is not a sweep of the
/// team: its points would be another thread's.
StagePlan chooseStages(const AccessTable &table, zyxk::AxisSet unitAxes, zyxk::AxisSet axes);

/// Holds the values of a plan, which must outlive it.
class RowStages : public ValueHolder {
public:
  /// `chunks`: a thread's chunks times the members of a team; `lanes`: points of a chunk.
  RowStages(Tile &tile, const StagePlan &plan, const Team &team, int64_t chunks, int64_t lanes)
      : tile(tile), plan(plan), team(team), chunks(chunks), lanes(lanes) {}

  /// The next sweep begins; `isHeld`: it runs over the plan's axes, in chunks.
  void beginSweep(bool isHeld);
  void endSweep() { active = false; }
  /// The number of the chunk that is evaluated next (index); null between chunks.
  void setChunk(mlir::Value place) { chunk = place; }
  /// Writes what was computed since the last call, after the loads that it waits for.
  void flush(mlir::OpBuilder &builder);
  /// True if the sweep finds this value in memory.
  bool isThere(mlir::Value bodyValue) const;

  mlir::Value load(mlir::OpBuilder &builder, mlir::Operation *op) override;
  void computed(mlir::OpBuilder &builder, mlir::Operation *op, mlir::Value result) override;
  void loopEnded() override {}

private:
  struct Pending {
    const StagedValue *staged;
    mlir::Value place, value;
  };

  const StagedValue *find(mlir::Value bodyValue) const;
  Stage memory(mlir::OpBuilder &builder, unsigned slot);
  /// The first element of a chunk.
  mlir::Value elementOf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value place);

  Tile &tile;
  const StagePlan &plan;
  Team team;
  int64_t chunks, lanes;
  int sweep = -1;
  bool active = false;
  mlir::Value chunk;
  llvm::SmallVector<Stage> memories;
  llvm::SmallVector<Pending> pending;
};

/// True for the ops that combine points: their results are no values of a chunk.
bool isCombining(mlir::Operation *op);

} // namespace zyxc

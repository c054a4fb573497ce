// The driver of the families map, row, col and block: teams of threads that work on one unit each
// (a row, a vector of columns, or everything). Reductions over what a unit does not fix are shared
// by the team; a thread handles chunks of `width` lanes, and keeps what it loaded in registers
// between the reductions and stores of a unit where that fits.
#pragma once
#include "passes/lower/emit/Monoid.h"
#include "passes/lower/tile/PointSpace.h"
#include "passes/lower/tile/RowStages.h"
#include <map>

namespace zyxc {

/// How teams divide a kernel.
struct TeamPlan {
  Team team;
  int64_t width = 1;            ///< lanes of a thread
  zyxk::AxisSet unitAxes = 0;   ///< fixed for a team: one point of them is a unit
  std::optional<unsigned> lane; ///< the axis with the lanes, of the unit or beside it
  int64_t inflight = 4;         ///< chunks that are loaded before their first use
  int64_t held = 0;             ///< elements of a unit that one thread may keep in registers
  /// Workgroup memory for reductions that differ inside of a unit and are used again: each is then
  /// computed once. Needs the team to be the whole workgroup.
  int64_t stageBytes = 0;
  StagePlan rows; ///< values that wait in workgroup memory
};

/// Stores over one domain, emitted in one sweep.
struct StoreGroup {
  zyxk::AxisSet domain = 0;
  zyxk::AxisSet serial = 0; ///< axes along which one thread stores in order
  llvm::SmallVector<zyxk::StoreOp> stores;
};

/// The stores of a kernel, grouped. A store that combines stands alone.
std::vector<StoreGroup> storeGroups(const AccessTable &table);
/// The values that stores evaluate: what they write, and where.
llvm::SmallVector<mlir::Value> valuesOf(llvm::ArrayRef<zyxk::StoreOp> stores);

/// Emits the code of one thread.
class TeamNest {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  TeamNest(Tile &tile, const AccessTable &table, llvm::ArrayRef<mlir::Value> ports,
           const TeamPlan &plan);

  /// Units of the kernel: points of the unit axes, in vectors if the lane axis is one of them.
  const PointSpace &units() const { return unitSpace; }
  /// All reductions and stores of a unit. `active`: false stores nothing; null is true.
  void emitUnit(mlir::OpBuilder &builder, mlir::Value unit, mlir::Value active);
  /// The stores of a kernel without shared reductions, at `count` chunks first, first + stride, ..
  /// of their domain. `first` is at most `maxFirst`.
  void emitPoints(mlir::OpBuilder &builder, llvm::ArrayRef<zyxk::StoreOp> stores, mlir::Value first,
                  int64_t maxFirst, int64_t stride, int64_t count);

  /// This thread's part of a reduction over chunks [from, from + length) of reductionSpace(op), not
  /// combined with that of the other members; combinable. `from` is at most `maxFrom`.
  Values emitPartial(mlir::OpBuilder &builder, mlir::Operation *op, mlir::Value from,
                     int64_t maxFrom, int64_t length);
  /// Combines the members' parts.
  Values combineMembers(mlir::OpBuilder &builder, mlir::Operation *op, mlir::ValueRange part);
  /// The identity in the form of a part, and the combination of two parts.
  Values identity(mlir::OpBuilder &builder, mlir::Operation *op);
  Values combine(mlir::OpBuilder &builder, mlir::Operation *op, mlir::ValueRange a,
                 mlir::ValueRange b);
  /// The results of a reduction from its combined parts.
  Values finish(mlir::OpBuilder &builder, mlir::Operation *op, mlir::ValueRange total);
  PointSpace reductionSpace(mlir::Operation *op) const;
  Monoid monoidOf(zyxk::ReduceOp op) const;
  /// A body value's scope: assign, bind and evaluate at will.
  VectorExpr &expr() { return body; }
  /// True if the whole team computes this reduction or fold.
  bool isShared(mlir::Operation *op) const;
  void emitStores(mlir::OpBuilder &builder, mlir::Value active);

private:
  /// A chunk of a space: its scope, and whether it exists (null: always).
  struct Chunk {
    VectorExpr::Held scope;
    mlir::Value active;
    mlir::Value place; ///< its number; behind the last one, too
  };
  /// A visit of a chunk.
  class Visit {
  public:
    Visit(TeamNest &nest, Chunk &chunk);
    ~Visit();
    Visit(const Visit &) = delete;
    Visit &operator=(const Visit &) = delete;

  private:
    TeamNest &nest;
    VectorExpr::Scope scope;
  };
  using Chunks = std::vector<Chunk>;
  using Body = llvm::function_ref<void(mlir::OpBuilder &, Chunks &)>;
  using Step = llvm::function_ref<Values(mlir::OpBuilder &, Chunks &, Values)>;

  PointSpace spaceOf(zyxk::AxisSet axes) const;
  /// The lane axis, if it is one of the unit's.
  std::optional<unsigned> unitLane() const {
    return plan.lane && zyxk::contains(plan.unitAxes, *plan.lane) ? plan.lane : std::nullopt;
  }
  Chunks open(mlir::OpBuilder &builder, const PointSpace &space, mlir::Value first,
              int64_t maxFirst, int64_t stride, int64_t count);
  /// All of the team's chunks of a space at once, kept for later calls; null if too many.
  Chunks *heldChunks(mlir::OpBuilder &builder, const PointSpace &space);
  /// Runs `step` over this member's chunks of [from, from + length), in groups.
  Values sweep(mlir::OpBuilder &builder, const PointSpace &space, mlir::Value from, int64_t maxFrom,
               int64_t length, Values carried, Step step);
  /// Evaluates loads at all chunks before anything uses them.
  void prefetch(mlir::OpBuilder &builder, Chunks &chunks, const PointSpace &space,
                mlir::ValueRange roots);
  /// The result of a reduction that is not this thread's alone.
  mlir::Value share(mlir::OpBuilder &builder, mlir::Operation *op);
  /// Computes a reduction of the whole team and binds its results in the innermost scope.
  void shareResults(mlir::OpBuilder &builder, mlir::Operation *op);
  /// Of expsum and welford (TeamOnline.cpp): `chunks` of the operands join the accumulators.
  Values accumulateOnline(mlir::OpBuilder &builder, mlir::Operation *op, const PointSpace &space,
                          Chunks &chunks, mlir::ValueRange carried);
  mlir::Value shareFold(mlir::OpBuilder &builder, zyxk::FoldOp op);
  /// Computes a reduction at all its points inside the unit, and leaves them in workgroup memory.
  void stageResult(mlir::OpBuilder &builder, zyxk::ReduceOp op);
  mlir::Value readStage(mlir::OpBuilder &builder, const PointSpace &space, Stage stage,
                        mlir::Type type);
  Values accumulate(mlir::OpBuilder &builder, mlir::Operation *op, const PointSpace &space,
                    Chunks &chunks, Values carried);
  /// True if the operand, or the result, differs between the lanes of a thread.
  bool hasLanes(mlir::Operation *op, const PointSpace &space) const;
  bool keepsLanes(mlir::Operation *op) const;
  void emitGroup(mlir::OpBuilder &builder, const StoreGroup &group, mlir::Value active);
  void storeChunks(mlir::OpBuilder &builder, llvm::ArrayRef<zyxk::StoreOp> stores, Chunks &chunks,
                   mlir::Value active);
  void storeOver(mlir::OpBuilder &builder, zyxk::StoreOp store, zyxk::AxisSet rest);
  mlir::Value constant(mlir::OpBuilder &builder, int64_t value);
  mlir::Value both(mlir::OpBuilder &builder, mlir::Value a, mlir::Value b);

  Tile &tile;
  const AccessTable &table;
  TeamPlan plan;
  VectorExpr body;
  mlir::Location loc;
  PointSpace unitSpace;
  std::map<PointSpace, Chunks> held;
  std::optional<RowStages> rows;
  llvm::DenseSet<mlir::Operation *> toStage;
  llvm::DenseMap<mlir::Operation *, std::pair<PointSpace, Stage>> staged;
  bool atUnitLevel = false; ///< every thread of the workgroup gets here
};

/// The types of a reduction's accumulators at one point: the results of expsum; the count, the sum
/// and the squared deviations of welford; the value, and its position, of others.
llvm::SmallVector<mlir::Type> accumulatorTypes(const AccessTable &table, mlir::Operation *op);

/// Reductions whose result differs inside of a unit, and that other reductions or stores over more
/// axes use: without a stage they would be computed again for each use.
llvm::SmallVector<zyxk::ReduceOp> reductionsToStage(const AccessTable &table,
                                                    zyxk::AxisSet unitAxes);

/// Axes along which a store must run one after the other: it combines with what an earlier point
/// may have stored at the same place.
zyxk::AxisSet serialAxes(const AccessTable &table, zyxk::StoreOp store);

} // namespace zyxc

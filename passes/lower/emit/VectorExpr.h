// Emits the value of a kernel's body at `width` points at once: the expression emitter that the
// map, row and contract lowerings share. The caller owns the loops and says which coordinate each
// axis has; this class emits loads, scalar ops, guards and the inner reductions.
#pragma once
#include "mlir/IR/Builders.h"
#include "passes/lower/emit/AccessTable.h"
#include "passes/lower/emit/LaneIndex.h"
#include <functional>

namespace zyxc {

/// Where the code runs: as a loop of the host, with masks and branches, or as one of many threads
/// of a GPU, without branches: guards become selections, an access is split into aligned ones.
enum class LaneStyle : uint8_t { Host, Thread };

struct VectorFrame;

/// Keeps values between loops, beside the scopes of a VectorExpr.
class ValueHolder {
public:
  virtual ~ValueHolder() = default;
  /// The result of a body op at the current coordinates, if it is held; else null.
  virtual mlir::Value load(mlir::OpBuilder &builder, mlir::Operation *op) = 0;
  /// The result of a body op was computed at the current coordinates.
  virtual void computed(mlir::OpBuilder &builder, mlir::Operation *op, mlir::Value result) = 0;
  /// A reduction has been emitted completely.
  virtual void loopEnded() = 0;
};

/// Evaluates body values in nested scopes. A scope assigns coordinates to axes and remembers the
/// values emitted in it; it must be left before the builder leaves the block it was entered in.
/// Lane-invariant values are scalars; the others are vectors of `width` elements. Not thread-safe.
class VectorExpr {
public:
  /// `ports`: one 1-D memref per port of the kernel. `table` and `ports` must outlive this object.
  /// Style Thread with width 1 makes scalars of all values.
  VectorExpr(const AccessTable &table, llvm::ArrayRef<mlir::Value> ports, int64_t width,
             LaneStyle style = LaneStyle::Host);
  ~VectorExpr();

  /// The contents of a scope between two visits.
  class Held {
    friend class VectorExpr;
    std::shared_ptr<VectorFrame> frame;
  };

  /// A scope, left when this object dies.
  class Scope {
  public:
    explicit Scope(VectorExpr &expr) : expr(expr) { expr.enter(); }
    /// Enters a held scope again: what was emitted in it must dominate what is emitted now.
    Scope(VectorExpr &expr, Held &held) : expr(expr) { expr.enter(held); }
    ~Scope() { expr.leave(); }
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;

  private:
    VectorExpr &expr;
  };

  /// Asked first for the result of each reduction and fold; null leaves it to this thread alone. Of
  /// a fold it gives the first result and binds the others.
  using Reducer = std::function<mlir::Value(mlir::OpBuilder &, mlir::Operation *)>;
  void setReducer(Reducer value) { reducer = std::move(value); }
  /// Asked before a value is computed; may be null.
  void setHolder(ValueHolder *value) { holder = value; }
  /// Stores go past the caches where their address is aligned to a vector: for outputs too large to
  /// stay in them.
  void setStreaming(bool on) { streaming = on; }
  /// What the dims of the kernel are; must outlive this object. Not needed if they are all bound.
  void setSizes(RuntimeSizes *value) { sizes = value; }
  /// Registers that one vector fills: so many accumulators of a reduction are in it already.
  void setRegistersPerVector(int64_t count) { registersPerVector = count; }

  // Coordinates in the innermost scope. An axis may be assigned again in a nested scope.
  // `divisor`: a number that divides the index, or that of lane 0. `offset` is added to the index;
  // addresses that differ by it only share what is computed.
  void assign(unsigned axis, mlir::Value index, int64_t divisor = 1, int64_t offset = 0);
  void assignLanes(unsigned axis, mlir::Value base, int64_t step = 1, int64_t divisor = 1);
  /// One coordinate per lane: vector<width x index>.
  void assignLanes(unsigned axis, mlir::Value base, mlir::Value lanes);
  /// Several axes as one: the row-major index over their extents is first + lane at each lane.
  /// Accesses that are linear in that index (a convolution's pixels, for instance) keep a constant
  /// step; otherwise each axis has one coordinate per lane.
  void assignFlattened(mlir::OpBuilder &builder, llvm::ArrayRef<unsigned> axes, mlir::Value first,
                       int64_t divisor = 1);
  /// Lanes that are off: no load or store happens there. vector<width x i1>. Holds in this scope
  /// and below it, until a nested scope assigns lanes anew.
  void setLaneMask(mlir::Value mask);
  /// The lanes of an axis from `at` on that are below its extent: vector<width x i1>.
  mlir::Value lanesBelow(mlir::OpBuilder &builder, mlir::Location loc, unsigned axis,
                         mlir::Value at) const;
  /// Gives a body value (such as the result of a contract) a known value: a scalar, or a vector of
  /// `width` elements.
  void bind(mlir::Value bodyValue, mlir::Value value);

  /// The value at the current coordinates: a scalar if it is the same at every lane, else a vector.
  /// All axes of the value must be assigned.
  mlir::Value evaluate(mlir::OpBuilder &builder, mlir::Value bodyValue);
  /// As evaluate, always a vector.
  mlir::Value evaluateVector(mlir::OpBuilder &builder, mlir::Value bodyValue);
  /// The results of a reduction, no arg kind, at several points of an axis that has no coordinate
  /// now, from `first` on: one loop gives them all, and what does not depend on the axis is
  /// evaluated once for them.
  llvm::SmallVector<mlir::Value> reduceRows(mlir::OpBuilder &builder, zyxk::ReduceOp reduce,
                                            unsigned axis, mlir::Value first, int64_t rows);
  /// The coordinate of an axis: an index, or a vector of indices if it differs between lanes.
  mlir::Value coordinateValue(mlir::OpBuilder &builder, mlir::Location loc, unsigned axis);
  /// Evaluates a store's value and writes it.
  void emitStore(mlir::OpBuilder &builder, zyxk::StoreOp store);
  /// The memory of a store's port and the linear index (of lane 0) that it writes there, for
  /// callers that write several values at once.
  std::pair<mlir::Value, mlir::Value> storeAddress(mlir::OpBuilder &builder, zyxk::StoreOp store);
  /// Fetches what a load will need `distance` elements further on, into the cache of that level (1
  /// or 2).
  void emitPrefetch(mlir::OpBuilder &builder, zyxk::LoadOp load, int64_t distance, int level);
  /// Evaluates the parts of `bodyValue` that depend on assigned axes only, so that loops entered
  /// next do not repeat them.
  void prepare(mlir::OpBuilder &builder, mlir::Value bodyValue);

  /// Says that every port's address is a multiple of `bytes`: vector accesses then state what they
  /// are aligned to. At first nothing is known.
  void setPortAlignment(int64_t bytes) { portAlignment = bytes; }

  // For holders.
  LaneIndex coordinateOf(unsigned axis) const { return coordinate(axis); }
  /// The op is being evaluated under a condition.
  bool isConditional() const { return branchDepth > 0 || guard; }

  int64_t width() const { return std::max<int64_t>(numLanes, 1); }
  const AccessTable &table() const { return accessTable; }
  /// Axes that have a coordinate in some open scope.
  zyxk::AxisSet assignedAxes() const;

private:
  friend class Scope;
  friend class ReduceEmitter;
  friend class FoldEmitter;
  using Frame = VectorFrame;
  using Key = std::pair<mlir::Value, mlir::Value>; ///< body value, guard mask

  void enter();
  void enter(Held &held);
  void leave();
  Frame &top() { return *frames.back(); }
  LaneIndex coordinate(unsigned axis) const;
  bool hasLanes(zyxk::AxisSet axes) const;
  Key keyOf(mlir::Value bodyValue) const;
  mlir::Value lookup(mlir::Value bodyValue) const;
  mlir::Value laneMask() const;
  /// The mask under which an access must happen, or null: lanes that are on, and the guard.
  mlir::Value accessMask(mlir::OpBuilder &builder, mlir::Location loc, bool guarded) const;
  mlir::Value splat(mlir::OpBuilder &builder, mlir::Value value) const;

  mlir::Value compute(mlir::OpBuilder &builder, mlir::Operation *op);
  mlir::Value computeElementwise(mlir::OpBuilder &builder, mlir::Operation *op);
  mlir::Value computeLoad(mlir::OpBuilder &builder, zyxk::LoadOp load);
  /// A load `oob else`: another value where a coordinate is outside of the port, which may be
  /// empty.
  mlir::Value computeLoadInside(mlir::OpBuilder &builder, zyxk::LoadOp load);
  /// The coordinates of a load are inside of its port.
  mlir::Value insideOf(mlir::OpBuilder &builder, zyxk::LoadOp load);
  /// SSA coordinates of an access at the current coordinates.
  llvm::SmallVector<LaneIndex> givenCoords(mlir::OpBuilder &builder, mlir::ValueRange coords);
  LaneIndexEmitter indices(mlir::OpBuilder &builder, mlir::Location loc) const {
    return {builder, loc, numLanes, sizes};
  }
  mlir::Value computeWhere(mlir::OpBuilder &builder, zyxk::WhereOp where);
  mlir::Value computeIndex(mlir::OpBuilder &builder, zyxk::IndexOp index);
  mlir::Value computeReduce(mlir::OpBuilder &builder, zyxk::ReduceOp reduce);
  /// The first result; the others are known afterwards.
  mlir::Value computeFold(mlir::OpBuilder &builder, zyxk::FoldOp fold);
  llvm::SmallVector<mlir::Value> foldWhereNeeded(mlir::OpBuilder &builder, zyxk::FoldOp fold,
                                                 mlir::Value mask);
  /// where as a branch on a lane-invariant condition; `mask` guards the rest of the set.
  mlir::Value computeBranch(mlir::OpBuilder &builder, zyxk::WhereOp where, mlir::Value condition,
                            mlir::Value mask);
  /// where as a selection by a mask of lanes; a null mask stands for all lanes.
  mlir::Value computeMasked(mlir::OpBuilder &builder, zyxk::WhereOp where, mlir::Value mask);
  /// The parts of a set that are the same at every lane, and the others; null if they always hold.
  std::pair<mlir::Value, mlir::Value> conditionOf(mlir::OpBuilder &builder, mlir::Location loc,
                                                  mlir::IntegerSet set);
  /// An expression with the axes that have a constant coordinate replaced by it.
  mlir::AffineExpr withConstants(mlir::AffineExpr expr) const;
  void prepareIn(mlir::OpBuilder &builder, mlir::Value bodyValue, zyxk::AxisSet available,
                 bool guarded, llvm::DenseSet<mlir::Value> &seen);
  /// The linear address of an access at the current coordinates.
  LaneIndex address(mlir::OpBuilder &builder, mlir::Operation *access, mlir::ValueRange coords,
                    mlir::Value port);
  /// An expression over the axes, then `coords`.
  LaneIndex evaluateIndex(mlir::OpBuilder &builder, mlir::Location loc, mlir::AffineExpr expr,
                          llvm::ArrayRef<LaneIndex> coords);
  void emitUnguardedStore(mlir::OpBuilder &builder, zyxk::StoreOp store);
  mlir::Value portMemory(mlir::Value port) const;
  /// What the address of a port is known to be a multiple of, in bytes.
  int64_t alignmentOf(mlir::Value port) const;
  // Style Thread (VectorThread.cpp).
  mlir::Value computeThreadLoad(mlir::OpBuilder &builder, zyxk::LoadOp load);
  void emitThreadStore(mlir::OpBuilder &builder, zyxk::StoreOp store);
  /// `mask`: lanes that store, or null for all.
  void storeUnguarded(mlir::OpBuilder &builder, zyxk::StoreOp store, mlir::Value mask);
  mlir::Value selectWhere(mlir::OpBuilder &builder, zyxk::WhereOp where, mlir::Value uniform,
                          mlir::Value lanes);
  /// Lanes that one aligned access of a contiguous load or store covers.
  int64_t alignedLanes(zyxk::PortType port, const LaneIndex &at) const;

  const AccessTable &accessTable;
  llvm::ArrayRef<mlir::Value> ports;
  int64_t portAlignment = 1;
  int64_t numLanes; ///< 0: every value is a scalar
  LaneStyle style;
  RuntimeSizes *sizes = nullptr;
  Reducer reducer;
  ValueHolder *holder = nullptr;
  bool streaming = false;
  int64_t registersPerVector = 1;
  int reduceDepth = 0; ///< loops of reductions around what is being emitted
  int branchDepth = 0; ///< branches open around what is being emitted
  mlir::Value guard;   ///< mask of the `where` ops being evaluated, or null
  llvm::SmallVector<std::shared_ptr<Frame>> frames;
};

} // namespace zyxc

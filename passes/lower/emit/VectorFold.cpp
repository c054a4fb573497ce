// Folds inside VectorExpr. Where the result differs between lanes, or points must be taken one
// after the other, the folded axes become plain loops around the states. Else an axis gets the
// lanes: of a free fold each lane has states of its own, merged at the end; of a tree a vector of
// points is merged in order, then with what came before.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/lower/emit/FoldCode.h"
#include "passes/lower/emit/LaneChoice.h"
#include "passes/lower/emit/VectorFrame.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

/// Shorter rows are not worth lanes.
static constexpr int64_t minLaneExtent = 4;

class FoldEmitter {
public:
  using Values = FoldCode::Values;

  FoldEmitter(VectorExpr &expr, FoldOp op);
  Values emit(OpBuilder &builder);

private:
  /// Loops over axes[depth..] around the states.
  Values emitLoops(OpBuilder &builder, unsigned depth, const Values &states);
  Values emitInnermost(OpBuilder &builder, const Values &states);
  /// `end`: a number, or a value.
  Values emitFor(OpBuilder &builder, OpFoldResult end, int64_t step, const Values &states,
                 function_ref<Values(OpBuilder &, Value, const Values &)> body);
  /// The innermost loop over an extent that is known at run time only.
  Values emitSized(OpBuilder &builder, const Values &states);
  OpFoldResult extentOf(OpBuilder &builder, unsigned axis);
  /// The states after the point, or vector of points, at `at` of the innermost axis.
  Values step(OpBuilder &builder, Value at, bool masked, const Values &states);
  void prepare(OpBuilder &builder, AxisSet available);
  bool isTree() { return op.getOrder() == ReduceOrder::Tree; }
  /// Lanes of the states between points.
  int64_t stateLanes() { return vectorResult || (lane && !isTree()) ? expr.numLanes : 0; }

  VectorExpr &expr;
  FoldOp op;
  Location loc;
  const AccessTable &table;
  FoldCode code;
  bool vectorResult;            ///< the result differs between lanes
  std::optional<unsigned> lane; ///< the folded axis that has the lanes
  SmallVector<unsigned> axes;   ///< loop order, the lane axis last
  Values inits;
};

FoldEmitter::FoldEmitter(VectorExpr &expr, FoldOp op)
    : expr(expr), op(op), loc(op.getLoc()), table(expr.table()), code(op),
      vectorResult(expr.hasLanes(expr.table().axesOf(op.getResult(0)))) {
  AxisSet set = table.reducedBy(op);
  if (!vectorResult && op.getOrder() != ReduceOrder::Serial && expr.style == LaneStyle::Host &&
      llvm::has_single_bit(static_cast<uint64_t>(expr.width())) && expr.width() > 1) {
    AxisSet varying = 0;
    for (Value value : op.getValues()) {
      varying |= table.axesOf(value);
    }
    AxisSet candidates = 0;
    for (unsigned axis = 0; axis < table.numAxes(); ++axis) {
      bool isLong = table.extent(axis) >= minLaneExtent;
      candidates |= contains(set & varying, axis) && isLong ? axisBit(axis) : 0;
    }
    lane = cheapestLane(table, candidates, expr.width());
  }
  for (unsigned axis = 0; axis < table.numAxes(); ++axis) {
    if (contains(set, axis) && axis != lane) {
      axes.push_back(axis);
    }
  }
  if (lane) {
    axes.push_back(*lane);
  }
}

void FoldEmitter::prepare(OpBuilder &builder, AxisSet available) {
  DenseSet<Value> seen;
  for (Value value : op.getValues()) {
    expr.prepareIn(builder, value, available, /*guarded=*/false, seen);
  }
}

FoldEmitter::Values FoldEmitter::emit(OpBuilder &builder) {
  prepare(builder, expr.assignedAxes() & ~table.reducedBy(op));
  Values states;
  for (Value init : op.getInits()) {
    inits.push_back(expr.evaluate(builder, init));
    states.push_back(splatTo(builder, inits.back(), stateLanes()));
  }
  ++expr.reduceDepth;
  states = axes.empty() ? step(builder, Value(), /*masked=*/false, states)
                        : emitLoops(builder, 0, states);
  --expr.reduceDepth;
  return lane && !isTree() ? code.acrossLanes(builder, states) : states;
}

FoldEmitter::Values
FoldEmitter::emitFor(OpBuilder &builder, OpFoldResult end, int64_t step, const Values &states,
                     function_ref<Values(OpBuilder &, Value, const Values &)> body) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value zero = constant(0);
  Value last = getValueOrCreateConstantIndexOp(builder, loc, end);
  auto loop = scf::ForOp::create(builder, loc, zero, last, constant(step), states);
  OpBuilder inside = OpBuilder::atBlockEnd(loop.getBody());
  Values next = body(inside, loop.getInductionVar(), Values(loop.getRegionIterArgs()));
  scf::YieldOp::create(inside, loc, next);
  return Values(loop.getResults());
}

FoldEmitter::Values FoldEmitter::emitLoops(OpBuilder &builder, unsigned depth,
                                           const Values &states) {
  if (depth + 1 == axes.size()) {
    return emitInnermost(builder, states);
  }
  return emitFor(builder, extentOf(builder, axes[depth]), 1, states,
                 [&](OpBuilder &inside, Value index, const Values &carried) {
                   VectorExpr::Scope scope(expr);
                   expr.assign(axes[depth], index);
                   AxisSet fixed = expr.assignedAxes();
                   for (unsigned axis : ArrayRef(axes).drop_front(depth + 1)) {
                     fixed &= ~axisBit(axis);
                   }
                   prepare(inside, fixed);
                   return emitLoops(inside, depth + 1, carried);
                 });
}

OpFoldResult FoldEmitter::extentOf(OpBuilder &builder, unsigned axis) {
  return table.hasConstantExtent(axis) ? OpFoldResult(builder.getIndexAttr(table.extent(axis)))
                                       : expr.sizes->atLeast(0, table.sizeOf(axis));
}

FoldEmitter::Values FoldEmitter::emitSized(OpBuilder &builder, const Values &states) {
  int64_t unit = lane ? expr.width() : 1;
  Value extent = expr.sizes->atLeast(0, table.sizeOf(axes.back()));
  Value whole = expr.sizes->wholeEnd(table.sizeOf(axes.back()), unit);
  Values next = emitFor(builder, whole, unit, states,
                        [&](OpBuilder &inside, Value index, const Values &carried) {
                          return step(inside, index, /*masked=*/false, carried);
                        });
  if (unit == 1) {
    return next;
  }
  Value isRagged = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, whole, extent);
  auto branch = scf::IfOp::create(builder, loc, ValueRange(next).getTypes(), isRagged, true, true);
  OpBuilder inside = OpBuilder::atBlockEnd(branch.thenBlock());
  scf::YieldOp::create(inside, loc, step(inside, whole, /*masked=*/true, next));
  inside = OpBuilder::atBlockEnd(branch.elseBlock());
  scf::YieldOp::create(inside, loc, next);
  return Values(branch.getResults());
}

FoldEmitter::Values FoldEmitter::emitInnermost(OpBuilder &builder, const Values &states) {
  if (!table.hasConstantExtent(axes.back())) {
    return emitSized(builder, states);
  }
  int64_t extent = table.extent(axes.back());
  int64_t unit = lane ? expr.width() : 1;
  int64_t full = extent / unit * unit;
  Values next = states;
  if (full > 0 || extent == 0) {
    next = emitFor(builder, builder.getIndexAttr(full), unit, states,
                   [&](OpBuilder &inside, Value index, const Values &carried) {
                     return step(inside, index, /*masked=*/false, carried);
                   });
  }
  if (full < extent) {
    Value at = arith::ConstantIndexOp::create(builder, loc, full);
    next = step(builder, at, /*masked=*/true, next);
  }
  return next;
}

FoldEmitter::Values FoldEmitter::step(OpBuilder &builder, Value at, bool masked,
                                      const Values &states) {
  VectorExpr::Scope scope(expr);
  Value mask;
  if (lane) {
    expr.assignLanes(*lane, at);
    if (masked) {
      mask = expr.lanesBelow(builder, loc, *lane, at);
      expr.setLaneMask(mask);
    }
  } else if (at) {
    expr.assign(axes.back(), at);
  }
  int64_t lanes = lane || vectorResult ? expr.numLanes : 0;
  Values values;
  for (Value value : op.getValues()) {
    values.push_back(splatTo(builder, expr.evaluate(builder, value), lanes));
  }
  Values before = states;
  if (lane && isTree()) {
    for (auto [state, init] : llvm::zip(before, inits)) {
      state = splatTo(builder, init, lanes);
    }
  }
  Values after = code.step(builder, before, values);
  if (mask) {
    after = selectStates(builder, mask, after, before);
  }
  return lane && isTree() ? code.merge(builder, states, code.acrossLanes(builder, after)) : after;
}

/// The results of a fold that are needed in some lanes only, though they are the same in all.
SmallVector<Value> VectorExpr::foldWhereNeeded(OpBuilder &builder, FoldOp fold, Value mask) {
  Location loc = fold.getLoc();
  Value needed = vector::ReductionOp::create(builder, loc, vector::CombiningKind::OR, mask);
  auto branch = scf::IfOp::create(builder, loc, fold.getResultTypes(), needed, true, true);
  {
    Scope scope(*this);
    OpBuilder inside = OpBuilder::atBlockEnd(branch.thenBlock());
    ++branchDepth;
    scf::YieldOp::create(inside, loc, FoldEmitter(*this, fold).emit(inside));
    --branchDepth;
  }
  OpBuilder inside = OpBuilder::atBlockEnd(branch.elseBlock());
  SmallVector<Value> zeros;
  for (Type type : fold.getResultTypes()) {
    zeros.push_back(arith::ConstantOp::create(inside, loc, inside.getZeroAttr(type)));
  }
  scf::YieldOp::create(inside, loc, zeros);
  return SmallVector<Value>(branch.getResults());
}

Value VectorExpr::computeFold(OpBuilder &builder, FoldOp fold) {
  if (Value shared = reducer ? reducer(builder, fold) : Value()) {
    return shared; // the reducer has bound the other results
  }
  SmallVector<Value> results;
  Value mask = guard;
  if (style == LaneStyle::Thread || !guard || hasLanes(accessTable.axesOf(fold.getResult(0)))) {
    results = FoldEmitter(*this, fold).emit(builder);
  } else {
    guard = {};
    results = accessTable.isSafe(fold.getResult(0)) ? FoldEmitter(*this, fold).emit(builder)
                                                    : foldWhereNeeded(builder, fold, mask);
    guard = mask;
  }
  if (holder && !isConditional() && reduceDepth == 0) {
    holder->loopEnded();
  }
  for (OpResult result : llvm::drop_begin(fold->getResults())) {
    top().values[keyOf(result)] = results[result.getResultNumber()];
  }
  return results.front();
}

} // namespace zyxc

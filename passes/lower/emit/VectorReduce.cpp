// Reductions inside VectorExpr. Where the result differs between lanes, the reduced axes become
// plain loops around vector accumulators (pooling windows). Where it does not, one reduced axis
// gets the lanes: several independent accumulators, then a combination across lanes (softmax,
// norms).
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/lower/emit/LaneChoice.h"
#include "passes/lower/emit/Monoid.h"
#include "passes/lower/emit/VectorFrame.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

/// Accumulators of a long reduction: they hide the latency of an addition.
static constexpr int64_t maxCopies = 4;
/// ... whose operand has functions: those are long chains that overlap anyway, and much code.
static constexpr int64_t dearCopies = 2;
/// A reduction of scalars or window taps with at least this many points gets several accumulators.
static constexpr int64_t longLoop = 16;
/// Windows up to this many points are unrolled, so that their guards and offsets are constants.
static constexpr int64_t maxUnrolledPoints = 9;
/// ... if their operand has at most this many ops.
static constexpr int64_t maxUnrolledOps = 8;
/// Shorter rows are not worth lanes.
static constexpr int64_t minLaneExtent = 4;

class ReduceEmitter {
public:
  ReduceEmitter(VectorExpr &expr, ReduceOp op);
  Value emit(OpBuilder &builder);
  /// The results at `rows` points of `axis` from `first` on.
  SmallVector<Value> emitRows(OpBuilder &builder, unsigned axis, Value first, int64_t rows);

private:
  using Accumulators = SmallVector<Accumulator>;

  void chooseForm();
  bool isSmallWindow();
  /// Axes that reductions below the operand combine over.
  AxisSet reducedInside();
  /// Loops over axes[depth..] around the accumulators.
  Accumulators emitLoops(OpBuilder &builder, unsigned depth, const Accumulators &accumulators);
  Accumulators emitUnrolled(OpBuilder &builder, unsigned depth, Accumulators accumulators);
  Accumulators emitInnermost(OpBuilder &builder, Accumulators accumulators);
  /// The tail of a row shorter than a vector, or several vectors that do not fill all copies.
  Accumulator emitRemainder(OpBuilder &builder, int64_t first, Accumulator accumulator);
  /// scf.for over [first, end) with the accumulators carried.
  using LoopBody = function_ref<Accumulators(OpBuilder &, Value, Accumulators)>;
  Accumulators emitFor(OpBuilder &builder, int64_t first, int64_t end, int64_t step,
                       const Accumulators &initial, LoopBody body);
  Accumulators emitFor(OpBuilder &builder, Value first, Value end, int64_t step,
                       const Accumulators &initial, LoopBody body);
  /// The innermost loop for several rows, of which each has an accumulator.
  Accumulators emitInnermostOfRows(OpBuilder &builder, const Accumulators &accumulators);
  /// The innermost loop over an extent that is known at run time only.
  Accumulators emitSized(OpBuilder &builder, Accumulators accumulators);
  /// The lanes behind the whole vectors, which end at `first`.
  Accumulator emitSizedTail(OpBuilder &builder, Value first, const Accumulator &accumulator);
  /// The sum of a constant at all points.
  Value emitCount(OpBuilder &builder);
  /// One step at the coordinate `at` + `offset` of the innermost axis.
  Accumulator step(OpBuilder &builder, Value at, bool masked, Accumulator accumulator,
                   int64_t offset = 0);
  Value positionAt(OpBuilder &builder, Value at);
  int64_t lanes() const { return lane || vectorResult ? expr.numLanes : 0; }
  bool hasSecond() { return op.isArg() || nanApart; }
  Accumulator identity(OpBuilder &builder) const;
  Accumulator combine(OpBuilder &builder, const Accumulator &a, const Accumulator &point);
  /// Puts a NaN that was seen into the value.
  Accumulator settle(OpBuilder &builder, const Accumulator &a) const;

  VectorExpr &expr;
  ReduceOp op;
  Location loc;
  const AccessTable &table;
  Monoid monoid;
  bool vectorResult;            ///< the result differs between lanes
  std::optional<unsigned> lane; ///< the reduced axis that has the lanes
  SmallVector<unsigned> axes;   ///< loop order, the lane axis last
  std::optional<unsigned> rowAxis;
  Value firstRow;
  int64_t copies = 1; ///< accumulators: of parts of the loop, or one per row
  bool unroll = false;
  bool leavesLanes = false; ///< to reductions inside
  /// The maximum (or minimum) of vectors ignores NaN, which is one instruction; accumulators have a
  /// mask of lanes that saw one in the place of the position.
  bool nanApart = false;
};

/// Points of a set of axes at most.
static int64_t mostPoints(const AccessTable &table, AxisSet set) {
  for (unsigned axis = 0; axis < table.numAxes(); ++axis) {
    if (contains(set, axis) && !table.hasConstantExtent(axis)) {
      return INT64_MAX;
    }
  }
  return table.points(set);
}

ReduceEmitter::ReduceEmitter(VectorExpr &expr, ReduceOp op)
    : expr(expr), op(op), loc(op.getLoc()), table(expr.table()),
      monoid(op, mostPoints(expr.table(), expr.table().reducedBy(op))),
      vectorResult(expr.hasLanes(expr.table().axesOf(op.getResult()))) {
  chooseForm();
}

/// The number of ops below the operand, at most `maxUnrolledOps` + 1.
bool ReduceEmitter::isSmallWindow() {
  DenseSet<Operation *> seen;
  SmallVector<Value> work = {op.getValue()};
  while (!work.empty() && seen.size() <= maxUnrolledOps) {
    Operation *below = work.pop_back_val().getDefiningOp();
    if (below && seen.insert(below).second) {
      work.append(below->operand_begin(), below->operand_end());
    }
  }
  return seen.size() <= maxUnrolledOps &&
         mostPoints(table, table.reducedBy(op)) <= maxUnrolledPoints;
}

AxisSet ReduceEmitter::reducedInside() {
  AxisSet axes = 0;
  DenseSet<Operation *> seen;
  SmallVector<Value> work = {op.getValue()};
  while (!work.empty()) {
    Operation *below = work.pop_back_val().getDefiningOp();
    if (below && seen.insert(below).second) {
      axes |= table.reducedBy(below);
      work.append(below->operand_begin(), below->operand_end());
    }
  }
  return axes & ~table.reducedBy(op);
}

void ReduceEmitter::chooseForm() {
  AxisSet set = table.reducedBy(op);
  bool serial = op.getOrder() == ReduceOrder::Serial;
  if (!vectorResult && !serial && expr.style == LaneStyle::Host) {
    AxisSet candidates = 0;
    for (unsigned axis = 0; axis < table.numAxes(); ++axis) {
      if (contains(set & table.axesOf(op.getValue()), axis) &&
          table.extent(axis) >= minLaneExtent) {
        candidates |= axisBit(axis);
      }
    }
    lane = cheapestLane(table, candidates, expr.width());
    // Rows inside may be what lies together in memory: they get the lanes.
    std::optional<unsigned> inner = cheapestLane(table, reducedInside(), expr.width());
    if (lane && inner &&
        laneCost(table, *inner, expr.width()) < laneCost(table, *lane, expr.width())) {
      lane.reset();
      leavesLanes = true;
    }
  }
  for (unsigned axis = 0; axis < table.numAxes(); ++axis) {
    if (contains(set, axis) && axis != lane) {
      axes.push_back(axis);
    }
  }
  if (lane) {
    axes.push_back(*lane);
  }
  unroll = (vectorResult || expr.style == LaneStyle::Thread) && isSmallWindow();
  if (serial || axes.empty() || unroll || leavesLanes) {
    return;
  }
  int64_t extent = table.extent(axes.back());
  int64_t wanted = usesFunctions(op.getValue()) ? dearCopies : maxCopies;
  wanted = std::max<int64_t>(wanted / expr.registersPerVector, 1);
  if (auto row =
          dyn_cast_or_null<RowScheduleAttr>(op->getParentOfType<KernelOp>().getScheduleAttr());
      row && row.getFields().inflight) {
    wanted = row.getFields().inflight;
  }
  if (lane) {
    copies = std::clamp<int64_t>(extent / expr.width(), 1, wanted);
  } else if (extent >= longLoop) {
    copies = wanted;
  }
}

Accumulator ReduceEmitter::identity(OpBuilder &builder) const {
  Accumulator result = monoid.identity(builder, lanes());
  if (nanApart) {
    auto type = VectorType::get(lanes(), builder.getI1Type());
    result.position = arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, false));
  }
  return result;
}

Accumulator ReduceEmitter::combine(OpBuilder &builder, const Accumulator &a,
                                   const Accumulator &point) {
  if (!nanApart) {
    return monoid.combine(builder, a, point);
  }
  using P = arith::CmpFPredicate;
  P beyond = op.getKind() == ReduceKind::Max ? P::OGT : P::OLT;
  Value isBeyond = arith::CmpFOp::create(builder, loc, beyond, point.value, a.value);
  Value isNan = arith::CmpFOp::create(builder, loc, P::UNO, point.value, point.value);
  return {arith::SelectOp::create(builder, loc, isBeyond, point.value, a.value),
          arith::OrIOp::create(builder, loc, a.position, isNan)};
}

Accumulator ReduceEmitter::settle(OpBuilder &builder, const Accumulator &a) const {
  if (!nanApart) {
    return a;
  }
  auto type = cast<VectorType>(a.value.getType());
  const llvm::fltSemantics &semantics = cast<FloatType>(type.getElementType()).getFloatSemantics();
  Value nan = arith::ConstantOp::create(builder, loc,
                                        DenseElementsAttr::get(type, APFloat::getNaN(semantics)));
  return {arith::SelectOp::create(builder, loc, a.position, nan, a.value), Value()};
}

Value ReduceEmitter::emitCount(OpBuilder &builder) {
  Value points = expr.sizes->atLeast(0, *table.countOf(op));
  auto constant = cast<arith::ConstantOp>(op.getValue().getDefiningOp());
  points = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), points);
  Type type = op.getType();
  if (auto number = dyn_cast<FloatAttr>(constant.getValue())) {
    Type f64 = builder.getF64Type();
    Value one = arith::ConstantOp::create(builder, loc,
                                          builder.getFloatAttr(f64, number.getValueAsDouble()));
    Value sum = arith::MulFOp::create(builder, loc,
                                      arith::SIToFPOp::create(builder, loc, f64, points), one);
    return type == f64 ? sum : arith::TruncFOp::create(builder, loc, type, sum).getResult();
  }
  if (type.getIntOrFloatBitWidth() < 64) {
    points = arith::TruncIOp::create(builder, loc, type, points);
  }
  return arith::MulIOp::create(builder, loc, points, expr.evaluate(builder, op.getValue()));
}

Value ReduceEmitter::emit(OpBuilder &builder) {
  if (table.countOf(op)) {
    return emitCount(builder);
  }
  if (axes.empty() && !op.isArg()) {
    return expr.evaluate(builder, op.getValue());
  }
  DenseSet<Value> seen;
  AxisSet fixed = expr.assignedAxes() & ~table.reducedBy(op);
  expr.prepareIn(builder, op.getValue(), fixed, /*guarded=*/false, seen);
  Accumulators accumulators(copies, identity(builder));
  ++expr.reduceDepth;
  accumulators = unroll || axes.empty() ? emitUnrolled(builder, 0, accumulators)
                                        : emitLoops(builder, 0, accumulators);
  --expr.reduceDepth;
  for (Accumulator &accumulator : accumulators) {
    accumulator = settle(builder, accumulator);
  }
  for (size_t distance = 1; distance < accumulators.size(); distance *= 2) {
    for (size_t i = 0; i + distance < accumulators.size(); i += 2 * distance) {
      accumulators[i] = monoid.combine(builder, accumulators[i], accumulators[i + distance]);
    }
  }
  Accumulator total = accumulators.front();
  return monoid.finish(builder, lane ? monoid.acrossLanes(builder, total) : total);
}

ReduceEmitter::Accumulators ReduceEmitter::emitUnrolled(OpBuilder &builder, unsigned depth,
                                                        Accumulators accumulators) {
  if (depth == axes.size()) {
    int64_t position = axes.empty() ? 0 : expr.coordinate(axes.back()).offset;
    Accumulator point = {expr.evaluate(builder, op.getValue()), Value()};
    point.value = lanes() ? expr.splat(builder, point.value) : point.value;
    if (op.isArg()) {
      point.position = positionAt(builder, arith::ConstantIndexOp::create(builder, loc, position));
    }
    accumulators[0] = monoid.combine(builder, accumulators[0], point);
    return accumulators;
  }
  for (int64_t i = 0; i < table.extent(axes[depth]); ++i) {
    VectorExpr::Scope scope(expr);
    expr.assign(axes[depth], arith::ConstantIndexOp::create(builder, loc, i));
    accumulators = emitUnrolled(builder, depth + 1, accumulators);
  }
  return accumulators;
}

ReduceEmitter::Accumulators ReduceEmitter::emitFor(OpBuilder &builder, int64_t first, int64_t end,
                                                   int64_t step, const Accumulators &initial,
                                                   LoopBody body) {
  Value from = arith::ConstantIndexOp::create(builder, loc, first);
  Value to = arith::ConstantIndexOp::create(builder, loc, end);
  return emitFor(builder, from, to, step, initial, body);
}

ReduceEmitter::Accumulators ReduceEmitter::emitFor(OpBuilder &builder, Value first, Value end,
                                                   int64_t step, const Accumulators &initial,
                                                   LoopBody body) {
  SmallVector<Value> carried;
  for (const Accumulator &a : initial) {
    carried.push_back(a.value);
    if (a.position) {
      carried.push_back(a.position);
    }
  }
  auto unpack = [&](ValueRange values) {
    Accumulators result;
    for (size_t i = 0; i < values.size(); i += hasSecond() ? 2 : 1) {
      result.push_back({values[i], hasSecond() ? values[i + 1] : Value()});
    }
    return result;
  };
  Value by = arith::ConstantIndexOp::create(builder, loc, step);
  auto loop = scf::ForOp::create(builder, loc, first, end, by, carried);
  OpBuilder inside = OpBuilder::atBlockEnd(loop.getBody());
  Accumulators next = body(inside, loop.getInductionVar(), unpack(loop.getRegionIterArgs()));
  SmallVector<Value> yielded;
  for (const Accumulator &a : next) {
    yielded.push_back(a.value);
    if (a.position) {
      yielded.push_back(a.position);
    }
  }
  scf::YieldOp::create(inside, loc, yielded);
  return unpack(loop.getResults());
}

ReduceEmitter::Accumulators ReduceEmitter::emitLoops(OpBuilder &builder, unsigned depth,
                                                     const Accumulators &accumulators) {
  if (depth + 1 == axes.size()) {
    return emitInnermost(builder, accumulators);
  }
  auto body = [&](OpBuilder &inside, Value index, const Accumulators &carried) {
    VectorExpr::Scope scope(expr);
    expr.assign(axes[depth], index);
    DenseSet<Value> seen;
    AxisSet fixed = expr.assignedAxes();
    for (unsigned axis : ArrayRef(axes).drop_front(depth + 1)) {
      fixed &= ~axisBit(axis);
    }
    expr.prepareIn(inside, op.getValue(), fixed, /*guarded=*/false, seen);
    return emitLoops(inside, depth + 1, carried);
  };
  if (table.hasConstantExtent(axes[depth])) {
    return emitFor(builder, 0, table.extent(axes[depth]), 1, accumulators, body);
  }
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value extent = expr.sizes->atLeast(0, table.sizeOf(axes[depth]));
  return emitFor(builder, zero, extent, 1, accumulators, body);
}

ReduceEmitter::Accumulators ReduceEmitter::emitInnermost(OpBuilder &builder,
                                                         Accumulators accumulators) {
  if (rowAxis) {
    return emitInnermostOfRows(builder, accumulators);
  }
  if (!table.hasConstantExtent(axes.back())) {
    return emitSized(builder, accumulators);
  }
  int64_t extent = table.extent(axes.back());
  int64_t unit = lane ? expr.width() : 1;
  int64_t stride = unit * copies;
  int64_t mainEnd = extent - extent % stride;
  if (mainEnd > 0) {
    accumulators = emitFor(builder, 0, mainEnd, stride, accumulators,
                           [&](OpBuilder &inside, Value index, Accumulators carried) {
                             for (int64_t copy = 0; copy < copies; ++copy) {
                               Value by = arith::ConstantIndexOp::create(inside, loc, copy * unit);
                               Value at = inside.createOrFold<arith::AddIOp>(loc, index, by);
                               carried[copy] = step(inside, at, /*masked=*/false, carried[copy]);
                             }
                             return carried;
                           });
  }
  if (mainEnd < extent) {
    accumulators[0] = emitRemainder(builder, mainEnd, accumulators[0]);
  }
  return accumulators;
}

SmallVector<Value> ReduceEmitter::emitRows(OpBuilder &builder, unsigned axis, Value first,
                                           int64_t rows) {
  rowAxis = axis;
  firstRow = first;
  copies = rows;
  Accumulators accumulators(copies, identity(builder));
  ++expr.reduceDepth;
  accumulators = emitLoops(builder, 0, accumulators);
  --expr.reduceDepth;
  SmallVector<Value> results;
  for (const Accumulator &accumulator : accumulators) {
    results.push_back(monoid.finish(builder, settle(builder, accumulator)));
  }
  return results;
}

ReduceEmitter::Accumulators ReduceEmitter::emitInnermostOfRows(OpBuilder &builder,
                                                               const Accumulators &accumulators) {
  unsigned axis = axes.back();
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value end = table.hasConstantExtent(axis)
                  ? arith::ConstantIndexOp::create(builder, loc, table.extent(axis)).getResult()
                  : expr.sizes->atLeast(0, table.sizeOf(axis));
  return emitFor(builder, zero, end, 1, accumulators,
                 [&](OpBuilder &inside, Value index, Accumulators carried) {
                   VectorExpr::Scope scope(expr);
                   expr.assign(axis, index);
                   DenseSet<Value> seen;
                   expr.prepareIn(inside, op.getValue(), expr.assignedAxes(), /*guarded=*/false,
                                  seen);
                   for (int64_t row = 0; row < copies; ++row) {
                     VectorExpr::Scope rowScope(expr);
                     expr.assign(*rowAxis, firstRow, /*divisor=*/1, row);
                     Value value = expr.splat(inside, expr.evaluate(inside, op.getValue()));
                     carried[row] = combine(inside, carried[row], {value, Value()});
                   }
                   return carried;
                 });
}

SmallVector<Value> VectorExpr::reduceRows(OpBuilder &builder, ReduceOp reduce, unsigned axis,
                                          Value first, int64_t rows) {
  std::optional<ReduceEmitter> emitter;
  {
    Scope scope(*this);
    assign(axis, first);
    emitter.emplace(*this, reduce);
  }
  return emitter->emitRows(builder, axis, first, rows);
}

ReduceEmitter::Accumulators ReduceEmitter::emitSized(OpBuilder &builder,
                                                     Accumulators accumulators) {
  int64_t extent = table.sizeOf(axes.back());
  int64_t unit = lane ? expr.width() : 1;
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value mainEnd = expr.sizes->wholeEnd(extent, unit * copies);
  accumulators = emitFor(builder, zero, mainEnd, unit * copies, accumulators,
                         [&](OpBuilder &inside, Value index, Accumulators carried) {
                           for (int64_t copy = 0; copy < copies; ++copy) {
                             carried[copy] =
                                 step(inside, index, /*masked=*/false, carried[copy], copy * unit);
                           }
                           return carried;
                         });
  Value wholeEnd = lane ? expr.sizes->wholeEnd(extent, unit) : expr.sizes->atLeast(0, extent);
  if (copies > 1) {
    accumulators[0] = emitFor(builder, mainEnd, wholeEnd, unit, {accumulators[0]},
                              [&](OpBuilder &inside, Value index, Accumulators carried) {
                                carried[0] = step(inside, index, /*masked=*/false, carried[0]);
                                return carried;
                              })[0];
  }
  if (unit > 1) {
    accumulators[0] = emitSizedTail(builder, wholeEnd, accumulators[0]);
  }
  return accumulators;
}

Accumulator ReduceEmitter::emitSizedTail(OpBuilder &builder, Value first,
                                         const Accumulator &accumulator) {
  Value extent = expr.sizes->atLeast(0, table.sizeOf(axes.back()));
  Value isRagged = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, first, extent);
  SmallVector<Type> types = {accumulator.value.getType()};
  if (accumulator.position) {
    types.push_back(accumulator.position.getType());
  }
  auto branch = scf::IfOp::create(builder, loc, types, isRagged, true, true);
  auto yield = [&](OpBuilder &inside, const Accumulator &a) {
    scf::YieldOp::create(inside, loc,
                         a.position ? ValueRange{a.value, a.position} : ValueRange{a.value});
  };
  OpBuilder inside = OpBuilder::atBlockEnd(branch.thenBlock());
  yield(inside, step(inside, first, /*masked=*/true, accumulator));
  inside = OpBuilder::atBlockEnd(branch.elseBlock());
  yield(inside, accumulator);
  return {branch.getResult(0), accumulator.position ? branch.getResult(1) : Value()};
}

Accumulator ReduceEmitter::emitRemainder(OpBuilder &builder, int64_t first,
                                         Accumulator accumulator) {
  int64_t extent = table.extent(axes.back());
  int64_t unit = lane ? expr.width() : 1;
  bool masked = (extent - first) % unit != 0;
  if (extent - first <= unit) {
    Value at = arith::ConstantIndexOp::create(builder, loc, first);
    return step(builder, at, masked, accumulator);
  }
  Accumulators result = emitFor(builder, first, extent, unit, {accumulator},
                                [&](OpBuilder &inside, Value index, Accumulators carried) {
                                  carried[0] = step(inside, index, masked, carried[0]);
                                  return carried;
                                });
  return result[0];
}

Value ReduceEmitter::positionAt(OpBuilder &builder, Value at) {
  Type type = monoid.positionType();
  Value position = arith::IndexCastOp::create(builder, loc, type, at);
  if (!lanes()) {
    return position;
  }
  position = expr.splat(builder, position);
  if (lane) {
    SmallVector<Attribute> offsets;
    for (int64_t i = 0; i < expr.width(); ++i) {
      offsets.push_back(builder.getIntegerAttr(type, i));
    }
    auto attr = DenseElementsAttr::get(cast<VectorType>(position.getType()), offsets);
    position = arith::AddIOp::create(builder, loc, position,
                                     arith::ConstantOp::create(builder, loc, attr));
  }
  return position;
}

Accumulator ReduceEmitter::step(OpBuilder &builder, Value at, bool masked, Accumulator accumulator,
                                int64_t offset) {
  VectorExpr::Scope scope(expr);
  Value mask;
  if (lane) {
    if (offset) {
      Value by = arith::ConstantIndexOp::create(builder, loc, offset);
      at = arith::AddIOp::create(builder, loc, at, by);
    }
    expr.assignLanes(*lane, at);
    if (masked) {
      mask = expr.lanesBelow(builder, loc, *lane, at);
      expr.setLaneMask(mask);
    }
  } else {
    expr.assign(axes.back(), at, /*divisor=*/1, offset);
  }
  Accumulator point = {expr.evaluate(builder, op.getValue()), Value()};
  point.value = lanes() ? expr.splat(builder, point.value) : point.value;
  if (op.isArg()) {
    Value position = at;
    if (offset && !lane) {
      Value by = arith::ConstantIndexOp::create(builder, loc, offset);
      position = arith::AddIOp::create(builder, loc, at, by);
    }
    point.position = positionAt(builder, position);
  }
  if (mask) {
    Accumulator identity = monoid.identity(builder, lanes());
    point.value = arith::SelectOp::create(builder, loc, mask, point.value, identity.value);
    if (op.isArg()) {
      point.position =
          arith::SelectOp::create(builder, loc, mask, point.position, identity.position);
    }
  }
  return combine(builder, accumulator, point);
}

Value VectorExpr::computeReduce(OpBuilder &builder, ReduceOp reduce) {
  if (Value shared = reducer ? reducer(builder, reduce) : Value()) {
    return shared;
  }
  if (style == LaneStyle::Thread || !guard || hasLanes(accessTable.axesOf(reduce.getResult()))) {
    Value result = ReduceEmitter(*this, reduce).emit(builder);
    if (holder && !isConditional() && reduceDepth == 0) {
      holder->loopEnded();
    }
    return result;
  }
  // The guard is a mask of lanes, but the result is the same for all of them.
  Location loc = reduce.getLoc();
  Value mask = guard;
  guard = {};
  Value result;
  if (accessTable.isSafe(reduce.getValue())) {
    result = ReduceEmitter(*this, reduce).emit(builder);
  } else {
    Value needed = vector::ReductionOp::create(builder, loc, vector::CombiningKind::OR, mask);
    auto branch = scf::IfOp::create(builder, loc, reduce.getType(), needed, true, true);
    {
      Scope scope(*this);
      OpBuilder inside = OpBuilder::atBlockEnd(branch.thenBlock());
      ++branchDepth;
      scf::YieldOp::create(inside, loc, ReduceEmitter(*this, reduce).emit(inside));
      --branchDepth;
    }
    OpBuilder inside = OpBuilder::atBlockEnd(branch.elseBlock());
    Value zero = arith::ConstantOp::create(inside, loc, inside.getZeroAttr(reduce.getType()));
    scf::YieldOp::create(inside, loc, zero);
    result = branch.getResult(0);
  }
  guard = mask;
  return result;
}

} // namespace zyxc

// Reductions of TeamNest: each member combines the chunks that are its own, then its lanes, then
// the team combines its members.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/lower/emit/BoolMemory.h"
#include "passes/lower/tile/OnlineFold.h"
#include "passes/lower/tile/TeamNest.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

static SmallVector<Value> flatten(const Accumulator &accumulator) {
  SmallVector<Value> values = {accumulator.value};
  if (accumulator.position) {
    values.push_back(accumulator.position);
  }
  return values;
}

static Accumulator accumulatorOf(ValueRange values) {
  return {values[0], values.size() > 1 ? values[1] : Value()};
}

/// Combining a point twice changes nothing.
static bool isIdempotent(ReduceOp op) {
  return op.getKind() != ReduceKind::Add && op.getKind() != ReduceKind::Mul;
}

bool TeamNest::isShared(Operation *op) const {
  auto reduce = dyn_cast<ReduceOp>(op);
  auto fold = dyn_cast<FoldOp>(op);
  bool joins = reduce ? reduce.getOrder() != ReduceOrder::Serial
               : fold ? fold.getOrder() == ReduceOrder::Free
                      : isOnline(op);
  return joins && llvm::all_of(op->getResults(), [&](Value result) {
           return (table.axesOf(result) & ~plan.unitAxes) == 0;
         });
}

PointSpace TeamNest::reductionSpace(Operation *op) const {
  return spaceOf(table.reducedBy(op));
}

Monoid TeamNest::monoidOf(ReduceOp op) const {
  return Monoid(op, table.points(table.reducedBy(op)));
}

bool TeamNest::keepsLanes(Operation *op) const {
  return plan.width > 1 && plan.lane && contains(plan.unitAxes, *plan.lane) &&
         contains(table.axesOf(op->getOperand(0)), *plan.lane);
}

bool TeamNest::hasLanes(Operation *op, const PointSpace &space) const {
  return (plan.width > 1 && space.lane()) || keepsLanes(op);
}

SmallVector<Type> accumulatorTypes(const AccessTable &table, Operation *op) {
  Type type = op->getOperand(0).getType();
  if (auto expsum = dyn_cast<ExpsumOp>(op)) {
    return SmallVector<Type>(1 + expsum.getNumSums(), type);
  }
  if (isa<WelfordOp>(op)) {
    return SmallVector<Type>(3, type);
  }
  auto reduce = cast<ReduceOp>(op);
  SmallVector<Type> types = {type};
  if (reduce.isArg()) {
    types.push_back(Monoid(reduce, table.points(table.reducedBy(op))).positionType());
  }
  return types;
}

TeamNest::Values TeamNest::identity(OpBuilder &builder, Operation *op) {
  int64_t lanes = keepsLanes(op) ? plan.width : 0;
  if (isOnline(op)) {
    return OnlineFold(op).identity(builder, lanes);
  }
  return flatten(monoidOf(cast<ReduceOp>(op)).identity(builder, lanes));
}

TeamNest::Values TeamNest::combine(OpBuilder &builder, Operation *op, ValueRange a, ValueRange b) {
  if (isOnline(op)) {
    return OnlineFold(op).combine(builder, a, b);
  }
  return flatten(monoidOf(cast<ReduceOp>(op)).combine(builder, accumulatorOf(a), accumulatorOf(b)));
}

TeamNest::Values TeamNest::accumulate(OpBuilder &builder, Operation *operation,
                                      const PointSpace &space, Chunks &chunks, Values carried) {
  if (isOnline(operation)) {
    return accumulateOnline(builder, operation, space, chunks, carried);
  }
  auto op = cast<ReduceOp>(operation);
  Monoid monoid = monoidOf(op);
  bool lanes = hasLanes(op, space);
  for (Chunk &chunk : chunks) {
    Visit visit(*this, chunk);
    Accumulator point;
    point.value =
        lanes ? body.evaluateVector(builder, op.getValue()) : body.evaluate(builder, op.getValue());
    if (op.isArg()) {
      Value at = body.coordinateValue(builder, loc, op.getAxes().front());
      Type type = monoid.positionType();
      if (auto vector = dyn_cast<VectorType>(at.getType())) {
        type = VectorType::get(vector.getShape(), type);
      }
      point.position = arith::IndexCastOp::create(builder, loc, type, at);
      if (lanes && !isa<VectorType>(type)) {
        auto vector = VectorType::get({plan.width}, type);
        point.position = vector::BroadcastOp::create(builder, loc, vector, point.position);
      }
    }
    Values values = flatten(point);
    if (chunk.active && !isIdempotent(op)) {
      Value identity = monoid.identity(builder, lanes ? plan.width : 0).value;
      Value active = chunk.active;
      if (lanes) {
        auto type = VectorType::get({plan.width}, builder.getI1Type());
        active = vector::BroadcastOp::create(builder, loc, type, active);
      }
      values[0] = arith::SelectOp::create(builder, loc, active, values[0], identity);
    }
    carried = combine(builder, op, carried, values);
  }
  if (rows) {
    rows->flush(builder);
  }
  return carried;
}

TeamNest::Values TeamNest::emitPartial(OpBuilder &builder, Operation *op, Value from,
                                       int64_t maxFrom, int64_t length) {
  PointSpace space = reductionSpace(op);
  auto reduce = dyn_cast<ReduceOp>(op);
  // Online sums join lanes group by group.
  bool isByLane = reduce && hasLanes(op, space);
  Values start =
      isByLane ? flatten(monoidOf(reduce).identity(builder, plan.width)) : identity(builder, op);
  for (Value operand : op->getOperands()) {
    body.prepare(builder, operand);
  }
  Values total = sweep(builder, space, from, maxFrom, length, start,
                       [&](OpBuilder &inside, Chunks &chunks, Values carried) {
                         prefetch(inside, chunks, space, op->getOperands());
                         return accumulate(inside, op, space, chunks, std::move(carried));
                       });
  if (reduce && space.lane() && plan.width > 1) {
    total = flatten(monoidOf(reduce).acrossLanes(builder, accumulatorOf(total)));
  }
  return total;
}

TeamNest::Values TeamNest::combineMembers(OpBuilder &builder, Operation *op, ValueRange part) {
  if (isOnline(op)) {
    return OnlineFold(op).combineMembers(builder, tile, plan.team, part);
  }
  return tile.fragReduce(
      builder, plan.team, part,
      [&](OpBuilder &inside, ValueRange a, ValueRange b) { return combine(inside, op, a, b); });
}

TeamNest::Values TeamNest::finish(OpBuilder &builder, Operation *op, ValueRange total) {
  if (isOnline(op)) {
    return OnlineFold(op).finish(builder, total);
  }
  return {monoidOf(cast<ReduceOp>(op)).finish(builder, accumulatorOf(total))};
}

void TeamNest::shareResults(OpBuilder &builder, Operation *op) {
  Values part = emitPartial(builder, op, Value(), 0, reductionSpace(op).size());
  Values results = finish(builder, op, combineMembers(builder, op, part));
  for (auto [result, value] : llvm::zip(op->getResults(), results)) {
    body.bind(result, value);
  }
}

Value TeamNest::share(OpBuilder &builder, Operation *op) {
  auto known = staged.find(op);
  if (known != staged.end()) {
    auto &[space, stage] = known->second;
    return readStage(builder, space, stage, op->getResult(0).getType());
  }
  if (!atUnitLevel || !isShared(op)) {
    return {};
  }
  if (auto fold = dyn_cast<FoldOp>(op)) {
    return shareFold(builder, fold);
  }
  auto reduce = cast<ReduceOp>(op);
  Values part = emitPartial(builder, reduce, Value(), 0, reductionSpace(reduce).size());
  return finish(builder, reduce, combineMembers(builder, reduce, part)).front();
}

//===- Results in workgroup memory -----------------------------------------------------------===//

SmallVector<ReduceOp> reductionsToStage(const AccessTable &table, AxisSet unitAxes) {
  SmallVector<ReduceOp> found;
  for (auto op : table.kernel().getBlock().getOps<ReduceOp>()) {
    AxisSet own = table.axesOf(op.getResult()) & ~unitAxes;
    if (own == 0 || table.points(table.reducedBy(op)) <= 1) {
      continue;
    }
    // Who uses it, through elementwise ops.
    bool isUsedAgain = false;
    DenseSet<Operation *> seen;
    SmallVector<Operation *> work(op->user_begin(), op->user_end());
    while (!work.empty() && !isUsedAgain) {
      Operation *user = work.pop_back_val();
      if (!seen.insert(user).second) {
        continue;
      }
      if (auto store = dyn_cast<StoreOp>(user)) {
        isUsedAgain = (table.domainOf(store) & ~unitAxes) != own;
      } else if (isa<ReduceOp, FoldOp>(user)) {
        isUsedAgain = true;
      } else {
        work.append(user->user_begin(), user->user_end());
      }
    }
    if (isUsedAgain) {
      found.push_back(op);
    }
  }
  return found;
}

void TeamNest::stageResult(OpBuilder &builder, ReduceOp op) {
  PointSpace space = spaceOf(table.axesOf(op.getResult()) & ~plan.unitAxes);
  Type type = op.getType();
  Stage stage = tile.stageAlloc(builder, storedType(type), space.points());
  auto strides = space.strides();
  body.prepare(builder, op.getValue());
  sweep(builder, space, Value(), 0, space.size(), {},
        [&](OpBuilder &inside, Chunks &chunks, Values) {
          for (Chunk &chunk : chunks) {
            Visit visit(*this, chunk);
            Value value = body.evaluate(inside, op.getResult());
            Value place = constant(inside, 0);
            for (auto [axis, stride] : strides) {
              Value at = body.coordinateValue(inside, loc, axis);
              if (isa<VectorType>(at.getType())) {
                at = vector::ExtractOp::create(inside, loc, at, 0);
              }
              at = inside.createOrFold<arith::MulIOp>(loc, at, constant(inside, stride));
              place = inside.createOrFold<arith::AddIOp>(loc, place, at);
            }
            // A chunk behind the last one has the value of the last one: stored twice.
            auto vector = dyn_cast<VectorType>(value.getType());
            for (int64_t lane = 0; lane < (space.lane() ? plan.width : 1); ++lane) {
              Value one =
                  vector ? vector::ExtractOp::create(inside, loc, value, lane).getResult() : value;
              Value at = inside.createOrFold<arith::AddIOp>(loc, place, constant(inside, lane));
              memref::StoreOp::create(inside, loc, toStored(inside, loc, one), stage, at);
            }
          }
          return Values();
        });
  tile.barrier(builder);
  staged.insert({op, {space, stage}});
}

Value TeamNest::readStage(OpBuilder &builder, const PointSpace &space, Stage stage, Type type) {
  SmallVector<Value> lanes;
  bool isVector = false;
  SmallVector<Value> coordinates;
  for (auto [axis, stride] : space.strides()) {
    coordinates.push_back(body.coordinateValue(builder, loc, axis));
    isVector |= isa<VectorType>(coordinates.back().getType());
  }
  for (int64_t lane = 0; lane < (isVector ? plan.width : 1); ++lane) {
    Value place = constant(builder, 0);
    for (auto [coordinate, digit] : llvm::zip(coordinates, space.strides())) {
      Value at = isa<VectorType>(coordinate.getType())
                     ? vector::ExtractOp::create(builder, loc, coordinate, lane).getResult()
                     : coordinate;
      at = builder.createOrFold<arith::MulIOp>(loc, at, constant(builder, digit.second));
      place = builder.createOrFold<arith::AddIOp>(loc, place, at);
    }
    Value one = memref::LoadOp::create(builder, loc, stage, place);
    lanes.push_back(fromStored(builder, loc, one, type));
  }
  return isVector ? vector::FromElementsOp::create(builder, loc,
                                                   VectorType::get({plan.width}, type), lanes)
                        .getResult()
                  : lanes.front();
}

} // namespace zyxc

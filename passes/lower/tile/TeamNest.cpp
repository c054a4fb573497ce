// Units, chunks and stores. Reductions are in TeamReduce.cpp.
#include "passes/lower/tile/TeamNest.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/lower/emit/LaneChoice.h"
#include "passes/lower/tile/OnlineFold.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

TeamNest::TeamNest(Tile &tile, const AccessTable &table, ArrayRef<Value> ports,
                   const TeamPlan &plan)
    : tile(tile), table(table), plan(plan), body(table, ports, plan.width, LaneStyle::Thread),
      loc(table.kernel().getLoc()), unitSpace(table, plan.unitAxes, unitLane(), plan.width) {
  body.setReducer([this](OpBuilder &builder, Operation *op) { return share(builder, op); });
  int64_t bytes = 0;
  for (ReduceOp op : reductionsToStage(table, plan.unitAxes)) {
    int64_t size = llvm::divideCeil(op.getType().getIntOrFloatBitWidth(), 8);
    int64_t points = table.points(table.axesOf(op.getResult()) & ~plan.unitAxes);
    if (points <= (plan.stageBytes - bytes) / size) {
      bytes += points * size;
      toStage.insert(op);
    }
  }
  if (!plan.rows.empty()) {
    PointSpace space = spaceOf(plan.rows.axes);
    int64_t chunks = llvm::alignTo(space.size(), plan.team.size);
    rows.emplace(tile, this->plan.rows, plan.team, chunks, space.lane() ? plan.width : 1);
    body.setHolder(&*rows);
  }
}

TeamNest::Visit::Visit(TeamNest &nest, Chunk &chunk) : nest(nest), scope(nest.body, chunk.scope) {
  if (nest.rows) {
    nest.rows->setChunk(chunk.place);
  }
}

TeamNest::Visit::~Visit() {
  if (nest.rows) {
    nest.rows->setChunk({});
  }
}

Value TeamNest::constant(OpBuilder &builder, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value TeamNest::both(OpBuilder &builder, Value a, Value b) {
  if (!a || !b) {
    return a ? a : b;
  }
  return builder.createOrFold<arith::AndIOp>(loc, a, b);
}

PointSpace TeamNest::spaceOf(AxisSet axes) const {
  if (plan.lane && contains(axes, *plan.lane)) {
    return PointSpace(table, axes, plan.lane, plan.width);
  }
  std::optional<unsigned> lane;
  if (plan.width > 1 && (!plan.lane || !contains(plan.unitAxes, *plan.lane))) {
    AxisSet even = 0;
    for (unsigned axis = 0; axis < table.numAxes(); ++axis) {
      even |= table.extent(axis) % plan.width == 0 ? axisBit(axis) : 0;
    }
    lane = cheapestLane(table, axes & even, plan.width);
  }
  return PointSpace(table, axes, lane, plan.width);
}

//===- Chunks --------------------------------------------------------------------------------===//

TeamNest::Chunks TeamNest::open(OpBuilder &builder, const PointSpace &space, Value first,
                                int64_t maxFirst, int64_t stride, int64_t count) {
  Chunks chunks(count);
  for (int64_t i = 0; i < count; ++i) {
    Value at = builder.createOrFold<arith::AddIOp>(loc, first, constant(builder, i * stride));
    chunks[i].place = at;
    if (maxFirst + i * stride >= space.size()) {
      // A chunk behind the last one reads the last one again, and stores nothing.
      Value last = constant(builder, space.size() - 1);
      chunks[i].active = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule, at, last);
      at = arith::MinUIOp::create(builder, loc, at, last);
    }
    VectorExpr::Scope scope(body, chunks[i].scope);
    space.assign(builder, body, at);
  }
  return chunks;
}

TeamNest::Chunks *TeamNest::heldChunks(OpBuilder &builder, const PointSpace &space) {
  int64_t size = plan.team.size;
  int64_t count = llvm::divideCeil(space.size(), size);
  int64_t elements = space.lane() ? plan.width : 1;
  if (!atUnitLevel || count > plan.held / elements) {
    return nullptr;
  }
  auto [at, isNew] = held.try_emplace(space);
  if (isNew) {
    Value member = tile.member(builder, plan.team);
    at->second = open(builder, space, member, size - 1, size, count);
  }
  return &at->second;
}

TeamNest::Values TeamNest::sweep(OpBuilder &builder, const PointSpace &space, Value from,
                                 int64_t maxFrom, int64_t length, Values carried, Step step) {
  bool stagesRows = rows && !from && atUnitLevel && space.axes() == plan.rows.axes;
  if (rows) {
    rows->beginSweep(stagesRows);
  }
  if (length == 0 || space.size() == 0) {
    return carried;
  }
  if (!from && !stagesRows) {
    if (Chunks *chunks = heldChunks(builder, space)) {
      return step(builder, *chunks, std::move(carried));
    }
  }
  int64_t size = plan.team.size;
  int64_t group = size * plan.inflight;
  Value start = tile.member(builder, plan.team);
  if (from) {
    start = arith::AddIOp::create(builder, loc, from, start);
  }
  bool wasAtUnitLevel = atUnitLevel;
  atUnitLevel = false;
  int64_t full = length / group;
  if (full > 0) {
    auto loop = scf::ForOp::create(builder, loc, constant(builder, 0), constant(builder, full),
                                   constant(builder, 1), carried);
    OpBuilder inside = loop.getBody()->mightHaveTerminator()
                           ? OpBuilder(loop.getBody()->getTerminator())
                           : OpBuilder::atBlockEnd(loop.getBody());
    Value offset =
        arith::MulIOp::create(inside, loc, loop.getInductionVar(), constant(inside, group));
    Value first = arith::AddIOp::create(inside, loc, start, offset);
    Chunks chunks =
        open(inside, space, first, maxFrom + (full - 1) * group + size - 1, size, plan.inflight);
    Values next = step(inside, chunks, Values(loop.getRegionIterArgs()));
    if (!carried.empty()) {
      scf::YieldOp::create(inside, loc, next);
    }
    carried = Values(loop.getResults());
  }
  int64_t rest = length - full * group;
  if (rest > 0) {
    assert((!from || full == 0) && "parts of a split are whole groups");
    Value first = builder.createOrFold<arith::AddIOp>(loc, start, constant(builder, full * group));
    Chunks chunks = open(builder, space, first, maxFrom + full * group + size - 1, size,
                         llvm::divideCeil(rest, size));
    carried = step(builder, chunks, std::move(carried));
  }
  atUnitLevel = wasAtUnitLevel;
  if (rows) {
    rows->endSweep();
  }
  return carried;
}

/// Loads, and what `isThere` says is in memory, that `roots` need outside of reductions, in program
/// order.
static SmallVector<Operation *> loadsBelow(ValueRange roots, Block &block,
                                           function_ref<bool(Value)> isThere) {
  DenseSet<Operation *> seen;
  SmallVector<Value> work(roots);
  while (!work.empty()) {
    Value value = work.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (op && !isCombining(op) && seen.insert(op).second && !isThere(value)) {
      work.append(op->operand_begin(), op->operand_end());
    }
  }
  SmallVector<Operation *> loads;
  for (Operation &op : block) {
    if (seen.contains(&op) && (isa<LoadOp>(op) || isThere(op.getResult(0)))) {
      loads.push_back(&op);
    }
  }
  return loads;
}

void TeamNest::prefetch(OpBuilder &builder, Chunks &chunks, const PointSpace &space,
                        ValueRange roots) {
  auto isThere = [&](Value value) {
    return rows && rows->isThere(value);
  };
  for (Operation *op : loadsBelow(roots, table.kernel().getBlock(), isThere)) {
    Value load = op->getResult(0);
    AxisSet axes = table.axesOf(load);
    if (!table.isSafe(load) || (axes & space.axes()) == 0) {
      continue;
    }
    for (Chunk &chunk : chunks) {
      Visit visit(*this, chunk);
      if ((axes & ~body.assignedAxes()) == 0) {
        body.evaluate(builder, load);
      }
    }
  }
  if (rows) {
    rows->flush(builder);
  }
}

//===- Stores --------------------------------------------------------------------------------===//

/// True if different points of `axes` have different values of a linear expression.
static bool isInjective(const AccessTable &table, AffineExpr expr, AxisSet axes) {
  SmallVector<std::pair<int64_t, int64_t>> strides;
  for (unsigned axis = 0; axis < table.numAxes(); ++axis) {
    if (!contains(axes, axis)) {
      continue;
    }
    auto factors = factorsOf(expr, axis, axis);
    if (!factors || factors->first == 0) {
      return false;
    }
    strides.push_back({std::abs(factors->first), table.extent(axis)});
  }
  llvm::sort(strides);
  int64_t reach = 0;
  for (auto [stride, extent] : strides) {
    if (stride <= reach) {
      return false;
    }
    reach += stride * (extent - 1);
  }
  return true;
}

AxisSet serialAxes(const AccessTable &table, StoreOp store) {
  if (store.getCombine() == Combine::None) {
    return 0;
  }
  const Access &access = table.accessOf(store);
  AxisSet domain = table.domainOf(store);
  AxisSet serial = domain & ~access.axes;
  for (Value coord : store.getCoords()) {
    serial |= table.axesOf(coord);
  }
  return isInjective(table, access.linear, domain & ~serial) ? serial : domain;
}

void TeamNest::storeOver(OpBuilder &builder, StoreOp store, AxisSet rest) {
  VectorExpr::Scope scope(body);
  if (rest == 0) {
    body.emitStore(builder, store);
    return;
  }
  auto axis = static_cast<unsigned>(llvm::countr_zero(rest));
  auto loop = scf::ForOp::create(builder, loc, constant(builder, 0),
                                 constant(builder, table.extent(axis)), constant(builder, 1));
  OpBuilder inside = OpBuilder::atBlockBegin(loop.getBody());
  body.assign(axis, loop.getInductionVar());
  storeOver(inside, store, rest & ~axisBit(axis));
}

void TeamNest::storeChunks(OpBuilder &builder, ArrayRef<StoreOp> stores, Chunks &chunks,
                           Value active) {
  bool wasAtUnitLevel = std::exchange(atUnitLevel, false);
  for (Chunk &chunk : chunks) {
    Visit visit(*this, chunk);
    for (StoreOp store : stores) {
      if (serialAxes(table, store) == 0) {
        body.evaluate(builder, store.getValue());
      }
    }
  }
  if (rows) {
    rows->flush(builder);
  }
  for (Chunk &chunk : chunks) {
    Visit visit(*this, chunk);
    auto storeAll = [&](OpBuilder &inside) {
      for (StoreOp store : stores) {
        storeOver(inside, store, serialAxes(table, store));
      }
    };
    if (Value condition = both(builder, active, chunk.active)) {
      tile.role(builder, condition, storeAll);
    } else {
      storeAll(builder);
    }
  }
  atUnitLevel = wasAtUnitLevel;
}

SmallVector<Value> valuesOf(ArrayRef<StoreOp> stores) {
  SmallVector<Value> values;
  for (StoreOp store : stores) {
    values.push_back(store.getValue());
    values.append(store.getCoords().begin(), store.getCoords().end());
  }
  return values;
}

void TeamNest::emitGroup(OpBuilder &builder, const StoreGroup &group, Value active) {
  AxisSet serial = group.serial;
  ArrayRef<StoreOp> stores = group.stores;
  AxisSet rest = group.domain & ~plan.unitAxes & ~serial;
  if (rest == 0) {
    Chunks here(1);
    if (plan.team.size > 1) {
      Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                            tile.member(builder, plan.team), constant(builder, 0));
      active = both(builder, active, isFirst);
    }
    storeChunks(builder, stores, here, active);
    return;
  }
  PointSpace space = spaceOf(rest);
  SmallVector<Value> values = valuesOf(stores);
  for (Value value : serial == 0 ? values : SmallVector<Value>()) {
    body.prepare(builder, value);
  }
  sweep(builder, space, Value(), 0, space.size(), {},
        [&](OpBuilder &inside, Chunks &chunks, Values) {
          if (serial == 0) {
            prefetch(inside, chunks, space, values);
          }
          storeChunks(inside, stores, chunks, active);
          return Values();
        });
}

std::vector<StoreGroup> storeGroups(const AccessTable &table) {
  // A store that combines stands alone: its serial axes are its own.
  llvm::MapVector<std::pair<AxisSet, unsigned>, StoreGroup> groups;
  unsigned number = 0;
  for (auto store : table.kernel().getBlock().getOps<StoreOp>()) {
    ++number;
    AxisSet domain = table.domainOf(store), serial = serialAxes(table, store);
    StoreGroup &group = groups[{domain, serial ? number : 0}];
    group.domain = domain;
    group.serial |= serial;
    group.stores.push_back(store);
  }
  std::vector<StoreGroup> result;
  for (auto &[key, group] : groups) {
    result.push_back(std::move(group));
  }
  return result;
}

void TeamNest::emitStores(OpBuilder &builder, Value active) {
  for (const StoreGroup &group : storeGroups(table)) {
    emitGroup(builder, group, active);
  }
}

void TeamNest::emitPoints(OpBuilder &builder, ArrayRef<StoreOp> stores, Value first,
                          int64_t maxFirst, int64_t stride, int64_t count) {
  AxisSet serial = 0;
  for (StoreOp store : stores) {
    serial |= serialAxes(table, store);
  }
  PointSpace space = spaceOf(table.domainOf(stores.front()) & ~serial);
  Chunks chunks = open(builder, space, first, maxFirst, stride, count);
  if (serial == 0) {
    prefetch(builder, chunks, space, valuesOf(stores));
  }
  storeChunks(builder, stores, chunks, Value());
}

void TeamNest::emitUnit(OpBuilder &builder, Value unit, Value active) {
  VectorExpr::Scope scope(body);
  unitSpace.assign(builder, body, unit);
  atUnitLevel = true;
  held.clear();
  for (Operation &op : table.kernel().getBlock()) {
    if (isShared(&op)) {
      isOnline(&op) ? shareResults(builder, &op) : void(body.evaluate(builder, op.getResult(0)));
    } else if (toStage.contains(&op)) {
      stageResult(builder, cast<ReduceOp>(op));
    }
  }
  emitStores(builder, active);
  held.clear();
  atUnitLevel = false;
}

} // namespace zyxc

#include "passes/lower/gpu/TeamLaunch.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/lower/emit/BoolMemory.h"
#include "passes/lower/gpu/ThreadShape.h"
#include "passes/lower/tile/OnlineFold.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

/// Parts that one thread joins.
static constexpr int64_t partsPerThread = 16;
/// Threads of a workgroup that joins parts: few, so that more multiprocessors take part.
static constexpr int64_t joinThreads = 64;
static constexpr int64_t scratchAlignment = 256;

void TeamLaunch::split(int64_t chunks, int64_t wanted) {
  int64_t group = plan.team.size * plan.inflight;
  int64_t most = std::max<int64_t>(chunks / group, 1);
  int64_t even = llvm::divideCeil(chunks, std::clamp<int64_t>(wanted, 1, most));
  length = llvm::alignTo(std::max<int64_t>(even, 1), group);
  parts = std::max<int64_t>(llvm::divideCeil(chunks, length), 1);
}

static SmallVector<Operation *> sharedReductions(const AccessTable &table, AxisSet unitAxes) {
  SmallVector<Operation *> reductions;
  for (Operation &op : table.kernel().getBlock()) {
    auto reduce = dyn_cast<ReduceOp>(op);
    bool isFree = reduce ? reduce.getOrder() != ReduceOrder::Serial : isOnline(&op);
    if (isFree && (table.axesOf(op.getResult(0)) & ~unitAxes) == 0) {
      reductions.push_back(&op);
    }
  }
  return reductions;
}

static bool needsReduction(Value value) {
  DenseSet<Operation *> seen;
  SmallVector<Value> work = {value};
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (!op || !seen.insert(op).second) {
      continue;
    }
    if (isCombining(op)) {
      return true;
    }
    work.append(op->operand_begin(), op->operand_end());
  }
  return false;
}

bool canSplit(const AccessTable &table, AxisSet unitAxes) {
  Block &block = table.kernel().getBlock();
  SmallVector<Operation *> reductions = sharedReductions(table, unitAxes);
  if (reductions.empty() || !block.getOps<FoldOp>().empty() ||
      !llvm::all_of(block.getOps<StoreOp>(), [&](StoreOp store) {
        return table.domainOf(store) == unitAxes && serialAxes(table, store) == 0;
      })) {
    return false;
  }
  AxisSet reduced = table.reducedBy(reductions.front());
  return reduced != 0 && llvm::all_of(reductions, [&](Operation *op) {
           return table.reducedBy(op) == reduced &&
                  llvm::none_of(op->getOperands(), needsReduction);
         });
}

namespace {

class TeamLowering {
public:
  TeamLowering(const AccessTable &table, const Target &target, const TeamLaunch &launch)
      : table(table), target(target), launch(launch), loc(table.kernel().getLoc()),
        units(PointSpace(table, launch.plan.unitAxes, unitLane(), launch.plan.width).size()),
        reductions(sharedReductions(table, launch.plan.unitAxes)) {}

  void lower();

private:
  /// One value of an accumulator in scratch memory.
  struct Slot {
    Operation *op;
    Type type; ///< scalar or vector
    int64_t offset = 0;
  };

  std::optional<unsigned> unitLane() const {
    bool inside = launch.plan.lane && contains(launch.plan.unitAxes, *launch.plan.lane);
    return inside ? launch.plan.lane : std::nullopt;
  }
  int64_t layoutScratch();
  void emitWhole(GpuModule &module);
  void emitParts(GpuModule &module);
  void emitJoin(GpuModule &module);
  /// The unit of this thread's team in tile `tile`, and whether it exists.
  std::pair<Value, Value> unitOf(OpBuilder &builder, SimtTile &simt, const TeamLaunch &shape,
                                 Value tile, Value active);
  /// The memory of a slot, and this unit's place in it for a part.
  Value memoryOf(OpBuilder &builder, const GpuLaunch &gpu, const Slot &slot);
  Value placeOf(OpBuilder &builder, const Slot &slot, Value part, Value unit);
  TeamNest::Values joinParts(OpBuilder &builder, TeamNest &nest, const GpuLaunch &gpu,
                             ArrayRef<Slot> slots, Value member, int64_t members, Value unit);
  Value constant(OpBuilder &builder, int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }

  const AccessTable &table;
  const Target &target;
  TeamLaunch launch;
  Location loc;
  int64_t units;
  SmallVector<Operation *> reductions;
  SmallVector<SmallVector<Slot>> slots; ///< per reduction
};

} // namespace

/// Every value of every accumulator gets an array [parts][units].
int64_t TeamLowering::layoutScratch() {
  int64_t bytes = 0;
  for (Operation *op : reductions) {
    bool lanes = unitLane() && launch.plan.width > 1 &&
                 contains(table.axesOf(op->getOperand(0)), *unitLane());
    SmallVector<Slot> mine;
    for (Type type : accumulatorTypes(table, op)) {
      int64_t size = llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
      int64_t count = lanes ? launch.plan.width : 1;
      mine.push_back({op, lanes ? Type(VectorType::get({count}, type)) : type, bytes});
      bytes = llvm::alignTo(bytes + size * count * launch.parts * units, scratchAlignment);
    }
    slots.push_back(mine);
  }
  return bytes;
}

std::pair<Value, Value> TeamLowering::unitOf(OpBuilder &builder, SimtTile &simt,
                                             const TeamLaunch &shape, Value tile, Value active) {
  int64_t perBlock = shape.unitsPerWorkgroup();
  Value unit = builder.createOrFold<arith::MulIOp>(loc, tile, constant(builder, perBlock));
  unit = builder.createOrFold<arith::AddIOp>(loc, unit, simt.teamIndex(builder, shape.plan.team));
  if (units % perBlock != 0) {
    Value last = constant(builder, units - 1);
    Value exists = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule, unit, last);
    unit = arith::MinUIOp::create(builder, loc, unit, last);
    active = active ? arith::AndIOp::create(builder, loc, active, exists).getResult() : exists;
  }
  return {unit, active};
}

void TeamLowering::emitWhole(GpuModule &module) {
  int64_t tiles = llvm::divideCeil(units, launch.unitsPerWorkgroup());
  GpuLaunch gpu = module.addLaunch(tiles, launch.threads);
  if (tiles == 0) {
    return;
  }
  SimtTile simt(gpu, target, loc);
  TeamNest nest(simt, table, gpu.ports, launch.plan);
  OpBuilder start = gpu.atEnd();
  simt.tileLoop(start, tiles, [&](OpBuilder &builder, Value tile, Value active) {
    auto [unit, exists] = unitOf(builder, simt, launch, tile, active);
    nest.emitUnit(builder, unit, exists);
  });
}

Value TeamLowering::memoryOf(OpBuilder &builder, const GpuLaunch &gpu, const Slot &slot) {
  Type element = getElementTypeOrSelf(slot.type);
  auto vector = dyn_cast<VectorType>(slot.type);
  int64_t elements = launch.parts * units * (vector ? vector.getNumElements() : 1);
  auto type = MemRefType::get({elements}, storedType(element), MemRefLayoutAttrInterface(),
                              globalSpace(builder.getContext()));
  return memref::ViewOp::create(builder, loc, type, gpu.scratch, constant(builder, slot.offset),
                                ValueRange());
}

Value TeamLowering::placeOf(OpBuilder &builder, const Slot &slot, Value part, Value unit) {
  Value row = builder.createOrFold<arith::MulIOp>(loc, part, constant(builder, units));
  Value place = builder.createOrFold<arith::AddIOp>(loc, row, unit);
  auto vector = dyn_cast<VectorType>(slot.type);
  return vector ? builder.createOrFold<arith::MulIOp>(loc, place,
                                                      constant(builder, vector.getNumElements()))
                : place;
}

static llvm::MaybeAlign alignmentOf(VectorType vector) {
  int64_t bytes = vector.getNumElements() * vector.getElementTypeBitWidth() / 8;
  return llvm::MaybeAlign(static_cast<uint64_t>(std::min<int64_t>(bytes, 16)));
}

void TeamLowering::emitParts(GpuModule &module) {
  int64_t tiles = llvm::divideCeil(units, launch.unitsPerWorkgroup());
  GpuLaunch gpu = module.addLaunch(tiles * launch.parts, launch.threads);
  SimtTile simt(gpu, target, loc);
  TeamNest nest(simt, table, gpu.ports, launch.plan);
  OpBuilder start = gpu.atEnd();
  simt.tileLoop(start, tiles * launch.parts, [&](OpBuilder &builder, Value index, Value active) {
    auto [part, tile] = splitIndex(builder, loc, index, tiles, tiles * launch.parts);
    auto [unit, exists] = unitOf(builder, simt, launch, tile, active);
    VectorExpr::Scope scope(nest.expr());
    nest.units().assign(builder, nest.expr(), unit);
    Value from = arith::MulIOp::create(builder, loc, part, constant(builder, launch.length));
    Value condition =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                              simt.member(builder, launch.plan.team), constant(builder, 0));
    if (exists) {
      condition = arith::AndIOp::create(builder, loc, condition, exists);
    }
    for (auto [op, mine] : llvm::zip(reductions, slots)) {
      TeamNest::Values total =
          nest.emitPartial(builder, op, from, (launch.parts - 1) * launch.length, launch.length);
      total = nest.combineMembers(builder, op, total);
      simt.role(builder, condition, [&, part = part, unit = unit](OpBuilder &inside) {
        for (auto [value, slot] : llvm::zip(total, mine)) {
          Value memory = memoryOf(inside, gpu, slot);
          Value place = placeOf(inside, slot, part, unit);
          Value stored = toStored(inside, loc, value);
          if (auto vector = dyn_cast<VectorType>(stored.getType())) {
            vector::StoreOp::create(inside, loc, stored, memory, place, false, alignmentOf(vector));
          } else {
            memref::StoreOp::create(inside, loc, stored, memory, place);
          }
        }
      });
    }
  });
}

TeamNest::Values TeamLowering::joinParts(OpBuilder &builder, TeamNest &nest, const GpuLaunch &gpu,
                                         ArrayRef<Slot> mine, Value member, int64_t members,
                                         Value unit) {
  Operation *op = mine.front().op;
  SmallVector<Value> memory;
  for (const Slot &slot : mine) {
    memory.push_back(memoryOf(builder, gpu, slot));
  }
  TeamNest::Values total;
  for (int64_t first = 0; first < launch.parts; first += members) {
    Value part = builder.createOrFold<arith::AddIOp>(loc, member, constant(builder, first));
    Value exists;
    if (first + members > launch.parts) {
      Value last = constant(builder, launch.parts - 1);
      exists = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule, part, last);
      part = arith::MinUIOp::create(builder, loc, part, last);
    }
    TeamNest::Values next;
    for (auto [slot, from] : llvm::zip(mine, memory)) {
      Value place = placeOf(builder, slot, part, unit);
      Value loaded;
      if (auto vector = dyn_cast<VectorType>(storedType(slot.type))) {
        loaded =
            vector::LoadOp::create(builder, loc, vector, from, place, false, alignmentOf(vector));
      } else {
        loaded = memref::LoadOp::create(builder, loc, from, place);
      }
      next.push_back(fromStored(builder, loc, loaded, slot.type));
    }
    if (exists) {
      TeamNest::Values identity = nest.identity(builder, op);
      for (auto [value, none] : llvm::zip(next, identity)) {
        Value condition = exists;
        if (auto vector = dyn_cast<VectorType>(value.getType())) {
          auto type = VectorType::get(vector.getShape(), builder.getI1Type());
          condition = vector::BroadcastOp::create(builder, loc, type, exists);
        }
        value = arith::SelectOp::create(builder, loc, condition, value, none);
      }
    }
    total = total.empty() ? next : nest.combine(builder, op, total, next);
  }
  return total;
}

void TeamLowering::emitJoin(GpuModule &module) {
  TeamLaunch join = launch;
  join.plan.team = {powerOfTwo(llvm::divideCeil(launch.parts, partsPerThread),
                               std::min<int64_t>(target.maxThreads, 1024)),
                    1};
  join.threads = std::max(join.plan.team.size, joinThreads);
  int64_t tiles = llvm::divideCeil(units, join.unitsPerWorkgroup());
  GpuLaunch gpu = module.addLaunch(tiles, join.threads);
  SimtTile simt(gpu, target, loc);
  TeamNest nest(simt, table, gpu.ports, join.plan);
  OpBuilder start = gpu.atEnd();
  simt.tileLoop(start, tiles, [&](OpBuilder &builder, Value tile, Value active) {
    auto [unit, exists] = unitOf(builder, simt, join, tile, active);
    VectorExpr::Scope scope(nest.expr());
    nest.units().assign(builder, nest.expr(), unit);
    Value member = simt.member(builder, join.plan.team);
    for (auto [op, mine] : llvm::zip(reductions, slots)) {
      TeamNest::Values total =
          joinParts(builder, nest, gpu, mine, member, join.plan.team.size, unit);
      total = nest.combineMembers(builder, op, total);
      for (auto [result, value] : llvm::zip(op->getResults(), nest.finish(builder, op, total))) {
        nest.expr().bind(result, value);
      }
    }
    nest.emitStores(builder, exists);
  });
}

void TeamLowering::lower() {
  bool split = launch.parts > 1 && units > 0;
  GpuModule module(table.kernel(), target, split ? layoutScratch() : 0);
  if (split) {
    emitParts(module);
    emitJoin(module);
  } else {
    emitWhole(module);
  }
  table.kernel().erase();
}

void emitTeams(const AccessTable &table, const Target &target, const TeamLaunch &launch) {
  TeamLowering(table, target, launch).lower();
}

} // namespace zyxc

// The scan family: a team of threads runs along the axis in tiles. Each thread has neighbouring
// elements, the team scans their totals, and what came before the tile is carried from tile to
// tile.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/lower/emit/Monoid.h"
#include "passes/lower/gpu/GpuFamilies.h"
#include "passes/lower/gpu/ThreadShape.h"
#include "passes/lower/tile/PointSpace.h"
#include "passes/lower/tile/SimtTile.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

namespace {

/// Threads and lanes of a scan.
struct ScanPlan {
  unsigned axis = 0;
  int64_t width = 1;
  Team team;
  int64_t threads = defaultThreads;
  AxisSet unitAxes = 0;
};

class ScanLowering {
public:
  ScanLowering(const AccessTable &table, const Target &target, const ScanPlan &plan, GpuLaunch &gpu)
      : plan(plan), target(target), loc(table.kernel().getLoc()), tile(gpu, target, loc),
        body(table, gpu.ports, plan.width, LaneStyle::Thread),
        units(table, plan.unitAxes, std::nullopt, 1),
        chunks(table, axisBit(plan.axis), plan.axis, plan.width),
        scans(table.kernel().getBlock().getOps<ScanOp>()),
        stores(table.kernel().getBlock().getOps<StoreOp>()) {}

  void emit(int64_t tiles);

private:
  using Values = SmallVector<Value>;

  void emitUnit(OpBuilder &builder, Value unit, Value active);
  /// One tile from chunk `first` on; what comes after it.
  Values emitTile(OpBuilder &builder, Value first, Value active, ValueRange carried);
  /// Combines a thread's elements in the order of the scan; the last one is all of them.
  Values scanLanes(OpBuilder &builder, const Monoid &monoid, Value value, bool reverse);
  Value scanValue(OpBuilder &builder, ScanOp scan, Value exists, Value &carried);
  Value combine(OpBuilder &builder, const Monoid &monoid, Value a, Value b) {
    return monoid.combine(builder, {a, Value()}, {b, Value()}).value;
  }
  Value constant(OpBuilder &builder, int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }

  const ScanPlan &plan;
  const Target &target;
  Location loc;
  SimtTile tile;
  VectorExpr body;
  PointSpace units, chunks;
  SmallVector<ScanOp> scans;
  SmallVector<StoreOp> stores;
};

} // namespace

SmallVector<Value> ScanLowering::scanLanes(OpBuilder &builder, const Monoid &monoid, Value value,
                                           bool reverse) {
  Values running;
  for (int64_t i = 0; i < plan.width; ++i) {
    int64_t lane = reverse ? plan.width - 1 - i : i;
    Value one = isa<VectorType>(value.getType())
                    ? vector::ExtractOp::create(builder, loc, value, lane).getResult()
                    : value;
    running.push_back(i == 0 ? one : combine(builder, monoid, running.back(), one));
  }
  return running;
}

Value ScanLowering::scanValue(OpBuilder &builder, ScanOp scan, Value exists, Value &carried) {
  Monoid monoid(scan);
  Value value = body.evaluateVector(builder, scan.getValue());
  Value identity = monoid.identity(builder, 0).value;
  Values running = scanLanes(builder, monoid, value, scan.getReverse());
  Value mine =
      exists ? arith::SelectOp::create(builder, loc, exists, running.back(), identity).getResult()
             : running.back();
  auto [before, all] = tile.fragScan(builder, plan.team, mine, identity,
                                     [&](OpBuilder &inside, ValueRange a, ValueRange b) {
                                       return Values{combine(inside, monoid, a[0], b[0])};
                                     });
  Value prefix = combine(builder, monoid, carried, before[0]);
  carried = combine(builder, monoid, carried, all[0]);
  Values lanes(plan.width);
  for (int64_t i = 0; i < plan.width; ++i) {
    int64_t lane = scan.getReverse() ? plan.width - 1 - i : i;
    if (!scan.getExclusive()) {
      lanes[lane] = combine(builder, monoid, prefix, running[i]);
    } else {
      lanes[lane] = i == 0 ? prefix : combine(builder, monoid, prefix, running[i - 1]);
    }
  }
  return plan.width == 1 ? lanes[0]
                         : vector::FromElementsOp::create(
                               builder, loc, VectorType::get({plan.width}, scan.getType()), lanes)
                               .getResult();
}

SmallVector<Value> ScanLowering::emitTile(OpBuilder &builder, Value first, Value active,
                                          ValueRange carried) {
  Value at = arith::AddIOp::create(builder, loc, first, tile.member(builder, plan.team));
  Value exists;
  if (chunks.size() % plan.team.size != 0) {
    Value last = constant(builder, chunks.size() - 1);
    exists = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule, at, last);
    at = arith::MinUIOp::create(builder, loc, at, last);
  }
  if (scans.front().getReverse()) {
    at = arith::SubIOp::create(builder, loc, constant(builder, chunks.size() - 1), at);
  }
  VectorExpr::Scope scope(body);
  chunks.assign(builder, body, at);
  Values next(carried);
  for (auto [scan, value] : llvm::zip(scans, next)) {
    body.bind(scan.getResult(), scanValue(builder, scan, exists, value));
  }
  for (StoreOp store : stores) {
    body.evaluate(builder, store.getValue());
  }
  auto storeAll = [&](OpBuilder &inside) {
    VectorExpr::Scope inner(body);
    for (StoreOp store : stores) {
      body.emitStore(inside, store);
    }
  };
  if (exists && active) {
    exists = arith::AndIOp::create(builder, loc, exists, active);
  }
  if (Value condition = exists ? exists : active) {
    tile.role(builder, condition, storeAll);
  } else {
    storeAll(builder);
  }
  return next;
}

void ScanLowering::emitUnit(OpBuilder &builder, Value unit, Value active) {
  VectorExpr::Scope scope(body);
  units.assign(builder, body, unit);
  Values carried;
  for (ScanOp scan : scans) {
    body.prepare(builder, scan.getValue());
    carried.push_back(Monoid(scan).identity(builder, 0).value);
  }
  int64_t size = plan.team.size;
  if (chunks.size() <= size) {
    emitTile(builder, constant(builder, 0), active, carried);
    return;
  }
  auto loop =
      scf::ForOp::create(builder, loc, constant(builder, 0), constant(builder, chunks.size()),
                         constant(builder, size), carried);
  OpBuilder inside = OpBuilder::atBlockBegin(loop.getBody());
  Values next = emitTile(inside, loop.getInductionVar(), active, loop.getRegionIterArgs());
  if (size > target.subgroupSize) {
    tile.barrier(inside); // the next tile's totals take the same memory
  }
  scf::YieldOp::create(inside, loc, next);
}

void ScanLowering::emit(int64_t tiles) {
  OpBuilder start = tile.atEnd();
  int64_t perBlock = plan.threads / plan.team.size;
  tile.tileLoop(start, tiles, [&](OpBuilder &builder, Value index, Value active) {
    Value unit = arith::MulIOp::create(builder, loc, index, constant(builder, perBlock));
    unit = arith::AddIOp::create(builder, loc, unit, tile.teamIndex(builder, plan.team));
    if (units.size() % perBlock != 0) {
      Value last = constant(builder, units.size() - 1);
      Value exists = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule, unit, last);
      unit = arith::MinUIOp::create(builder, loc, unit, last);
      active = active ? arith::AndIOp::create(builder, loc, active, exists).getResult() : exists;
    }
    emitUnit(builder, unit, active);
  });
}

//===- Planning ------------------------------------------------------------------------------===//

LogicalResult checkScan(const AccessTable &table) {
  Block &block = table.kernel().getBlock();
  ScanOp first = *block.getOps<ScanOp>().begin();
  for (ScanOp scan : block.getOps<ScanOp>()) {
    if (scan.getAxis() != first.getAxis() || scan.getReverse() != first.getReverse()) {
      return scan.emitOpError() << "cannot be lowered: all scans of a kernel run along one axis in "
                                   "one direction; split the kernel";
    }
  }
  auto axis = static_cast<unsigned>(first.getAxis());
  AxisSet domain = table.domainOf(*block.getOps<StoreOp>().begin());
  bool unit = table.extent(axis) == 1;
  for (StoreOp store : block.getOps<StoreOp>()) {
    bool plain = store.getCombine() == Combine::None;
    if (!plain || table.domainOf(store) != domain || (!unit && !contains(domain, axis))) {
      return store.emitOpError()
             << "cannot be lowered: beside a scan, all stores run over the same "
                "axes, the scanned one among them; split the kernel";
    }
  }
  for (auto reduce : block.getOps<ReduceOp>()) {
    return reduce.emitOpError() << "cannot be lowered beside a scan; split the kernel";
  }
  return success();
}

void lowerGpuScan(AccessTable &table, const Target &target) {
  ScanFields fields;
  if (auto schedule = dyn_cast_or_null<ScanScheduleAttr>(table.kernel().getScheduleAttr())) {
    fields = schedule.getFields();
  }
  table.mergeAxes();
  Block &block = table.kernel().getBlock();
  ScanPlan plan;
  plan.axis = (*block.getOps<ScanOp>().begin()).getAxis();
  int64_t lanes = fields.vec ? fields.vec : fields.items;
  plan.width = laneWidth(table, plan.axis, target, lanes);
  plan.unitAxes = table.domainOf(*block.getOps<StoreOp>().begin()) & ~axisBit(plan.axis);
  int64_t most =
      std::min<int64_t>(target.maxThreads, fields.threads ? fields.threads : defaultThreads);
  most = llvm::bit_floor(static_cast<uint64_t>(most));
  int64_t chunks = PointSpace(table, axisBit(plan.axis), plan.axis, plan.width).size();
  int64_t units = PointSpace(table, plan.unitAxes, std::nullopt, 1).size();
  plan.team.size = powerOfTwo(chunks, most);
  plan.threads = most;
  int64_t perBlock = plan.threads / plan.team.size;
  int64_t tiles = chunks == 0 ? 0 : llvm::divideCeil(units, perBlock);
  GpuModule module(table.kernel(), target);
  GpuLaunch gpu = module.addLaunch(tiles, plan.threads);
  if (tiles > 0) {
    ScanLowering(table, target, plan, gpu).emit(tiles);
  }
  table.kernel().erase();
}

} // namespace zyxc

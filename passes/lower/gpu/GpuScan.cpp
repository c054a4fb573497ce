// The scan family: a team of threads runs along the axis in tiles. Each thread has neighbouring
// elements, the team scans their totals, and what came before the tile is carried from tile to
// tile.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
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

/// Tiles that a part has at least, and workgroups of a multiprocessor that parts should give.
static constexpr int64_t minTilesOfPart = 4;
static constexpr int64_t workgroupsPerMultiprocessor = 4;
static constexpr int64_t scratchAlignment = 256;

namespace {

/// Threads, lanes and parts of a scan.
struct ScanPlan {
  unsigned axis = 0;
  int64_t width = 1;
  Team team;
  int64_t threads = defaultThreads;
  AxisSet unitAxes = 0;
  int64_t parts = 1;
  int64_t length = 0; ///< chunks of a part, whole tiles
};

class ScanLowering {
public:
  ScanLowering(const AccessTable &table, const Target &target, const ScanPlan &plan, GpuLaunch &gpu)
      : plan(plan), target(target), gpu(gpu), loc(table.kernel().getLoc()), tile(gpu, target, loc),
        body(table, gpu.ports, plan.width, LaneStyle::Thread),
        units(table, plan.unitAxes, std::nullopt, 1),
        chunks(table, axisBit(plan.axis), plan.axis, plan.width),
        scans(table.kernel().getBlock().getOps<ScanOp>()),
        stores(table.kernel().getBlock().getOps<StoreOp>()) {}

  /// The scans, of whole rows or of parts.
  void emit();
  /// The totals of all parts.
  void emitTotals();
  /// Workgroups of a launch.
  static int64_t tilesOf(const ScanPlan &plan, int64_t units) {
    return llvm::divideCeil(units, plan.threads / plan.team.size) * plan.parts;
  }
  static int64_t scratchBytes(const AccessTable &table, const ScanPlan &plan, int64_t units);

private:
  using Values = SmallVector<Value>;
  using UnitBody = function_ref<void(OpBuilder &, Value unit, Value part, Value active)>;

  /// Every unit, or every part of one.
  void forUnits(UnitBody body);
  void emitUnit(OpBuilder &builder, Value unit, Value part, Value active);
  /// The loop over the tiles of a row or of a part.
  Values forTiles(OpBuilder &builder, Value part, Values carried,
                  function_ref<Values(OpBuilder &, Value first, ValueRange carried)> body);
  /// Assigns this thread's chunk of a tile in the innermost scope; whether it exists (null: yes).
  Value assignChunk(OpBuilder &builder, Value first);
  Value total(OpBuilder &builder, ScanOp scan, Value mine);
  /// What all parts before this one give.
  Value before(OpBuilder &builder, size_t scan, Value unit, Value part);
  Value totalsOf(OpBuilder &builder, size_t scan);
  Value placeOf(OpBuilder &builder, Value unit, Value part);
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
  GpuLaunch &gpu;
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

Value ScanLowering::assignChunk(OpBuilder &builder, Value first) {
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
  chunks.assign(builder, body, at);
  return exists;
}

SmallVector<Value> ScanLowering::emitTile(OpBuilder &builder, Value first, Value active,
                                          ValueRange carried) {
  VectorExpr::Scope scope(body);
  Value exists = assignChunk(builder, first);
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

SmallVector<Value>
ScanLowering::forTiles(OpBuilder &builder, Value part, Values carried,
                       function_ref<Values(OpBuilder &, Value, ValueRange)> tileBody) {
  int64_t size = plan.team.size;
  Value from = constant(builder, 0);
  Value end = constant(builder, chunks.size());
  if (plan.parts > 1) {
    Value length = constant(builder, plan.length);
    from = arith::MulIOp::create(builder, loc, part, length);
    end = arith::MinUIOp::create(builder, loc, end,
                                 arith::AddIOp::create(builder, loc, from, length));
  } else if (chunks.size() <= size) {
    return tileBody(builder, from, carried);
  }
  auto loop = scf::ForOp::create(builder, loc, from, end, constant(builder, size), carried);
  OpBuilder inside = OpBuilder::atBlockBegin(loop.getBody());
  Values next = tileBody(inside, loop.getInductionVar(), loop.getRegionIterArgs());
  scf::YieldOp::create(inside, loc, next);
  return Values(loop.getResults());
}

void ScanLowering::emitUnit(OpBuilder &builder, Value unit, Value part, Value active) {
  VectorExpr::Scope scope(body);
  units.assign(builder, body, unit);
  Values carried;
  for (auto [number, scan] : llvm::enumerate(scans)) {
    body.prepare(builder, scan.getValue());
    carried.push_back(plan.parts > 1 ? before(builder, number, unit, part)
                                     : Monoid(scan).identity(builder, 0).value);
  }
  forTiles(builder, part, carried, [&](OpBuilder &inside, Value first, ValueRange values) {
    Values next = emitTile(inside, first, active, values);
    if (plan.team.size > target.subgroupSize) {
      tile.barrier(inside); // the next tile's totals take the same memory
    }
    return next;
  });
}

void ScanLowering::forUnits(UnitBody unitBody) {
  OpBuilder start = tile.atEnd();
  int64_t perBlock = plan.threads / plan.team.size;
  int64_t tiles = tilesOf(plan, units.size());
  tile.tileLoop(start, tiles, [&](OpBuilder &builder, Value index, Value active) {
    auto [group, part] = plan.parts > 1 ? splitIndex(builder, loc, index, plan.parts, tiles)
                                        : std::pair(index, Value());
    Value unit = arith::MulIOp::create(builder, loc, group, constant(builder, perBlock));
    unit = arith::AddIOp::create(builder, loc, unit, tile.teamIndex(builder, plan.team));
    if (units.size() % perBlock != 0) {
      Value last = constant(builder, units.size() - 1);
      Value exists = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule, unit, last);
      unit = arith::MinUIOp::create(builder, loc, unit, last);
      active = active ? arith::AndIOp::create(builder, loc, active, exists).getResult() : exists;
    }
    unitBody(builder, unit, part, active);
  });
}

void ScanLowering::emit() {
  forUnits([&](OpBuilder &builder, Value unit, Value part, Value active) {
    emitUnit(builder, unit, part, active);
  });
}

//===- Parts ---------------------------------------------------------------------------------===//

int64_t ScanLowering::scratchBytes(const AccessTable &table, const ScanPlan &plan, int64_t units) {
  int64_t bytes = 0;
  for (auto scan : table.kernel().getBlock().getOps<ScanOp>()) {
    int64_t size = llvm::divideCeil(scan.getType().getIntOrFloatBitWidth(), 8);
    bytes += llvm::alignTo(size * units * plan.parts, scratchAlignment);
  }
  return bytes;
}

Value ScanLowering::totalsOf(OpBuilder &builder, size_t number) {
  int64_t offset = 0;
  for (size_t i = 0; i < number; ++i) {
    int64_t size = llvm::divideCeil(scans[i].getType().getIntOrFloatBitWidth(), 8);
    offset += llvm::alignTo(size * units.size() * plan.parts, scratchAlignment);
  }
  auto type = MemRefType::get({units.size() * plan.parts}, scans[number].getType(),
                              MemRefLayoutAttrInterface(), globalSpace(builder.getContext()));
  return memref::ViewOp::create(builder, loc, type, gpu.scratch, constant(builder, offset),
                                ValueRange());
}

Value ScanLowering::placeOf(OpBuilder &builder, Value unit, Value part) {
  Value row = arith::MulIOp::create(builder, loc, unit, constant(builder, plan.parts));
  return arith::AddIOp::create(builder, loc, row, part);
}

Value ScanLowering::total(OpBuilder &builder, ScanOp scan, Value mine) {
  Monoid monoid(scan);
  return tile
      .fragReduce(builder, plan.team, mine,
                  [&](OpBuilder &inside, ValueRange a, ValueRange b) {
                    return Values{combine(inside, monoid, a[0], b[0])};
                  })
      .front();
}

Value ScanLowering::before(OpBuilder &builder, size_t number, Value unit, Value part) {
  ScanOp scan = scans[number];
  Monoid monoid(scan);
  Value identity = monoid.identity(builder, 0).value;
  Value totals = totalsOf(builder, number);
  Value sum = identity;
  for (int64_t first = 0; first < plan.parts; first += plan.team.size) {
    Value other = arith::AddIOp::create(builder, loc, tile.member(builder, plan.team),
                                        constant(builder, first));
    Value counts = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, other, part);
    Value at = arith::SelectOp::create(builder, loc, counts, other, constant(builder, 0));
    Value value = memref::LoadOp::create(builder, loc, totals, placeOf(builder, unit, at));
    value = arith::SelectOp::create(builder, loc, counts, value, identity);
    sum = combine(builder, monoid, sum, value);
  }
  return total(builder, scan, sum);
}

void ScanLowering::emitTotals() {
  forUnits([&](OpBuilder &builder, Value unit, Value part, Value active) {
    VectorExpr::Scope scope(body);
    units.assign(builder, body, unit);
    Values carried;
    for (ScanOp scan : scans) {
      body.prepare(builder, scan.getValue());
      carried.push_back(Monoid(scan).identity(builder, 0).value);
    }
    Values sums =
        forTiles(builder, part, carried, [&](OpBuilder &inside, Value first, ValueRange values) {
          VectorExpr::Scope chunk(body);
          Value exists = assignChunk(inside, first);
          Values next;
          for (auto [scan, sum] : llvm::zip(scans, values)) {
            Monoid monoid(scan);
            Value value = body.evaluateVector(inside, scan.getValue());
            Value mine = scanLanes(inside, monoid, value, /*reverse=*/false).back();
            Value joined = combine(inside, monoid, sum, mine);
            next.push_back(
                exists ? arith::SelectOp::create(inside, loc, exists, joined, sum).getResult()
                       : joined);
          }
          return next;
        });
    Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                          tile.member(builder, plan.team), constant(builder, 0));
    if (active) {
      isFirst = arith::AndIOp::create(builder, loc, isFirst, active);
    }
    for (auto [number, scan] : llvm::enumerate(scans)) {
      Value sum = total(builder, scan, sums[number]);
      tile.role(builder, isFirst, [&, number = number](OpBuilder &inside) {
        memref::StoreOp::create(inside, loc, sum, totalsOf(inside, number),
                                placeOf(inside, unit, part));
      });
    }
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
  for (Operation &op : block) {
    if (isa<ReduceOp, FoldOp>(op)) {
      return op.emitOpError() << "cannot be lowered beside a scan; split the kernel";
    }
  }
  return success();
}

/// Parts for rows that are few and long, if no scan needs another one.
static void chooseParts(const AccessTable &table, const Target &target, ScanPlan &plan,
                        int64_t chunks, int64_t units) {
  DenseSet<Operation *> seen;
  for (auto scan : table.kernel().getBlock().getOps<ScanOp>()) {
    SmallVector<Value> work = {scan.getValue()};
    while (!work.empty()) {
      Operation *below = work.pop_back_val().getDefiningOp();
      if (below && isa<ScanOp>(below)) {
        return;
      }
      if (below && seen.insert(below).second) {
        work.append(below->operand_begin(), below->operand_end());
      }
    }
  }
  int64_t tiles = llvm::divideCeil(chunks, plan.team.size);
  int64_t wanted =
      workgroupsPerMultiprocessor * target.multiprocessors / std::max<int64_t>(units, 1);
  int64_t parts = std::min(wanted, tiles / minTilesOfPart);
  if (parts > 1 && plan.threads == plan.team.size) {
    plan.length = llvm::divideCeil(tiles, parts) * plan.team.size;
    plan.parts = llvm::divideCeil(chunks, plan.length);
  }
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
  chooseParts(table, target, plan, chunks, units);
  bool isEmpty = chunks == 0 || units == 0;
  GpuModule module(table.kernel(), target,
                   plan.parts > 1 ? ScanLowering::scratchBytes(table, plan, units) : 0);
  int64_t tiles = isEmpty ? 0 : ScanLowering::tilesOf(plan, units);
  if (plan.parts > 1 && tiles > 0) {
    GpuLaunch totals = module.addLaunch(tiles, plan.threads);
    ScanLowering(table, target, plan, totals).emitTotals();
  }
  GpuLaunch gpu = module.addLaunch(tiles, plan.threads);
  if (tiles > 0) {
    ScanLowering(table, target, plan, gpu).emit();
  }
  table.kernel().erase();
}

} // namespace zyxc

// The map family: a thread handles `elements` points, in vectors along the innermost stored axis,
// neighbouring threads neighbouring vectors. All loads of a thread come before its first use.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/lower/gpu/GpuFamilies.h"
#include "passes/lower/gpu/ThreadShape.h"
#include "passes/lower/tile/SimtTile.h"
#include "passes/lower/tile/TeamNest.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

/// Vectors that a thread loads before it uses one: 64 bytes a thread fill the memory system.
static constexpr int64_t vectorsInFlight = 4;
/// Workgroups of a multiprocessor, below which a thread gets fewer vectors.
static constexpr int64_t workgroupsWanted = 8;

namespace {

/// One launch: the stores over one domain.
struct MapLaunch {
  SmallVector<StoreOp> stores;
  AxisSet axes = 0;             ///< of the parallel points
  std::optional<unsigned> lane; ///< of a vector
  int64_t width = 1;
  int64_t chunks = 0; ///< vectors, or points
  int64_t tail = 0;   ///< elements behind the last vector, of the only axis
  int64_t perThread = 1;
  int64_t threads = defaultThreads;

  int64_t perWorkgroup() const { return threads * perThread; }
  int64_t workgroups() const {
    return std::max<int64_t>(llvm::divideCeil(chunks, perWorkgroup()), tail ? 1 : 0);
  }
};

class MapLowering {
public:
  MapLowering(const AccessTable &table, const Target &target)
      : table(table), target(target), loc(table.kernel().getLoc()), module(table.kernel(), target) {
    if (auto schedule = dyn_cast_or_null<MapScheduleAttr>(this->table.kernel().getScheduleAttr())) {
      fields = schedule.getFields();
    }
  }

  void lower();

private:
  void plan(MapLaunch &launch);
  void choosePerThread(MapLaunch &launch);
  void emit(const MapLaunch &launch);
  void emitTail(OpBuilder &builder, SimtTile &tile, GpuLaunch &gpu, const MapLaunch &launch);

  const AccessTable &table;
  const Target &target;
  Location loc;
  GpuModule module;
  MapFields fields;
};

} // namespace

void MapLowering::plan(MapLaunch &launch) {
  AxisSet lanes = launch.axes;
  for (StoreOp store : launch.stores) {
    for (Value coord : store.getCoords()) {
      lanes &= ~table.axesOf(coord); // scattered along these
    }
  }
  std::tie(launch.lane, launch.width) = chooseLanes(table, lanes, target, fields.vec);
  if (launch.lane && launch.axes == axisBit(*launch.lane)) {
    launch.width = laneWidth(table, *launch.lane, target, fields.vec, /*ragged=*/true);
    launch.tail = table.extent(*launch.lane) % launch.width;
  }
  launch.chunks = PointSpace(table, launch.axes, launch.lane, launch.width).size();
  launch.threads =
      std::min<int64_t>(fields.threads ? fields.threads : defaultThreads, target.maxThreads);
  choosePerThread(launch);
}

void MapLowering::choosePerThread(MapLaunch &launch) {
  if (fields.elements) {
    launch.perThread = std::max<int64_t>(fields.elements / launch.width, 1);
    return;
  }
  if (fields.tile) {
    launch.perThread = std::max<int64_t>(fields.tile / launch.width / launch.threads, 1);
    return;
  }
  bool reduces = llvm::any_of(table.kernel().getBlock(),
                              [](Operation &op) { return isa<ReduceOp, FoldOp>(op); });
  int64_t loads = launch.lane ? loadsAlong(table, *launch.lane) : 1;
  launch.perThread =
      reduces ? 1 : std::max<int64_t>(vectorsInFlight / std::max<int64_t>(loads, 1), 1);
  int64_t wanted = workgroupsWanted * target.multiprocessors;
  while (launch.perThread > 1 &&
         llvm::divideCeil(launch.chunks, launch.perWorkgroup()) < static_cast<uint64_t>(wanted)) {
    launch.perThread /= 2;
  }
}

void MapLowering::emitTail(OpBuilder &builder, SimtTile &tile, GpuLaunch &gpu,
                           const MapLaunch &launch) {
  // The last workgroup's first threads take one element each.
  Value last = arith::ConstantIndexOp::create(builder, loc, launch.workgroups() - 1);
  Value count = arith::ConstantIndexOp::create(builder, loc, launch.tail);
  Value thread = tile.thread(builder);
  Value isLast = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       blockIndex(builder, loc, gpu), last);
  Value isTail = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, thread, count);
  Value condition = arith::AndIOp::create(builder, loc, isLast, isTail);
  tile.role(builder, condition, [&](OpBuilder &inside) {
    TeamPlan scalar;
    scalar.lane = launch.lane;
    TeamNest nest(tile, table, gpu.ports, scalar);
    int64_t extent = table.extent(*launch.lane);
    Value from = arith::ConstantIndexOp::create(inside, loc, extent - launch.tail);
    Value at = arith::AddIOp::create(inside, loc, thread, from);
    nest.emitPoints(inside, launch.stores, at, extent - 1, 1, 1);
  });
}

void MapLowering::emit(const MapLaunch &launch) {
  GpuLaunch gpu = module.addLaunch(launch.workgroups(), launch.threads);
  if (launch.workgroups() == 0) {
    return;
  }
  SimtTile tile(gpu, target, loc);
  TeamPlan plan;
  plan.width = launch.width;
  plan.lane = launch.lane;
  OpBuilder builder = gpu.atEnd();
  Value block = blockIndex(builder, loc, gpu);
  Value perBlock = arith::ConstantIndexOp::create(builder, loc, launch.perWorkgroup());
  Value first = arith::MulIOp::create(builder, loc, block, perBlock);
  first = arith::AddIOp::create(builder, loc, first, tile.thread(builder));
  if (launch.chunks > 0) {
    TeamNest nest(tile, table, gpu.ports, plan);
    int64_t blocks = gpu.grid[0] * gpu.grid[1];
    int64_t maxFirst = (blocks - 1) * launch.perWorkgroup() + launch.threads - 1;
    nest.emitPoints(builder, launch.stores, first, maxFirst, launch.threads, launch.perThread);
  }
  if (launch.tail > 0) {
    emitTail(builder, tile, gpu, launch);
  }
}

void MapLowering::lower() {
  // Stores that combine stand alone.
  llvm::MapVector<std::pair<AxisSet, unsigned>, MapLaunch> launches;
  unsigned number = 0;
  for (auto store : table.kernel().getBlock().getOps<StoreOp>()) {
    AxisSet serial = serialAxes(table, store);
    ++number;
    MapLaunch &launch = launches[{table.domainOf(store), serial ? number : 0}];
    launch.axes = table.domainOf(store) & ~serial;
    launch.stores.push_back(store);
  }
  for (auto &[key, launch] : launches) {
    plan(launch);
    emit(launch);
  }
  table.kernel().erase();
}

void lowerGpuMap(AccessTable &table, const Target &target) {
  auto schedule = dyn_cast_or_null<MapScheduleAttr>(table.kernel().getScheduleAttr());
  if (!schedule || schedule.getFields().flatten) {
    table.mergeAxes();
  }
  MapLowering(table, target).lower();
}

} // namespace zyxc

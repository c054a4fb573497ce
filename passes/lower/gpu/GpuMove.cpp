// The move family: a body that loads along one axis and stores along another one. A workgroup
// copies a tile of each such load to workgroup memory, in vectors along the load's axis, and reads
// it back along the store's axis. Everything else of the body is evaluated as in the map family.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/lower/gpu/GpuFamilies.h"
#include "passes/lower/gpu/ThreadShape.h"
#include "passes/lower/tile/PointSpace.h"
#include "passes/lower/tile/SimtTile.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

/// Side of a tile in elements, and what it becomes where memory is short.
static constexpr int64_t defaultSide = 64;
static constexpr int64_t smallSide = 32;
/// Bytes of workgroup memory that all tiles of a workgroup may take, so that several fit.
static constexpr int64_t maxTileBytes = 32768;
/// Vectors of one staged load in flight per thread.
static constexpr int64_t vectorsInFlight = 4;
/// Shorter axes are not worth a tile.
static constexpr int64_t minExtent = 8;
/// Lanes of a subgroup that read along the store's axis; the others take the next rows, so that
/// together they meet every bank once.
static constexpr int64_t readersAcross = 8;

namespace {

struct MovePlan {
  unsigned storeAxis = 0, loadAxis = 0;
  SmallVector<Value> staged;                    ///< results of loads
  int64_t side[2] = {defaultSide, defaultSide}; ///< along the store's and the load's axis
  int64_t storeWidth = 1, loadWidth = 1;
  int64_t threads = defaultThreads;
};

class MoveLowering {
public:
  MoveLowering(const AccessTable &table, const Target &target, const MovePlan &plan, GpuLaunch &gpu)
      : table(table), plan(plan), loc(table.kernel().getLoc()), tile(gpu, target, loc),
        fill(table, gpu.ports, plan.loadWidth, LaneStyle::Thread),
        body(table, gpu.ports, plan.storeWidth, LaneStyle::Thread) {}

  /// Axes of the domain that number tiles from outside.
  static AxisSet outerAxes(const AccessTable &table, const MovePlan &plan);
  static int64_t tilesAlong(const AccessTable &table, unsigned axis, int64_t side) {
    return llvm::divideCeil(table.extent(axis), side);
  }
  void emit(int64_t tiles);

private:
  struct Chunk {
    VectorExpr::Held scope;
    Value active;
    Value row, column; ///< in the tile, along the store's and the load's axis
  };

  void emitTile(OpBuilder &builder, Value index, Value active);
  /// Loads all vectors of this thread, then leaves them in the stages.
  void fillStages(OpBuilder &builder, Value storeFirst, Value loadFirst, ArrayRef<Stage> stages,
                  function_ref<void()> afterLoads);
  std::vector<Chunk> openChunks(OpBuilder &builder, Value storeFirst, Value loadFirst);
  Value readStage(OpBuilder &builder, Stage stage, const Chunk &chunk, Type element);
  /// The place of element (row, column) of a tile: granules of a row change places so that a column
  /// is spread over the banks.
  Value placeOf(OpBuilder &builder, Value row, Value column);
  /// first + inside, moved back so that `width` elements stay inside of the axis.
  Value inside(OpBuilder &builder, unsigned axis, Value first, Value inTile, int64_t width,
               int64_t side);
  void store(OpBuilder &builder, std::vector<Chunk> &chunks);
  Value constant(OpBuilder &builder, int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value add(OpBuilder &builder, Value a, Value b) {
    return builder.createOrFold<arith::AddIOp>(loc, a, b);
  }
  Value mul(OpBuilder &builder, Value a, int64_t b) {
    return builder.createOrFold<arith::MulIOp>(loc, a, constant(builder, b));
  }

  const AccessTable &table;
  const MovePlan &plan;
  Location loc;
  SimtTile tile;
  VectorExpr fill; ///< of the staged loads
  VectorExpr body; ///< of everything else
};

} // namespace

AxisSet MoveLowering::outerAxes(const AccessTable &table, const MovePlan &plan) {
  auto first = *table.kernel().getBlock().getOps<StoreOp>().begin();
  return table.domainOf(first) & ~axisBit(plan.storeAxis) & ~axisBit(plan.loadAxis);
}

Value MoveLowering::placeOf(OpBuilder &builder, Value row, Value column) {
  int64_t pitch = plan.side[1];
  auto [granule, rest] = splitIndex(builder, loc, column, plan.loadWidth, pitch);
  auto turn = splitIndex(builder, loc, row, plan.storeWidth, plan.side[0]).first;
  turn = splitIndex(builder, loc, turn, pitch / plan.loadWidth, plan.side[0]).second;
  Value moved = arith::XOrIOp::create(builder, loc, granule, turn);
  Value start = add(builder, mul(builder, row, pitch), mul(builder, moved, plan.loadWidth));
  return plan.loadWidth == 1 ? start : add(builder, start, rest);
}

Value MoveLowering::inside(OpBuilder &builder, unsigned axis, Value first, Value inTile,
                           int64_t width, int64_t side) {
  Value at = add(builder, first, inTile);
  int64_t extent = table.extent(axis);
  return extent % side == 0
             ? at
             : arith::MinUIOp::create(builder, loc, at, constant(builder, extent - width))
                   .getResult();
}

void MoveLowering::fillStages(OpBuilder &builder, Value storeFirst, Value loadFirst,
                              ArrayRef<Stage> stages, function_ref<void()> afterLoads) {
  int64_t across = plan.side[1] / plan.loadWidth;
  int64_t vectors = across * plan.side[0];
  SmallVector<std::tuple<Stage, Value, Value>> pending; // stage, place, value
  for (int64_t first = 0; first < vectors; first += plan.threads) {
    Value number = add(builder, tile.thread(builder), constant(builder, first));
    auto [row, vector] = splitIndex(builder, loc, number, across, vectors);
    Value column = mul(builder, vector, plan.loadWidth);
    Value place = placeOf(builder, row, column);
    VectorExpr::Scope scope(fill);
    fill.assign(plan.storeAxis, inside(builder, plan.storeAxis, storeFirst, row, 1, plan.side[0]));
    fill.assignLanes(
        plan.loadAxis,
        inside(builder, plan.loadAxis, loadFirst, column, plan.loadWidth, plan.side[1]), 1,
        plan.loadWidth);
    for (auto [load, stage] : llvm::zip(plan.staged, stages)) {
      pending.push_back({stage, place, fill.evaluateVector(builder, load)});
    }
  }
  afterLoads();
  for (auto &[stage, place, value] : pending) {
    auto vector = dyn_cast<VectorType>(value.getType());
    if (!vector) {
      memref::StoreOp::create(builder, loc, value, stage, place);
      continue;
    }
    int64_t bytes = vector.getNumElements() * vector.getElementTypeBitWidth() / 8;
    vector::StoreOp::create(builder, loc, value, stage, place, false,
                            llvm::MaybeAlign(static_cast<uint64_t>(std::min<int64_t>(bytes, 16))));
  }
}

std::vector<MoveLowering::Chunk> MoveLowering::openChunks(OpBuilder &builder, Value storeFirst,
                                                          Value loadFirst) {
  int64_t across = plan.side[0] / plan.storeWidth;
  int64_t near = std::min(across, readersAcross);
  int64_t count = across * plan.side[1];
  std::vector<Chunk> chunks;
  for (int64_t first = 0; first < count; first += plan.threads) {
    Value number = add(builder, tile.thread(builder), constant(builder, first));
    auto [rest, low] = splitIndex(builder, loc, number, near, count);
    auto [high, column] = splitIndex(builder, loc, rest, plan.side[1], count / near);
    Chunk &chunk = chunks.emplace_back();
    chunk.row = mul(builder, add(builder, mul(builder, high, near), low), plan.storeWidth);
    chunk.column = column;
    for (auto [axis, at, origin, side] :
         {std::tuple(plan.storeAxis, chunk.row, storeFirst, plan.side[0]),
          std::tuple(plan.loadAxis, column, loadFirst, plan.side[1])}) {
      int64_t extent = table.extent(axis);
      if (extent % side == 0) {
        continue;
      }
      Value exists = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                           add(builder, origin, at), constant(builder, extent));
      chunk.active = chunk.active
                         ? arith::AndIOp::create(builder, loc, chunk.active, exists).getResult()
                         : exists;
    }
    VectorExpr::Scope scope(body, chunk.scope);
    body.assignLanes(
        plan.storeAxis,
        inside(builder, plan.storeAxis, storeFirst, chunk.row, plan.storeWidth, plan.side[0]), 1,
        plan.storeWidth);
    body.assign(plan.loadAxis, inside(builder, plan.loadAxis, loadFirst, column, 1, plan.side[1]));
  }
  return chunks;
}

Value MoveLowering::readStage(OpBuilder &builder, Stage stage, const Chunk &chunk, Type element) {
  SmallVector<Value> lanes;
  for (int64_t lane = 0; lane < plan.storeWidth; ++lane) {
    Value row = add(builder, chunk.row, constant(builder, lane));
    lanes.push_back(
        memref::LoadOp::create(builder, loc, stage, placeOf(builder, row, chunk.column)));
  }
  return plan.storeWidth == 1
             ? lanes.front()
             : vector::FromElementsOp::create(builder, loc,
                                              VectorType::get({plan.storeWidth}, element), lanes)
                   .getResult();
}

void MoveLowering::store(OpBuilder &builder, std::vector<Chunk> &chunks) {
  Block &block = table.kernel().getBlock();
  for (Chunk &chunk : chunks) {
    VectorExpr::Scope scope(body, chunk.scope);
    for (auto op : block.getOps<StoreOp>()) {
      body.evaluate(builder, op.getValue());
    }
  }
  for (Chunk &chunk : chunks) {
    VectorExpr::Scope scope(body, chunk.scope);
    auto storeAll = [&](OpBuilder &inside) {
      VectorExpr::Scope inner(body);
      for (auto op : block.getOps<StoreOp>()) {
        body.emitStore(inside, op);
      }
    };
    if (chunk.active) {
      tile.role(builder, chunk.active, storeAll);
    } else {
      storeAll(builder);
    }
  }
}

void MoveLowering::emitTile(OpBuilder &builder, Value index, Value active) {
  AxisSet outer = outerAxes(table, plan);
  int64_t along = tilesAlong(table, plan.storeAxis, plan.side[0]);
  int64_t across = tilesAlong(table, plan.loadAxis, plan.side[1]);
  PointSpace outside(table, outer, std::nullopt, 1);
  int64_t tiles = outside.size() * along * across;
  auto [rest, storeTile] = splitIndex(builder, loc, index, along, tiles);
  auto [point, loadTile] = splitIndex(builder, loc, rest, across, tiles / along);
  Value storeFirst = mul(builder, storeTile, plan.side[0]);
  Value loadFirst = mul(builder, loadTile, plan.side[1]);
  VectorExpr::Scope fillScope(fill);
  VectorExpr::Scope bodyScope(body);
  outside.assign(builder, fill, point);
  outside.assign(builder, body, point);
  SmallVector<Stage> stages;
  for (Value load : plan.staged) {
    stages.push_back(tile.stageAlloc(builder, load.getType(), plan.side[0] * plan.side[1]));
  }
  std::vector<Chunk> chunks;
  fillStages(builder, storeFirst, loadFirst, stages, [&] {
    chunks = openChunks(builder, storeFirst, loadFirst);
    for (auto load : table.kernel().getBlock().getOps<LoadOp>()) {
      if (llvm::is_contained(plan.staged, load.getResult()) || !table.isSafe(load)) {
        continue;
      }
      for (Chunk &chunk : chunks) { // these are in flight together with the staged ones
        VectorExpr::Scope scope(body, chunk.scope);
        body.evaluate(builder, load);
      }
    }
  });
  tile.barrier(builder);
  for (Chunk &chunk : chunks) {
    VectorExpr::Scope scope(body, chunk.scope);
    if (active) {
      chunk.active = chunk.active
                         ? arith::AndIOp::create(builder, loc, chunk.active, active).getResult()
                         : active;
    }
    for (auto [load, stage] : llvm::zip(plan.staged, stages)) {
      body.bind(load, readStage(builder, stage, chunk, load.getType()));
    }
  }
  store(builder, chunks);
}

void MoveLowering::emit(int64_t tiles) {
  OpBuilder builder = tile.atEnd();
  tile.tileLoop(builder, tiles, [&](OpBuilder &inside, Value index, Value active) {
    emitTile(inside, index, active);
  });
}

//===- Planning ------------------------------------------------------------------------------===//

static std::optional<int64_t> factorOf(const AccessTable &table, Operation *op, unsigned axis) {
  auto factors = factorsOf(table.accessOf(op).linear, axis, axis);
  return factors ? std::optional<int64_t>(factors->first) : std::nullopt;
}

/// The axes and loads of a move; nothing if the body is none.
static std::optional<MovePlan> findMove(const AccessTable &table) {
  Block &block = table.kernel().getBlock();
  auto stores = block.getOps<StoreOp>();
  if (stores.empty() ||
      llvm::any_of(block, [](Operation &op) { return isa<ReduceOp, FoldOp, ContractOp>(op); })) {
    return std::nullopt;
  }
  AxisSet domain = table.domainOf(*stores.begin());
  for (StoreOp store : stores) {
    if (table.domainOf(store) != domain || !store.getCoords().empty() ||
        store.getCombine() != Combine::None) {
      return std::nullopt;
    }
  }
  auto isLong = [&](unsigned axis) {
    return contains(domain, axis) && table.extent(axis) >= minExtent;
  };
  MovePlan plan;
  std::optional<unsigned> storeAxis;
  for (unsigned axis = 0; axis < table.numAxes(); ++axis) {
    if (isLong(axis) && factorOf(table, *stores.begin(), axis) == 1) {
      storeAxis = axis;
    }
  }
  for (unsigned axis = 0; storeAxis && axis < table.numAxes() && plan.staged.empty(); ++axis) {
    if (axis == *storeAxis || !isLong(axis)) {
      continue;
    }
    for (auto load : block.getOps<LoadOp>()) {
      const Access &access = table.accessOf(load);
      bool plain = load.getCoords().empty() && !access.clamped && access.inBounds &&
                   load.getType().getIntOrFloatBitWidth() >= 8;
      auto along = factorOf(table, load, *storeAxis);
      if (plain && factorOf(table, load, axis) == 1 && along && *along != 0 && *along != 1) {
        plan.loadAxis = axis;
        plan.staged.push_back(load);
      }
    }
  }
  plan.storeAxis = storeAxis.value_or(0);
  return plan.staged.empty() ? std::nullopt : std::optional(plan);
}

bool isMove(AccessTable table) {
  table.mergeAxes();
  return findMove(table).has_value();
}

void lowerGpuMove(AccessTable &table, const Target &target) {
  table.mergeAxes();
  MovePlan plan = *findMove(table);
  MoveFields fields;
  if (auto schedule = dyn_cast_or_null<MoveScheduleAttr>(table.kernel().getScheduleAttr())) {
    fields = schedule.getFields();
  }
  int64_t bytes = 0;
  for (Value load : plan.staged) {
    bytes += load.getType().getIntOrFloatBitWidth() / 8;
  }
  bool fits = bytes * defaultSide * defaultSide <= maxTileBytes;
  for (int i = 0; i < 2; ++i) {
    plan.side[i] = fields.tile[i] ? powerOfTwo(fields.tile[i], 2 * defaultSide)
                                  : (fits ? defaultSide : smallSide);
  }
  plan.storeWidth = laneWidth(table, plan.storeAxis, target, fields.vec);
  plan.loadWidth = laneWidth(table, plan.loadAxis, target, fields.vec);
  int64_t vectors = plan.side[0] * plan.side[1] / plan.loadWidth;
  int64_t most = std::min<int64_t>(target.maxThreads, defaultThreads);
  plan.threads = fields.threads ? powerOfTwo(fields.threads, target.maxThreads)
                                : powerOfTwo(vectors / vectorsInFlight, most);
  // A pass over the tile is whole.
  plan.threads = std::min({plan.threads, vectors, plan.side[0] * plan.side[1] / plan.storeWidth});
  int64_t tiles = PointSpace(table, MoveLowering::outerAxes(table, plan), std::nullopt, 1).size() *
                  MoveLowering::tilesAlong(table, plan.storeAxis, plan.side[0]) *
                  MoveLowering::tilesAlong(table, plan.loadAxis, plan.side[1]);
  GpuModule module(table.kernel(), target);
  GpuLaunch gpu = module.addLaunch(tiles, plan.threads);
  if (tiles > 0) {
    MoveLowering(table, target, plan, gpu).emit(tiles);
  }
  table.kernel().erase();
}

} // namespace zyxc

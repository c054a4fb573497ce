#include "passes/lower/LowerMove.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/lower/HostKernel.h"
#include "passes/lower/LoopNest.h"
#include "passes/lower/emit/LaneChoice.h"
#include "passes/lower/emit/VectorExpr.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

/// Bytes of the tiles that wait in the second cache, all transposed loads together. Longer rows of
/// a tile are longer pieces of memory's pages.
static constexpr int64_t tileBytes = 64 * 1024;
/// A row of a tile is this much longer than its elements, so that the rows do not share cache sets.
static constexpr int64_t tilePadding = 64;
/// Elements of one task.
static constexpr int64_t perTask = 64 * 1024;

namespace {

struct MovePlan {
  unsigned storeAxis = 0; ///< along which stores are contiguous
  unsigned loadAxis = 0;  ///< along which the transposed loads are
  int64_t width = 1;
  SmallVector<StoreOp> stores;
  SmallVector<LoadOp> transposed;
  SmallVector<unsigned> outer;
  int64_t side = 0;  ///< of a tile, along both axes, in elements
  int64_t bands = 0; ///< along the load axis, a tile wide
  int64_t parts = 1; ///< of the store axis
  int64_t part = 0;  ///< its elements, whole tiles
  bool streams = false;

  Type elementOf(LoadOp load) const { return load.getResult().getType(); }
  /// Elements from row to row of a load's tile in scratch memory.
  int64_t pitchOf(LoadOp load) const { return side + tilePadding / bytesOf(elementOf(load)); }
  /// Side of the blocks that are transposed in registers: 16 bytes, within which shuffles are
  /// cheap.
  int64_t blockOf(LoadOp load) const {
    return std::min<int64_t>(std::max<int64_t>(16 / bytesOf(elementOf(load)), 1), width);
  }
  int64_t scratchBytes() const {
    int64_t bytes = 0;
    for (LoadOp load : transposed) {
      bytes += side * pitchOf(load) * bytesOf(elementOf(load));
    }
    return bytes;
  }
  static int64_t bytesOf(Type element) {
    return element.isIndex() ? 8 : llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
  }
};

/// A piece [first, end) of an axis, at least a vector long; vectors in it start at
/// first + i * step, the last one where it ends with the piece.
struct Span {
  Value first, end;
  bool isWhole = false; ///< vectors fill it
};

/// A tile of the plane of both axes is read as small blocks, transposed in registers and written to
/// scratch memory; then its rows are read from there, each a piece of a row of the stores. So each
/// line of memory is used at once, and no row of a tile meets another one in a cache set.
class MoveEmitter {
public:
  MoveEmitter(const AccessTable &table, MovePlan tiles, const HostKernel &host)
      : table(table), plan(std::move(tiles)), host(host), expr(table, this->host.ports, plan.width),
        loc(table.kernel().getLoc()) {}
  void emit();

private:
  using Body = function_ref<void(OpBuilder &, Value)>;
  Value constant(OpBuilder &builder, int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value add(OpBuilder &builder, Value value, int64_t by) {
    return builder.createOrFold<arith::AddIOp>(loc, value, constant(builder, by));
  }
  Value sub(OpBuilder &builder, Value a, Value b) {
    return arith::SubIOp::create(builder, loc, a, b);
  }
  Value atMost(OpBuilder &builder, Value value, int64_t limit) {
    return arith::MinSIOp::create(builder, loc, value, constant(builder, limit));
  }
  void emitFor(OpBuilder &builder, Value first, Value end, int64_t step, Body body);
  /// The tile's piece of an axis that starts at `at`.
  Span spanAt(OpBuilder &builder, unsigned axis, Value at);
  /// Starts of the vectors of a span.
  void emitVectors(OpBuilder &builder, const Span &span, int64_t step, Body body);
  void emitTask(OpBuilder &builder, Value task);
  void emitTile(OpBuilder &builder, const Span &loads, const Span &stores);
  /// Reads as many blocks along the stores as fill a vector, transposes them and writes them to
  /// element `at` of the tile.
  void emitBlocks(OpBuilder &builder, size_t load, Value loadAt, Value storeAt, Value at);
  /// Stores a vector of row `loadAt`, which is in row `row` and column `column` of the tile.
  void emitStores(OpBuilder &builder, Value loadAt, Value storeAt, Value row, Value column);
  Value elementOfTile(OpBuilder &builder, LoadOp load, Value row, Value column) {
    Value start = arith::MulIOp::create(builder, loc, row, constant(builder, plan.pitchOf(load)));
    return arith::AddIOp::create(builder, loc, start, column);
  }
  /// Fetches a vector of the next tile along the stores.
  void emitPrefetch(OpBuilder &builder, Value loadAt, Value storeAt);
  /// What divides the first coordinate of a vector along an axis.
  int64_t divisorOf(unsigned axis) const {
    return table.extent(axis) % plan.width == 0 ? plan.width : 1;
  }

  const AccessTable &table;
  MovePlan plan;
  HostKernel host;
  VectorExpr expr;
  Location loc;
  SmallVector<Value> tiles;   ///< per transposed load: side rows of a pitch
  SmallVector<Value> outerAt; ///< coordinates of the outer axes
};

} // namespace

/// The factor of an axis in an access; nothing if it is not linear in it.
static std::optional<int64_t> factorOf(const AccessTable &table, Operation *op, unsigned axis) {
  auto factors = factorsOf(table.accessOf(op).linear, axis, axis);
  return factors ? std::optional<int64_t>(factors->first) : std::nullopt;
}

/// The only axis along which an access is contiguous.
static std::optional<unsigned> contiguousAxis(const AccessTable &table, Operation *op) {
  for (unsigned axis = 0; axis < table.numAxes(); ++axis) {
    if (contains(table.accessOf(op).axes, axis) && factorOf(table, op, axis) == 1) {
      return axis;
    }
  }
  return std::nullopt;
}

static bool collect(const AccessTable &table, MovePlan &plan, SmallVectorImpl<LoadOp> &loads) {
  for (Operation &op : table.kernel()->getRegion(0).front()) {
    if (isa<ReduceOp, ScanOp, FoldOp, ContractOp, WhereOp>(op)) {
      return false;
    }
    if (auto load = dyn_cast<LoadOp>(op)) {
      if (!load.getCoords().empty() || !table.accessOf(load).inBounds) {
        return false;
      }
      loads.push_back(load);
    } else if (auto store = dyn_cast<StoreOp>(op)) {
      if (!store.getCoords().empty() || store.getCombine() != Combine::None ||
          table.guardOf(store)) {
        return false;
      }
      plan.stores.push_back(store);
    }
  }
  KernelOp kernel = table.kernel();
  for (unsigned port = 0; port < kernel.getNumPorts(); ++port) {
    if (kernel.getPortType(port).getMode() == PortMode::InOut) {
      return false; // vectors overlap, so elements are computed twice
    }
  }
  return !plan.stores.empty();
}

static std::optional<MovePlan> findPlan(const AccessTable &table, unsigned vectorBits) {
  MovePlan plan;
  SmallVector<LoadOp> loads;
  if (!collect(table, plan, loads)) {
    return std::nullopt;
  }
  AxisSet domain = table.domainOf(plan.stores.front());
  std::optional<unsigned> storeAxis = contiguousAxis(table, plan.stores.front());
  for (StoreOp store : plan.stores) {
    if (!storeAxis || table.domainOf(store) != domain || factorOf(table, store, *storeAxis) != 1) {
      return std::nullopt;
    }
  }
  plan.storeAxis = *storeAxis;
  plan.width = lanesFor(table, vectorBits);
  std::optional<unsigned> loadAxis;
  for (LoadOp load : loads) {
    std::optional<int64_t> factor = factorOf(table, load, plan.storeAxis);
    if (factor && *factor < 2) {
      continue; // contiguous, or the same at every lane
    }
    std::optional<unsigned> axis = contiguousAxis(table, load);
    if (!factor || !axis || (loadAxis && loadAxis != axis)) {
      return std::nullopt;
    }
    loadAxis = axis;
    plan.transposed.push_back(load);
  }
  if (!loadAxis || plan.width < 4 || table.extent(*loadAxis) < plan.width ||
      table.extent(plan.storeAxis) < plan.width) {
    return std::nullopt;
  }
  plan.loadAxis = *loadAxis;
  for (unsigned axis = 0; axis < table.numAxes(); ++axis) {
    if (contains(domain, axis) && axis != plan.storeAxis && axis != plan.loadAxis) {
      plan.outer.push_back(axis);
    }
  }
  return plan;
}

bool isMove(AccessTable table, unsigned vectorBits) {
  table.mergeAxes();
  return findPlan(table, vectorBits).has_value();
}

/// The pieces one after another.
static Value concatenate(OpBuilder &builder, Location loc, SmallVector<Value> pieces) {
  while (pieces.size() > 1) {
    int64_t size = cast<VectorType>(pieces.front().getType()).getNumElements();
    auto all = llvm::to_vector(llvm::seq<int64_t>(0, 2 * size));
    SmallVector<Value> next;
    for (size_t i = 0; i < pieces.size(); i += 2) {
      next.push_back(vector::ShuffleOp::create(builder, loc, pieces[i], pieces[i + 1], all));
    }
    pieces = next;
  }
  return pieces.front();
}

/// Transposes square blocks, which stand one after another in the rows. Perfect shuffles of rows i
/// and i + half within each block rotate the bits of an element's (row, column) by one: as many
/// rounds as a block's row has bits.
SmallVector<Value> transposeBlocks(OpBuilder &builder, Location loc, SmallVector<Value> rows,
                                   int64_t width) {
  auto size = static_cast<int64_t>(rows.size());
  SmallVector<int64_t> low;
  SmallVector<int64_t> high;
  for (int64_t block = 0; block < width; block += size) {
    for (int64_t i = block; i < block + size / 2; ++i) {
      low.append({i, width + i});
      high.append({size / 2 + i, width + size / 2 + i});
    }
  }
  for (int64_t round = 1; round < size; round *= 2) {
    SmallVector<Value> next;
    for (int64_t i = 0; i < size / 2; ++i) {
      next.push_back(vector::ShuffleOp::create(builder, loc, rows[i], rows[i + size / 2], low));
      next.push_back(vector::ShuffleOp::create(builder, loc, rows[i], rows[i + size / 2], high));
    }
    rows = next;
  }
  return rows;
}

void MoveEmitter::emitFor(OpBuilder &builder, Value first, Value end, int64_t step, Body body) {
  auto loop = scf::ForOp::create(builder, loc, first, end, constant(builder, step));
  OpBuilder inside = OpBuilder::atBlockBegin(loop.getBody());
  body(inside, loop.getInductionVar());
}

Span MoveEmitter::spanAt(OpBuilder &builder, unsigned axis, Value at) {
  int64_t extent = table.extent(axis);
  Value end = add(builder, at, plan.side);
  bool isWhole = extent % plan.width == 0;
  return {isWhole ? at : atMost(builder, at, extent - plan.width),
          extent % plan.side == 0 ? end : atMost(builder, end, extent), isWhole};
}

void MoveEmitter::emitVectors(OpBuilder &builder, const Span &span, int64_t step, Body body) {
  emitFor(builder, span.first, span.end, step, [&](OpBuilder &inside, Value at) {
    Value start = at;
    if (!span.isWhole) {
      start = arith::MinSIOp::create(inside, loc, at, add(inside, span.end, -step));
    }
    body(inside, start);
  });
}

void MoveEmitter::emitBlocks(OpBuilder &builder, size_t load, Value loadAt, Value storeAt,
                             Value at) {
  int64_t size = plan.blockOf(plan.transposed[load]);
  VectorExpr pieces(table, host.ports, size);
  VectorExpr::Scope outside(pieces);
  for (auto [axis, index] : llvm::zip_equal(plan.outer, outerAt)) {
    pieces.assign(axis, index);
  }
  SmallVector<Value> rows;
  for (int64_t row = 0; row < size; ++row) {
    SmallVector<Value> parts;
    for (int64_t block = 0; block < plan.width; block += size) {
      VectorExpr::Scope scope(pieces);
      pieces.assign(plan.storeAxis, storeAt, /*divisor=*/1, /*offset=*/block + row);
      pieces.assignLanes(plan.loadAxis, loadAt, 1, std::min(size, divisorOf(plan.loadAxis)));
      parts.push_back(pieces.evaluateVector(builder, plan.transposed[load].getResult()));
    }
    rows.push_back(concatenate(builder, loc, parts));
  }
  for (auto [row, value] : llvm::enumerate(transposeBlocks(builder, loc, rows, plan.width))) {
    int64_t offset = static_cast<int64_t>(row) * plan.pitchOf(plan.transposed[load]);
    vector::StoreOp::create(builder, loc, value, tiles[load], add(builder, at, offset));
  }
}

void MoveEmitter::emitStores(OpBuilder &builder, Value loadAt, Value storeAt, Value row,
                             Value column) {
  VectorExpr::Scope scope(expr);
  expr.assign(plan.loadAxis, loadAt);
  expr.assignLanes(plan.storeAxis, storeAt, 1, divisorOf(plan.storeAxis));
  for (auto [load, tile] : llvm::zip_equal(plan.transposed, tiles)) {
    auto type = VectorType::get(plan.width, plan.elementOf(load));
    expr.bind(load.getResult(), vector::LoadOp::create(builder, loc, type, tile,
                                                       elementOfTile(builder, load, row, column)));
  }
  for (StoreOp store : plan.stores) {
    expr.emitStore(builder, store);
  }
}

void MoveEmitter::emitPrefetch(OpBuilder &builder, Value loadAt, Value storeAt) {
  VectorExpr::Scope scope(expr);
  expr.assign(plan.storeAxis, storeAt);
  expr.assignLanes(plan.loadAxis, loadAt, 1, divisorOf(plan.loadAxis));
  for (LoadOp load : plan.transposed) {
    int64_t step = *factorOf(table, load, plan.storeAxis);
    expr.emitPrefetch(builder, load, step * plan.side, /*level=*/2);
  }
}

void MoveEmitter::emitTile(OpBuilder &builder, const Span &loads, const Span &stores) {
  for (auto [i, load] : llvm::enumerate(plan.transposed)) {
    emitVectors(builder, stores, plan.width, [&](OpBuilder &inStores, Value storeAt) {
      Value column = sub(inStores, storeAt, stores.first);
      // Innermost, so that lines which share a cache set are read to their ends.
      emitVectors(inStores, loads, plan.blockOf(load), [&](OpBuilder &inside, Value loadAt) {
        Value row = sub(inside, loadAt, loads.first);
        emitBlocks(inside, i, loadAt, storeAt, elementOfTile(inside, load, row, column));
      });
    });
  }
  emitFor(builder, loads.first, loads.end, 1, [&](OpBuilder &inRows, Value loadAt) {
    Value row = sub(inRows, loadAt, loads.first);
    // Row r of this tile is stored while row r of the next one is fetched, as far as both go.
    Value nextRow = arith::AddIOp::create(inRows, loc, stores.first, row);
    emitVectors(inRows, stores, plan.width, [&](OpBuilder &inside, Value storeAt) {
      Value column = sub(inside, storeAt, stores.first);
      emitPrefetch(inside, arith::AddIOp::create(inside, loc, loads.first, column), nextRow);
      emitStores(inside, loadAt, storeAt, row, column);
    });
  });
}

void MoveEmitter::emitTask(OpBuilder &builder, Value task) {
  VectorExpr::Scope scope(expr);
  Value rest = task;
  auto take = [&](int64_t extent) -> Value {
    Value by = constant(builder, extent);
    Value digit = arith::RemUIOp::create(builder, loc, rest, by);
    rest = arith::DivUIOp::create(builder, loc, rest, by);
    return digit;
  };
  Value part = take(plan.parts);
  Value band = take(plan.bands);
  outerAt.assign(plan.outer.size(), Value());
  for (size_t i = plan.outer.size(); i-- > 0;) {
    outerAt[i] = take(table.extent(plan.outer[i]));
    expr.assign(plan.outer[i], outerAt[i]);
  }
  Value firstLoad = arith::MulIOp::create(builder, loc, band, constant(builder, plan.side));
  Span loads = spanAt(builder, plan.loadAxis, firstLoad);
  Value firstStore = arith::MulIOp::create(builder, loc, part, constant(builder, plan.part));
  Value endStore = add(builder, firstStore, plan.part);
  if (table.extent(plan.storeAxis) % plan.part != 0) {
    endStore = atMost(builder, endStore, table.extent(plan.storeAxis));
  }
  emitFor(builder, firstStore, endStore, plan.side, [&](OpBuilder &inside, Value at) {
    emitTile(inside, loads, spanAt(inside, plan.storeAxis, at));
  });
}

void MoveEmitter::emit() {
  OpBuilder builder = OpBuilder::atBlockBegin(&host.function.getBody().front());
  expr.setStreaming(plan.streams);
  int64_t offset = 0;
  for (LoadOp load : plan.transposed) {
    auto type = MemRefType::get({plan.side * plan.pitchOf(load)}, plan.elementOf(load));
    tiles.push_back(memref::ViewOp::create(builder, loc, type, host.scratch,
                                           constant(builder, offset), ValueRange()));
    offset += plan.side * plan.pitchOf(load) * MovePlan::bytesOf(plan.elementOf(load));
  }
  emitFor(builder, host.firstTask, host.endTask, 1,
          [&](OpBuilder &inside, Value task) { emitTask(inside, task); });
  if (plan.streams) {
    LLVM::FenceOp::create(builder, loc, LLVM::AtomicOrdering::seq_cst);
  }
  func::ReturnOp::create(builder, loc);
}

/// The longest side, in vectors, whose tiles stay in the first cache; at least one vector.
static int64_t tileSide(const MovePlan &plan) {
  int64_t bytes = 0;
  for (LoadOp load : plan.transposed) {
    bytes += MovePlan::bytesOf(plan.elementOf(load));
  }
  int64_t side = plan.width;
  while (4 * side * side * bytes <= tileBytes) {
    side *= 2;
  }
  return side;
}

void lowerMove(AccessTable &table, unsigned vectorBits) {
  table.mergeAxes();
  std::optional<MovePlan> plan = findPlan(table, vectorBits);
  assert(plan && "not of the move family");
  plan->side = tileSide(*plan);
  int64_t storeExtent = table.extent(plan->storeAxis);
  plan->bands = llvm::divideCeil(table.extent(plan->loadAxis), plan->side);
  plan->parts = std::max<int64_t>(storeExtent * plan->side / perTask, 1);
  plan->part = llvm::alignTo(llvm::divideCeil(storeExtent, plan->parts), plan->side);
  plan->parts = llvm::divideCeil(storeExtent, plan->part);
  plan->streams = shouldStream(table.kernel());
  int64_t tasks = plan->bands * plan->parts;
  for (unsigned axis : plan->outer) {
    tasks *= table.extent(axis);
  }
  KernelOp kernel = table.kernel();
  OpBuilder builder(kernel);
  HostKernel host = HostKernel::create(builder, kernel, tasks, plan->scratchBytes());
  MoveEmitter(table, *plan, host).emit();
  kernel.erase();
}

} // namespace zyxc

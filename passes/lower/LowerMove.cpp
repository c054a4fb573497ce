#include "passes/lower/LowerMove.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
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

/// Blocks along the loads' axis that a sweep along the stores' axis takes together: more of them
/// are more streams than the processor follows (measured: 16.2 against 8.1 ms for 2).
static constexpr int64_t blocksAtOnce = 1;
/// Blocks ahead that are fetched: the rows of a block lie far apart, which hides them from the
/// processor's own prefetching.
static constexpr int64_t blocksAhead = 6;
/// A larger body is left to gathers: it stands once per row of a block.
static constexpr int64_t maxBodyOps = 24;
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
  int64_t bands = 0; ///< along the load axis, of blocksAtOnce blocks
  int64_t parts = 1; ///< of the store axis
  int64_t part = 0;  ///< its elements
  bool streams = false;
};

class MoveEmitter {
public:
  MoveEmitter(const AccessTable &table, MovePlan blocks, const HostKernel &host)
      : table(table), plan(std::move(blocks)), host(host),
        expr(table, this->host.ports, plan.width), loc(table.kernel().getLoc()) {}
  void emit();

private:
  Value constant(OpBuilder &builder, int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value atMost(OpBuilder &builder, Value value, int64_t limit) {
    return arith::MinSIOp::create(builder, loc, value, constant(builder, limit));
  }
  void emitTask(OpBuilder &builder, Value task);
  void emitBlock(OpBuilder &builder, Value loadAt, Value storeAt);
  SmallVector<Value> readTransposed(OpBuilder &builder, LoadOp load, Value loadAt, Value storeAt);
  /// What divides the first coordinate of a block along an axis.
  int64_t divisorOf(unsigned axis) const {
    return table.extent(axis) % plan.width == 0 ? plan.width : 1;
  }

  const AccessTable &table;
  MovePlan plan;
  HostKernel host;
  VectorExpr expr;
  Location loc;
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
  int64_t numOps = 0;
  for (Operation &op : table.kernel()->getRegion(0).front()) {
    ++numOps;
    if (isa<ReduceOp, ScanOp, ContractOp, WhereOp>(op)) {
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
      return false; // blocks overlap, so elements are computed twice
    }
  }
  return numOps <= maxBodyOps && !plan.stores.empty();
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

/// Perfect shuffles of rows i and i + half, which rotate the bits of an element's (row, column) by
/// one: as many rounds as a row has bits transpose a square block.
static SmallVector<Value> transpose(OpBuilder &builder, Location loc, SmallVector<Value> rows) {
  auto size = static_cast<int64_t>(rows.size());
  SmallVector<int64_t> low;
  SmallVector<int64_t> high;
  for (int64_t i = 0; i < size / 2; ++i) {
    low.append({i, size + i});
    high.append({size / 2 + i, size + size / 2 + i});
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

SmallVector<Value> MoveEmitter::readTransposed(OpBuilder &builder, LoadOp load, Value loadAt,
                                               Value storeAt) {
  int64_t step = *factorOf(table, load, plan.storeAxis);
  SmallVector<Value> rows;
  for (int64_t lane = 0; lane < plan.width; ++lane) {
    VectorExpr::Scope scope(expr);
    Value by = constant(builder, lane);
    expr.assign(plan.storeAxis, arith::AddIOp::create(builder, loc, storeAt, by));
    expr.assignLanes(plan.loadAxis, loadAt, 1, divisorOf(plan.loadAxis));
    rows.push_back(expr.evaluateVector(builder, load.getResult()));
    expr.emitPrefetch(builder, load, step * plan.width * blocksAhead, /*level=*/2);
  }
  return transpose(builder, loc, rows);
}

void MoveEmitter::emitBlock(OpBuilder &builder, Value loadAt, Value storeAt) {
  SmallVector<SmallVector<Value>> blocks;
  for (LoadOp load : plan.transposed) {
    blocks.push_back(readTransposed(builder, load, loadAt, storeAt));
  }
  for (int64_t row = 0; row < plan.width; ++row) {
    VectorExpr::Scope scope(expr);
    Value by = constant(builder, row);
    expr.assign(plan.loadAxis, arith::AddIOp::create(builder, loc, loadAt, by));
    expr.assignLanes(plan.storeAxis, storeAt, 1, divisorOf(plan.storeAxis));
    for (auto [load, block] : llvm::zip_equal(plan.transposed, blocks)) {
      expr.bind(load.getResult(), block[row]);
    }
    for (StoreOp store : plan.stores) {
      expr.emitStore(builder, store);
    }
  }
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
  for (unsigned axis : llvm::reverse(plan.outer)) {
    expr.assign(axis, take(table.extent(axis)));
  }
  int64_t bandSize = blocksAtOnce * plan.width;
  int64_t loadExtent = table.extent(plan.loadAxis);
  int64_t storeExtent = table.extent(plan.storeAxis);
  Value firstLoad = arith::MulIOp::create(builder, loc, band, constant(builder, bandSize));
  Value endLoad =
      atMost(builder, arith::AddIOp::create(builder, loc, firstLoad, constant(builder, bandSize)),
             loadExtent);
  Value firstStore = arith::MulIOp::create(builder, loc, part, constant(builder, plan.part));
  Value endStore =
      atMost(builder, arith::AddIOp::create(builder, loc, firstStore, constant(builder, plan.part)),
             storeExtent);
  Value width = constant(builder, plan.width);
  auto sweep = scf::ForOp::create(builder, loc, firstStore, endStore, width);
  OpBuilder inSweep = OpBuilder::atBlockBegin(sweep.getBody());
  Value storeAt = atMost(inSweep, sweep.getInductionVar(), storeExtent - plan.width);
  auto blocks = scf::ForOp::create(inSweep, loc, firstLoad, endLoad, width);
  OpBuilder inBlock = OpBuilder::atBlockBegin(blocks.getBody());
  // The last block overlaps the one before it.
  Value loadAt = atMost(inBlock, blocks.getInductionVar(), loadExtent - plan.width);
  emitBlock(inBlock, loadAt, storeAt);
}

void MoveEmitter::emit() {
  OpBuilder builder = OpBuilder::atBlockBegin(&host.function.getBody().front());
  expr.setStreaming(plan.streams);
  auto loop = scf::ForOp::create(builder, loc, host.firstTask, host.endTask, constant(builder, 1));
  OpBuilder inside = OpBuilder::atBlockBegin(loop.getBody());
  emitTask(inside, loop.getInductionVar());
  if (plan.streams) {
    LLVM::FenceOp::create(builder, loc, LLVM::AtomicOrdering::seq_cst);
  }
  func::ReturnOp::create(builder, loc);
}

void lowerMove(AccessTable &table, unsigned vectorBits) {
  table.mergeAxes();
  std::optional<MovePlan> plan = findPlan(table, vectorBits);
  assert(plan && "not of the move family");
  int64_t bandSize = blocksAtOnce * plan->width;
  int64_t storeExtent = table.extent(plan->storeAxis);
  plan->bands = llvm::divideCeil(table.extent(plan->loadAxis), bandSize);
  plan->parts = std::max<int64_t>(storeExtent * bandSize / perTask, 1);
  plan->part = llvm::alignTo(llvm::divideCeil(storeExtent, plan->parts), plan->width);
  plan->parts = llvm::divideCeil(storeExtent, plan->part);
  plan->streams = shouldStream(table.kernel());
  int64_t tasks = plan->bands * plan->parts;
  for (unsigned axis : plan->outer) {
    tasks *= table.extent(axis);
  }
  KernelOp kernel = table.kernel();
  OpBuilder builder(kernel);
  HostKernel host = HostKernel::create(builder, kernel, tasks, /*scratchBytes=*/0);
  MoveEmitter(table, *plan, host).emit();
  kernel.erase();
}

} // namespace zyxc

#include "passes/lower/LoopNest.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/lower/HostKernel.h"
#include "passes/lower/emit/LaneChoice.h"
#include "passes/lower/emit/VectorExpr.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

/// Work of one task in element accesses, large against the cost of handing it to a thread.
static constexpr int64_t defaultPerTask = 16 * 1024;
static constexpr int64_t maxTasks = 256;
/// Units per task that the outermost axes should give before more axes are taken.
static constexpr int64_t unitsForBalance = 4;
/// Vectors in the smallest unit along the lane axis.
static constexpr int64_t minVectorsPerUnit = 8;

//===- Planning ------------------------------------------------------------------------------===//

static Block &bodyOf(const AccessTable &table) {
  return table.kernel()->getRegion(0).front();
}

AxisSet sharedAxes(const AccessTable &table) {
  AxisSet shared = ~AxisSet(0);
  bool anyStore = false;
  for (Operation &op : bodyOf(table)) {
    if (auto store = dyn_cast<StoreOp>(op)) {
      shared &= table.domainOf(store);
      anyStore = true;
    } else if (auto reduce = dyn_cast<ReduceOp>(op)) {
      shared &= table.axesOf(reduce.getResult());
    }
  }
  return anyStore ? shared : 0;
}

AxisSet scatteredAxes(const AccessTable &table) {
  AxisSet axes = 0;
  for (auto store : bodyOf(table).getOps<StoreOp>()) {
    for (Value coord : store.getCoords()) {
      axes |= table.axesOf(coord);
    }
  }
  return axes;
}

/// Stores may meet at one element, so that their order matters.
static bool mustBeOneTask(const AccessTable &table) {
  return llvm::any_of(bodyOf(table).getOps<StoreOp>(),
                      [](StoreOp store) { return !store.getCoords().empty(); });
}

/// Storing an element twice changes nothing.
static bool mayStoreTwice(const AccessTable &table) {
  KernelOp kernel = table.kernel();
  for (unsigned port = 0; port < kernel.getNumPorts(); ++port) {
    if (kernel.getPortType(port).getMode() == PortMode::InOut) {
      return false;
    }
  }
  return llvm::all_of(bodyOf(table).getOps<StoreOp>(), [](StoreOp store) {
    return store.getCoords().empty() && store.getCombine() == Combine::None;
  });
}

static int64_t saturatingAdd(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/// Element accesses of the whole kernel.
static int64_t totalAccesses(const AccessTable &table) {
  int64_t total = 0;
  for (Operation &op : bodyOf(table)) {
    if (isa<LoadOp, StoreOp>(op)) {
      total = saturatingAdd(total, table.points(table.accessOf(&op).axes));
    }
  }
  return total;
}

void planTasks(const AccessTable &table, NestPlan &plan, int64_t perTask) {
  plan.overlap = mayStoreTwice(table);
  AxisSet shared = sharedAxes(table);
  int64_t wanted = llvm::divideCeil(totalAccesses(table), perTask ? perTask : defaultPerTask);
  wanted = mustBeOneTask(table) ? 1 : std::clamp<int64_t>(wanted, 1, maxTasks);
  int64_t product = 1;
  for (unsigned axis = 0; axis < table.numAxes(); ++axis) {
    if (!contains(shared, axis) || axis == plan.lane) {
      continue;
    }
    if (product < wanted * unitsForBalance && plan.loopAxes.empty()) {
      plan.taskAxes.push_back(axis);
      product *= table.extent(axis);
    } else {
      plan.loopAxes.push_back(axis);
    }
  }
  if (plan.lane) {
    int64_t extent = table.extent(*plan.lane);
    int64_t smallest = plan.width * minVectorsPerUnit;
    if (product < wanted && plan.loopAxes.empty()) {
      plan.chunks = std::clamp<int64_t>(llvm::divideCeil(wanted, std::max<int64_t>(product, 1)), 1,
                                        std::max<int64_t>(extent / smallest, 1));
    }
    int64_t even = llvm::divideCeil(extent, plan.chunks);
    plan.chunk = llvm::alignTo(std::max<int64_t>(even, 1), plan.width);
    plan.chunks = llvm::divideCeil(extent, plan.chunk);
  }
  plan.units = product * plan.chunks;
  plan.unitsPerTask = std::max<int64_t>(llvm::divideCeil(plan.units, wanted), 1);
  plan.tasks = llvm::divideCeil(plan.units, plan.unitsPerTask);
}

//===- Emission ------------------------------------------------------------------------------===//

namespace {

class NestEmitter {
public:
  NestEmitter(const AccessTable &table, const NestPlan &plan, const HostKernel &host)
      : table(table), plan(plan), host(host), expr(table, this->host.ports, plan.width),
        loc(table.kernel().getLoc()) {}

  void emit();

private:
  using Body = llvm::function_ref<void(OpBuilder &)>;
  using LoopBody = llvm::function_ref<void(OpBuilder &, Value)>;

  Value constant(OpBuilder &builder, int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  /// scf.for over [first, end).
  void emitFor(OpBuilder &builder, Value first, Value end, int64_t step, LoopBody body);
  void emitUnit(OpBuilder &builder, Value unit);
  /// Loops over axes[depth..] in scopes, with what does not change inside them hoisted.
  void emitLoops(OpBuilder &builder, ArrayRef<unsigned> axes, Body body);
  /// Vectors of [first, end) along an axis of the whole kernel.
  void emitLanes(OpBuilder &builder, unsigned axis, Value first, Value end, Body body);
  void emitVector(OpBuilder &builder, unsigned axis, Value at, bool masked, Body body);
  void emitStores(OpBuilder &builder);
  void emitGroup(OpBuilder &builder, AxisSet domain, ArrayRef<StoreOp> stores);
  void prepare(OpBuilder &builder);

  const AccessTable &table;
  const NestPlan &plan;
  HostKernel host;
  VectorExpr expr;
  Location loc;
};

} // namespace

void NestEmitter::emitFor(OpBuilder &builder, Value first, Value end, int64_t step, LoopBody body) {
  auto loop = scf::ForOp::create(builder, loc, first, end, constant(builder, step));
  OpBuilder inside = OpBuilder::atBlockBegin(loop.getBody());
  body(inside, loop.getInductionVar());
}

void NestEmitter::emit() {
  OpBuilder builder = OpBuilder::atBlockBegin(&host.function.getBody().front());
  Value perTask = constant(builder, plan.unitsPerTask);
  Value first = builder.createOrFold<arith::MulIOp>(loc, host.firstTask, perTask);
  Value end = builder.createOrFold<arith::MulIOp>(loc, host.endTask, perTask);
  if (plan.tasks * plan.unitsPerTask != plan.units) {
    end = arith::MinSIOp::create(builder, loc, end, constant(builder, plan.units));
  }
  emitFor(builder, first, end, 1, [&](OpBuilder &inside, Value unit) { emitUnit(inside, unit); });
  func::ReturnOp::create(builder, loc);
}

void NestEmitter::emitUnit(OpBuilder &builder, Value unit) {
  VectorExpr::Scope scope(expr);
  Value rest = unit;
  // The last digit of a row-major index needs a remainder, the first one none.
  auto takeDigit = [&](int64_t extent, bool isFirst) {
    if (isFirst) {
      return rest;
    }
    Value by = constant(builder, extent);
    Value digit = arith::RemUIOp::create(builder, loc, rest, by);
    rest = arith::DivUIOp::create(builder, loc, rest, by);
    return digit;
  };
  Value chunk;
  if (plan.chunks > 1) {
    chunk = takeDigit(plan.chunks, plan.taskAxes.empty());
  }
  for (size_t i = plan.taskAxes.size(); i-- > 0;) {
    unsigned axis = plan.taskAxes[i];
    expr.assign(axis, takeDigit(table.extent(axis), i == 0));
  }
  prepare(builder);
  emitLoops(builder, plan.loopAxes, [&](OpBuilder &inside) {
    if (!plan.lane) {
      emitStores(inside);
      return;
    }
    Value first = constant(inside, 0);
    Value end = constant(inside, table.extent(*plan.lane));
    if (chunk) {
      Value size = constant(inside, plan.chunk);
      first = arith::MulIOp::create(inside, loc, chunk, size);
      Value next = arith::AddIOp::create(inside, loc, first, size);
      end = arith::MinSIOp::create(inside, loc, next, end);
    }
    emitLanes(inside, *plan.lane, first, end, [&](OpBuilder &b) { emitStores(b); });
  });
}

void NestEmitter::emitLoops(OpBuilder &builder, ArrayRef<unsigned> axes, Body body) {
  if (axes.empty()) {
    body(builder);
    return;
  }
  emitFor(builder, constant(builder, 0), constant(builder, table.extent(axes.front())), 1,
          [&](OpBuilder &inside, Value index) {
            VectorExpr::Scope scope(expr);
            expr.assign(axes.front(), index);
            prepare(inside);
            emitLoops(inside, axes.drop_front(), body);
          });
}

void NestEmitter::emitVector(OpBuilder &builder, unsigned axis, Value at, bool masked, Body body) {
  VectorExpr::Scope scope(expr);
  expr.assignLanes(axis, at);
  if (masked) {
    LaneIndexEmitter emit(builder, loc, plan.width);
    LaneIndex left = emit.add(LaneIndex::constant(table.extent(axis) - 1),
                              emit.scale(LaneIndex::strided(at, 1), -1));
    expr.setLaneMask(emit.holds(left, /*equality=*/false,
                                /*narrow=*/table.extent(axis) < INT32_MAX - plan.width));
  }
  body(builder);
}

void NestEmitter::emitLanes(OpBuilder &builder, unsigned axis, Value first, Value end, Body body) {
  int64_t extent = table.extent(axis);
  int64_t width = plan.width;
  if (extent % width == 0) {
    emitFor(builder, first, end, width, [&](OpBuilder &inside, Value at) {
      emitVector(inside, axis, at, /*masked=*/false, body);
    });
    return;
  }
  if (plan.overlap && extent >= width) {
    Value last = constant(builder, extent - width);
    emitFor(builder, first, end, width, [&](OpBuilder &inside, Value at) {
      Value start = arith::MinSIOp::create(inside, loc, at, last);
      emitVector(inside, axis, start, /*masked=*/false, body);
    });
    return;
  }
  if (extent < width) {
    emitVector(builder, axis, constant(builder, 0), /*masked=*/true, body);
    return;
  }
  emitFor(builder, first, end, width, [&](OpBuilder &inside, Value at) {
    emitVector(inside, axis, at, /*masked=*/true, body);
  });
}

void NestEmitter::prepare(OpBuilder &builder) {
  for (auto store : bodyOf(table).getOps<StoreOp>()) {
    expr.prepare(builder, store.getValue());
  }
}

void NestEmitter::emitStores(OpBuilder &builder) {
  llvm::MapVector<AxisSet, SmallVector<StoreOp>> groups;
  for (auto store : bodyOf(table).getOps<StoreOp>()) {
    groups[table.domainOf(store)].push_back(store);
  }
  bool loops = llvm::any_of(
      groups, [&](const auto &group) { return (group.first & ~expr.assignedAxes()) != 0; });
  if (loops) {
    prepare(builder);
  }
  for (auto &[domain, stores] : groups) {
    VectorExpr::Scope scope(expr);
    emitGroup(builder, domain, stores);
  }
}

void NestEmitter::emitGroup(OpBuilder &builder, AxisSet domain, ArrayRef<StoreOp> stores) {
  auto storeAll = [&](OpBuilder &inside) {
    for (StoreOp store : stores) {
      expr.emitStore(inside, store);
    }
  };
  AxisSet rest = domain & ~expr.assignedAxes();
  std::optional<unsigned> lane;
  if (!plan.lane && plan.width > 1) {
    lane = cheapestLane(table, rest & ~scatteredAxes(table), plan.width);
  }
  SmallVector<unsigned> axes;
  for (unsigned axis = 0; axis < table.numAxes(); ++axis) {
    if (contains(rest, axis) && axis != lane) {
      axes.push_back(axis);
    }
  }
  emitLoops(builder, axes, [&](OpBuilder &inside) {
    if (!lane) {
      storeAll(inside);
      return;
    }
    emitLanes(inside, *lane, constant(inside, 0), constant(inside, table.extent(*lane)), storeAll);
  });
}

void emitNest(const AccessTable &table, const NestPlan &plan) {
  KernelOp kernel = table.kernel();
  OpBuilder builder(kernel);
  HostKernel host = HostKernel::create(builder, kernel, plan.tasks, /*scratchBytes=*/0);
  NestEmitter(table, plan, host).emit();
  kernel.erase();
}

} // namespace zyxc

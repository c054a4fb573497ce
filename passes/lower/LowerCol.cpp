#include "passes/lower/LowerCol.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/lower/HostKernel.h"
#include "passes/lower/LoopNest.h"
#include "passes/lower/emit/LaneChoice.h"
#include "passes/lower/emit/Monoid.h"
#include "passes/lower/emit/VectorExpr.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

/// Rows that pass over the accumulators together.
static constexpr int64_t rowsAtOnce = 8;
/// Fewer rows are a window: registers hold the accumulators.
static constexpr int64_t minRows = 32;
/// Columns of one task: at least what makes reading a row efficient, at most what leaves the
/// accumulators in the first cache.
static constexpr int64_t minStrip = 512, maxStrip = 4096, wantedStrips = 4;

/// Accumulators that registers hold; and loads that one turn of a loop around them has.
static constexpr int64_t maxInRegisters = 8, loadsAtOnce = 16;

namespace {

struct ColPlan {
  SmallVector<ReduceOp> reduces;
  SmallVector<StoreOp> stores;
  SmallVector<unsigned> rows;  ///< reduced axes, outermost first
  SmallVector<unsigned> outer; ///< axes of the results but the lanes
  unsigned lane = 0;
  int64_t width = 1;
  int64_t strip = 0; ///< columns of a task
  int64_t strips = 0;

  /// Vectors of a task that has all columns.
  int64_t vectors() const { return strip / width; }
  bool inRegisters() const {
    return strips == 1 && vectors() * static_cast<int64_t>(reduces.size()) <= maxInRegisters;
  }
};

class ColEmitter {
public:
  ColEmitter(const AccessTable &table, ColPlan columns, const HostKernel &host)
      : table(table), plan(std::move(columns)), host(host),
        expr(table, this->host.ports, plan.width), loc(table.kernel().getLoc()) {}
  void emit();

private:
  using Body = function_ref<void(OpBuilder &, Value)>;
  Value constant(OpBuilder &builder, int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  void emitFor(OpBuilder &builder, Value first, Value end, int64_t step, Body body);
  void emitTask(OpBuilder &builder, Value task);
  /// For the columns [first, end): each vector in a scope with its coordinates.
  void emitVectors(OpBuilder &builder, Body body);
  void emitRows(OpBuilder &builder, unsigned depth);
  /// Few vectors: rows pass over accumulators in registers, so memory is read in its order.
  SmallVector<Value> emitRowsInRegisters(OpBuilder &builder, unsigned depth,
                                         SmallVector<Value> sums);
  SmallVector<Value> addRows(OpBuilder &builder, Value row, int64_t count, ValueRange sums);
  void emitTaskInRegisters(OpBuilder &builder);
  /// The vector of columns from `at` on, in a scope of the caller.
  void assignColumns(OpBuilder &builder, Value at);
  void storeResults(OpBuilder &builder, llvm::function_ref<Value(size_t reduce)> result);
  /// Adds rows [row, row + count) to the accumulators.
  void emitStep(OpBuilder &builder, Value row, int64_t count);
  Value load(OpBuilder &builder, size_t reduce, Value at);

  const AccessTable &table;
  ColPlan plan;
  HostKernel host;
  VectorExpr expr;
  Location loc;
  SmallVector<Monoid> monoids;
  SmallVector<Value> accumulators;
  Value first, end; ///< columns of the task
};

} // namespace

static bool hasReduceBelow(Value value) {
  SmallVector<Value> work = {value};
  DenseSet<Operation *> seen;
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (!op || !seen.insert(op).second) {
      continue;
    }
    if (isa<ReduceOp>(op)) {
      return true;
    }
    work.append(op->operand_begin(), op->operand_end());
  }
  return false;
}

/// Fills all of the plan but the sizes; nothing if the kernel is of another family.
static std::optional<ColPlan> findPlan(const AccessTable &table, unsigned vectorBits) {
  ColPlan plan;
  for (Operation &op : table.kernel()->getRegion(0).front()) {
    if (auto reduce = dyn_cast<ReduceOp>(op)) {
      if (reduce.isArg() || reduce.getOrder() == ReduceOrder::Serial ||
          hasReduceBelow(reduce.getValue())) {
        return std::nullopt;
      }
      plan.reduces.push_back(reduce);
    } else if (auto store = dyn_cast<StoreOp>(op)) {
      if (!store.getCoords().empty() || store.getCombine() != Combine::None) {
        return std::nullopt;
      }
      plan.stores.push_back(store);
    } else if (isa<ScanOp, FoldOp>(op)) {
      return std::nullopt;
    }
  }
  if (plan.reduces.empty() || plan.stores.empty()) {
    return std::nullopt;
  }
  AxisSet rows = table.reducedBy(plan.reduces.front());
  AxisSet columns = table.axesOf(plan.reduces.front().getResult());
  for (ReduceOp reduce : plan.reduces) {
    if (table.reducedBy(reduce) != rows || table.axesOf(reduce.getResult()) != columns ||
        table.axesOf(reduce.getValue()) != (rows | columns)) {
      return std::nullopt;
    }
  }
  for (StoreOp store : plan.stores) {
    if (table.domainOf(store) != columns) {
      return std::nullopt;
    }
  }
  plan.width = lanesFor(table, vectorBits);
  std::optional<unsigned> lane = cheapestLane(table, columns, plan.width);
  if (lane && isa_and_nonnull<ColScheduleAttr>(zyxk::KernelOp(table.kernel()).getScheduleAttr())) {
    // Asked for, it is kept, whatever vectors the machine has.
    auto extent = static_cast<uint64_t>(std::max<int64_t>(table.extent(*lane), 1));
    plan.width = std::min(plan.width, static_cast<int64_t>(llvm::bit_floor(extent)));
  }
  if (!lane || table.extent(*lane) < plan.width || table.points(rows) < minRows) {
    return std::nullopt;
  }
  plan.lane = *lane;
  for (unsigned axis = 0; axis < table.numAxes(); ++axis) {
    if (contains(rows, axis)) {
      plan.rows.push_back(axis);
    } else if (contains(columns, axis) && axis != plan.lane) {
      plan.outer.push_back(axis);
    }
  }
  return plan;
}

/// Every load that the rows read is contiguous along the lanes, or does not depend on them.
static bool readsColumns(const AccessTable &table, const ColPlan &plan) {
  return llvm::all_of(table.kernel()->getRegion(0).front(), [&](Operation &op) {
    if (!isa<LoadOp>(op) || !contains(table.accessOf(&op).axes, plan.lane)) {
      return true;
    }
    auto factors = factorsOf(table.accessOf(&op).linear, plan.lane, plan.lane);
    return factors && factors->first == 1 && !table.accessOf(&op).clamped;
  });
}

bool isColumns(AccessTable table, unsigned vectorBits) {
  table.mergeAxes();
  std::optional<ColPlan> plan = findPlan(table, vectorBits);
  return plan && readsColumns(table, *plan);
}

void ColEmitter::emitFor(OpBuilder &builder, Value from, Value to, int64_t step, Body body) {
  auto loop = scf::ForOp::create(builder, loc, from, to, constant(builder, step));
  OpBuilder inside = OpBuilder::atBlockBegin(loop.getBody());
  body(inside, loop.getInductionVar());
}

void ColEmitter::emit() {
  OpBuilder builder = OpBuilder::atBlockBegin(&host.function.getBody().front());
  int64_t offset = 0;
  for (ReduceOp reduce : plan.reduces) {
    Type element = reduce.getValue().getType();
    monoids.emplace_back(reduce, table.points(table.reducedBy(reduce)));
    accumulators.push_back(
        memref::ViewOp::create(builder, loc, MemRefType::get(plan.strip, element), host.scratch,
                               constant(builder, offset), ValueRange()));
    offset += llvm::alignTo(plan.strip * llvm::divideCeil(element.getIntOrFloatBitWidth(), 8), 64);
  }
  emitFor(builder, host.firstTask, host.endTask, 1,
          [&](OpBuilder &inside, Value task) { emitTask(inside, task); });
  func::ReturnOp::create(builder, loc);
}

void ColEmitter::assignColumns(OpBuilder &builder, Value at) {
  expr.assignLanes(plan.lane, at, 1, plan.width);
  int64_t extent = table.extent(plan.lane);
  if (extent % plan.width != 0) {
    LaneIndexEmitter emit(builder, loc, plan.width);
    LaneIndex left =
        emit.add(LaneIndex::constant(extent - 1), emit.scale(LaneIndex::strided(at, 1), -1));
    expr.setLaneMask(emit.holds(left, /*equality=*/false, extent < INT32_MAX - plan.width));
  }
}

void ColEmitter::emitVectors(OpBuilder &builder, Body body) {
  emitFor(builder, first, end, plan.width, [&](OpBuilder &inside, Value at) {
    VectorExpr::Scope scope(expr);
    assignColumns(inside, at);
    body(inside, arith::SubIOp::create(inside, loc, at, first));
  });
}

Value ColEmitter::load(OpBuilder &builder, size_t reduce, Value at) {
  auto type = VectorType::get(plan.width, plan.reduces[reduce].getValue().getType());
  return vector::LoadOp::create(builder, loc, type, accumulators[reduce], at);
}

void ColEmitter::emitStep(OpBuilder &builder, Value row, int64_t count) {
  emitVectors(builder, [&](OpBuilder &inside, Value at) {
    SmallVector<SmallVector<Accumulator>> points(plan.reduces.size());
    for (int64_t i = 0; i < count; ++i) {
      VectorExpr::Scope scope(expr);
      Value by = constant(inside, i);
      expr.assign(plan.rows.back(), inside.createOrFold<arith::AddIOp>(loc, row, by));
      for (auto [reduce, own] : llvm::zip_equal(plan.reduces, points)) {
        own.push_back({expr.evaluateVector(inside, reduce.getValue()), Value()});
      }
    }
    for (auto [i, own] : llvm::enumerate(points)) {
      for (size_t distance = 1; distance < own.size(); distance *= 2) {
        for (size_t k = 0; k + distance < own.size(); k += 2 * distance) {
          own[k] = monoids[i].combine(inside, own[k], own[k + distance]);
        }
      }
      Accumulator sum = monoids[i].combine(inside, {load(inside, i, at), Value()}, own.front());
      vector::StoreOp::create(inside, loc, sum.value, accumulators[i], at);
    }
  });
}

SmallVector<Value> ColEmitter::addRows(OpBuilder &builder, Value row, int64_t count,
                                       ValueRange sums) {
  SmallVector<Value> next(sums);
  for (int64_t i = 0; i < count; ++i) {
    VectorExpr::Scope scope(expr);
    Value by = constant(builder, i);
    expr.assign(plan.rows.back(), builder.createOrFold<arith::AddIOp>(loc, row, by));
    size_t sum = 0;
    for (int64_t number = 0; number < plan.vectors(); ++number) {
      VectorExpr::Scope vector(expr);
      assignColumns(builder, constant(builder, number * plan.width));
      for (auto [monoid, reduce] : llvm::zip_equal(monoids, plan.reduces)) {
        Value value = expr.evaluateVector(builder, reduce.getValue());
        next[sum] = monoid.combine(builder, {next[sum], Value()}, {value, Value()}).value;
        ++sum;
      }
    }
  }
  return next;
}

SmallVector<Value> ColEmitter::emitRowsInRegisters(OpBuilder &builder, unsigned depth,
                                                   SmallVector<Value> sums) {
  int64_t extent = table.extent(plan.rows[depth]);
  bool isLast = depth + 1 == plan.rows.size();
  int64_t together =
      isLast ? std::max<int64_t>(loadsAtOnce / static_cast<int64_t>(sums.size()), 1) : 1;
  int64_t whole = extent - extent % together;
  auto loop = [&](int64_t from, int64_t to, int64_t step) {
    auto op = scf::ForOp::create(builder, loc, constant(builder, from), constant(builder, to),
                                 constant(builder, step), sums);
    OpBuilder inside = OpBuilder::atBlockEnd(op.getBody());
    Value row = op.getInductionVar();
    SmallVector<Value> carried(op.getRegionIterArgs());
    if (isLast) {
      carried = addRows(inside, row, step, carried);
    } else {
      VectorExpr::Scope scope(expr);
      expr.assign(plan.rows[depth], row);
      carried = emitRowsInRegisters(inside, depth + 1, carried);
    }
    scf::YieldOp::create(inside, loc, carried);
    sums.assign(op.getResults().begin(), op.getResults().end());
  };
  if (whole > 0) {
    loop(0, whole, together);
  }
  if (whole < extent) {
    loop(whole, extent, 1);
  }
  return sums;
}

void ColEmitter::emitTaskInRegisters(OpBuilder &builder) {
  SmallVector<Value> sums;
  for (int64_t number = 0; number < plan.vectors(); ++number) {
    for (const Monoid &monoid : monoids) {
      sums.push_back(monoid.identity(builder, plan.width).value);
    }
  }
  sums = emitRowsInRegisters(builder, 0, sums);
  for (int64_t number = 0; number < plan.vectors(); ++number) {
    VectorExpr::Scope scope(expr);
    assignColumns(builder, constant(builder, number * plan.width));
    storeResults(builder,
                 [&](size_t reduce) { return sums[number * plan.reduces.size() + reduce]; });
  }
}

void ColEmitter::storeResults(OpBuilder &builder, llvm::function_ref<Value(size_t reduce)> result) {
  for (auto [i, reduce] : llvm::enumerate(plan.reduces)) {
    expr.bind(reduce.getResult(), result(i));
  }
  for (StoreOp store : plan.stores) {
    expr.emitStore(builder, store);
  }
}

void ColEmitter::emitRows(OpBuilder &builder, unsigned depth) {
  int64_t extent = table.extent(plan.rows[depth]);
  if (depth + 1 < plan.rows.size()) {
    emitFor(builder, constant(builder, 0), constant(builder, extent), 1,
            [&](OpBuilder &inside, Value at) {
              VectorExpr::Scope scope(expr);
              expr.assign(plan.rows[depth], at);
              emitRows(inside, depth + 1);
            });
    return;
  }
  int64_t whole = extent - extent % rowsAtOnce;
  if (whole > 0) {
    emitFor(builder, constant(builder, 0), constant(builder, whole), rowsAtOnce,
            [&](OpBuilder &inside, Value row) { emitStep(inside, row, rowsAtOnce); });
  }
  if (whole < extent) {
    emitFor(builder, constant(builder, whole), constant(builder, extent), 1,
            [&](OpBuilder &inside, Value row) { emitStep(inside, row, 1); });
  }
}

void ColEmitter::emitTask(OpBuilder &builder, Value task) {
  VectorExpr::Scope scope(expr);
  Value rest = task;
  auto take = [&](int64_t extent) -> Value {
    Value by = constant(builder, extent);
    Value digit = arith::RemUIOp::create(builder, loc, rest, by);
    rest = arith::DivUIOp::create(builder, loc, rest, by);
    return digit;
  };
  Value strip = take(plan.strips);
  for (unsigned axis : llvm::reverse(plan.outer)) {
    expr.assign(axis, take(table.extent(axis)));
  }
  if (plan.inRegisters()) {
    emitTaskInRegisters(builder);
    return;
  }
  Value size = constant(builder, plan.strip);
  first = arith::MulIOp::create(builder, loc, strip, size);
  end = arith::MinSIOp::create(builder, loc, arith::AddIOp::create(builder, loc, first, size),
                               constant(builder, table.extent(plan.lane)));
  emitVectors(builder, [&](OpBuilder &inside, Value at) {
    for (auto [monoid, memory] : llvm::zip_equal(monoids, accumulators)) {
      Value identity = monoid.identity(inside, plan.width).value;
      vector::StoreOp::create(inside, loc, identity, memory, at);
    }
  });
  emitRows(builder, 0);
  emitVectors(builder, [&](OpBuilder &inside, Value at) {
    storeResults(inside, [&](size_t reduce) { return load(inside, reduce, at); });
  });
}

/// Chooses strips; returns the number of tasks.
static int64_t planStrips(const AccessTable &table, ColPlan &plan) {
  int64_t extent = table.extent(plan.lane);
  int64_t strip = std::clamp<int64_t>(llvm::divideCeil(extent, wantedStrips), minStrip, maxStrip);
  plan.strip = llvm::alignTo(std::min(strip, extent), plan.width);
  plan.strips = llvm::divideCeil(extent, plan.strip);
  int64_t tasks = plan.strips;
  for (unsigned axis : plan.outer) {
    tasks *= table.extent(axis);
  }
  return tasks;
}

int64_t columnTasks(AccessTable table, unsigned vectorBits) {
  table.mergeAxes();
  std::optional<ColPlan> plan = findPlan(table, vectorBits);
  assert(plan && "not of the col family");
  return planStrips(table, *plan);
}

void lowerCol(AccessTable &table, unsigned vectorBits) {
  table.mergeAxes();
  std::optional<ColPlan> plan = findPlan(table, vectorBits);
  assert(plan && "not of the col family");
  int64_t tasks = planStrips(table, *plan);
  int64_t scratch = 0;
  for (ReduceOp reduce : plan->reduces) {
    int64_t bytes = llvm::divideCeil(reduce.getValue().getType().getIntOrFloatBitWidth(), 8);
    scratch += llvm::alignTo(plan->strip * bytes, 64);
  }
  KernelOp kernel = table.kernel();
  OpBuilder builder(kernel);
  HostKernel host = HostKernel::create(builder, kernel, tasks, scratch);
  ColEmitter(table, *plan, host).emit();
  kernel.erase();
}

} // namespace zyxc

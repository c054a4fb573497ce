#include "passes/lower/LoopNest.h"
#include "dialects/zyxk/IR/PortElements.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/lower/HostFunction.h"
#include "passes/lower/HostKernel.h"
#include "passes/lower/LateStores.h"
#include "passes/lower/ScanRows.h"
#include "passes/lower/emit/LaneChoice.h"
#include "passes/lower/emit/VectorExpr.h"
#include "passes/lower/open/PlanSizes.h"
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
/// Kernels that move more than this do not leave their outputs in the caches.
static constexpr int64_t streamedBytes = 32 << 20;
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
    } else if (auto reduce = dyn_cast<ReduceOp>(op); reduce && table.countOf(reduce)) {
      continue;
    } else if (isa<ReduceOp, ExpsumOp, WelfordOp, FoldOp>(op)) {
      for (Value result : op.getResults()) {
        shared &= table.axesOf(result);
      }
    } else if (auto scan = dyn_cast<ScanOp>(op)) {
      shared &= table.axesOf(scan.getResult()) & ~axisBit(scan.getAxis());
    }
  }
  return anyStore ? shared : 0;
}

/// Points of a store that combines may meet at one element: its coordinates are not just axes.
static bool mayMeet(StoreOp store) {
  AffineMap map = store.getMap();
  auto plain = AffineMap::get(map.getNumDims(), 0, map.getResults(), map.getContext());
  return store.getCombine() != Combine::None &&
         !plain.isProjectedPermutation(/*allowZeroInResults=*/true);
}

AxisSet scatteredAxes(const AccessTable &table) {
  AxisSet axes = 0;
  for (auto store : bodyOf(table).getOps<StoreOp>()) {
    for (Value coord : store.getCoords()) {
      axes |= table.axesOf(coord);
    }
    if (mayMeet(store)) {
      axes |= table.domainOf(store);
    }
  }
  return axes;
}

/// Stores may meet at one element, so that their order matters.
static bool mustBeOneTask(const AccessTable &table) {
  return llvm::any_of(bodyOf(table).getOps<StoreOp>(),
                      [](StoreOp store) { return !store.getCoords().empty() || mayMeet(store); });
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

bool shouldStream(KernelOp kernel) {
  int64_t bytes = 0;
  for (unsigned port = 0; port < kernel.getNumPorts(); ++port) {
    PortType type = kernel.getPortType(port);
    if (kernel.getNumDims() != 0) {
      return false; // it is not known
    }
    int64_t bits =
        type.getElementType().isIndex() ? 64 : type.getElementType().getIntOrFloatBitWidth();
    bytes = saturatingAdd(bytes, zyxk::portElements(type) * llvm::divideCeil(bits, 8));
  }
  return bytes > streamedBytes;
}

void planTasks(const AccessTable &table, NestPlan &plan, int64_t perTask) {
  plan.overlap = mayStoreTwice(table);
  if (table.isOpen()) {
    planSizedTasks(table, plan, mustBeOneTask(table));
    return;
  }
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
        loc(table.kernel().getLoc()), sizes(this->host.function.front(), loc, this->host.dims) {
    expr.setSizes(&sizes);
  }

  void emit();

private:
  using Body = llvm::function_ref<void(OpBuilder &)>;
  using LoopBody = llvm::function_ref<void(OpBuilder &, Value)>;

  Value constant(OpBuilder &builder, int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  /// The extent of an axis: a constant, or what the dims give.
  Value extentOf(OpBuilder &builder, unsigned axis) {
    return table.hasConstantExtent(axis) ? constant(builder, table.extent(axis))
                                         : sizes.atLeast(0, table.sizeOf(axis));
  }
  /// scf.for over [first, end).
  void emitFor(OpBuilder &builder, Value first, Value end, int64_t step, LoopBody body);
  void emitUnit(OpBuilder &builder, Value unit);
  /// The loops of a unit whose task axes have coordinates. `chunk`: along the lane axis, or null.
  void emitUnitBody(OpBuilder &builder, Value chunk);
  /// As emitUnitBody for several rows at once, from `row` on, if there are as many.
  void emitRows(OpBuilder &builder, Value chunk, Value row);
  /// The stores of several rows at the coordinates of the others.
  void emitStoresOfRows(OpBuilder &builder, Value row);
  /// `body` along the lane axis of a unit.
  void emitUnitLanes(OpBuilder &builder, Value chunk, Body body);
  /// An open kernel: once with rows that are held, once without, if it depends on their length.
  void emitSized(OpBuilder &builder);
  /// The units of an open kernel: their coordinates count up, without a division for each unit.
  void emitSizedUnits(OpBuilder &builder);
  void emitSizedLanes(OpBuilder &builder, unsigned axis, Value first, Value end, Body body);
  /// Gives the task axes their coordinates; the chunk along the lane axis, or null.
  Value assignUnit(OpBuilder &builder, Value unit);
  /// Units whose stores are emitted with the next one.
  void emitRowsLate(OpBuilder &builder, Value first, Value end);
  void prefetchNextRow(OpBuilder &builder);
  /// Loops over axes[depth..] in scopes, with what does not change inside them hoisted.
  void emitLoops(OpBuilder &builder, ArrayRef<unsigned> axes, Body body);
  /// Vectors of [first, end) along an axis of the whole kernel.
  void emitLanes(OpBuilder &builder, unsigned axis, Value first, Value end, Body body);
  /// `divisor`: a number that divides `at`.
  void emitVector(OpBuilder &builder, unsigned axis, Value at, bool masked, Body body,
                  int64_t divisor = 1);
  void emitStores(OpBuilder &builder);
  void emitGroup(OpBuilder &builder, AxisSet domain, ArrayRef<StoreOp> stores);
  void prepare(OpBuilder &builder);
  /// Scans whose rows have all of their coordinates now.
  void emitScans(OpBuilder &builder);

  const AccessTable &table;
  const NestPlan &plan;
  HostKernel host;
  VectorExpr expr;
  Location loc;
  RuntimeSizes sizes;
  std::optional<HeldRows> held;
  DenseSet<Operation *> scanned;
};

} // namespace

void NestEmitter::emitFor(OpBuilder &builder, Value first, Value end, int64_t step, LoopBody body) {
  auto loop = scf::ForOp::create(builder, loc, first, end, constant(builder, step));
  OpBuilder inside = OpBuilder::atBlockBegin(loop.getBody());
  body(inside, loop.getInductionVar());
}

void NestEmitter::emit() {
  OpBuilder builder = OpBuilder::atBlockBegin(&host.function.getBody().front());
  if (table.isOpen()) {
    expr.setRegistersPerVector(plan.registersPerVector);
    emitSized(builder);
    func::ReturnOp::create(builder, loc);
    return;
  }
  Value perTask = constant(builder, plan.unitsPerTask);
  Value first = builder.createOrFold<arith::MulIOp>(loc, host.firstTask, perTask);
  Value end = builder.createOrFold<arith::MulIOp>(loc, host.endTask, perTask);
  if (plan.tasks * plan.unitsPerTask != plan.units) {
    end = arith::MinSIOp::create(builder, loc, end, constant(builder, plan.units));
  }
  expr.setStreaming(plan.streams);
  expr.setRegistersPerVector(plan.registersPerVector);
  if (plan.storesLate) {
    emitRowsLate(builder, first, end);
  } else {
    held.emplace(builder, loc, expr, plan.held, host.scratch);
    emitFor(builder, first, end, 1, [&](OpBuilder &inside, Value unit) { emitUnit(inside, unit); });
  }
  if (plan.streams) {
    LLVM::FenceOp::create(builder, loc, LLVM::AtomicOrdering::seq_cst);
  }
  func::ReturnOp::create(builder, loc);
}

void NestEmitter::prefetchNextRow(OpBuilder &builder) {
  unsigned row = plan.taskAxes.back();
  for (auto load : bodyOf(table).getOps<LoadOp>()) {
    const Access &access = table.accessOf(load);
    auto rowStep = factorsOf(access.linear, row, row);
    auto laneStep = factorsOf(access.linear, plan.held.front().axis, plan.held.front().axis);
    if (!access.clamped && load.getCoords().empty() && rowStep && rowStep->first != 0 && laneStep &&
        laneStep->first == 1) {
      expr.emitPrefetch(builder, load, rowStep->first, /*level=*/1);
    }
  }
}

void NestEmitter::emitRowsLate(OpBuilder &builder, Value first, Value end) {
  LateStores late(table, plan, host.ports, host.scratch);
  Value one = constant(builder, 1);
  auto loop = scf::ForOp::create(builder, loc, first, end, one, late.initial(builder));
  {
    OpBuilder inside = OpBuilder::atBlockEnd(loop.getBody());
    Value unit = loop.getInductionVar();
    Value previous = arith::SubIOp::create(inside, loc, unit, one);
    Value hasPrevious = arith::CmpIOp::create(inside, loc, arith::CmpIPredicate::ne, unit, first);
    late.begin(inside, previous, loop.getRegionIterArgs());
    VectorExpr::Scope scope(expr);
    assignUnit(inside, unit);
    held.emplace(inside, loc, expr, plan.held, host.scratch,
                 LateStores::shiftOf(inside, loc, plan, unit));
    held->setBeside([&](OpBuilder &b, Value at) {
      prefetchNextRow(b);
      auto branch = scf::IfOp::create(b, loc, hasPrevious);
      OpBuilder then = OpBuilder::atBlockBegin(branch.thenBlock());
      late.emitVector(then, at);
    });
    prepare(inside);
    if (held->besideIsOpen()) {
      auto branch = scf::IfOp::create(inside, loc, hasPrevious);
      OpBuilder then = OpBuilder::atBlockBegin(branch.thenBlock());
      late.emitRow(then);
    }
    SmallVector<Value> carried;
    for (Value value : late.carried()) {
      carried.push_back(expr.evaluate(inside, value));
    }
    scf::YieldOp::create(inside, loc, carried);
    held.reset();
    late.end();
  }
  Value any = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, first, end);
  auto branch = scf::IfOp::create(builder, loc, any);
  OpBuilder then = OpBuilder::atBlockBegin(branch.thenBlock());
  late.begin(then, arith::SubIOp::create(then, loc, end, one), loop.getResults());
  late.emitRow(then);
  late.end();
}

Value NestEmitter::assignUnit(OpBuilder &builder, Value unit) {
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
  return chunk;
}

void NestEmitter::emitUnit(OpBuilder &builder, Value unit) {
  VectorExpr::Scope scope(expr);
  emitUnitBody(builder, assignUnit(builder, unit));
}

void NestEmitter::emitSized(OpBuilder &builder) {
  auto emitUnits = [&](OpBuilder &inside, ArrayRef<HeldValue> values) {
    held.emplace(inside, loc, expr, values, host.scratch);
    scanned.clear();
    emitSizedUnits(inside);
    held.reset();
  };
  Value fits;
  SmallVector<HeldValue> always;
  for (const HeldValue &value : plan.held) {
    if (table.hasConstantExtent(value.axis)) {
      always.push_back(value);
      continue;
    }
    Value one =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sle,
                              extentOf(builder, value.axis), constant(builder, mostHeldElements));
    fits = fits ? arith::AndIOp::create(builder, loc, fits, one).getResult() : one;
  }
  if (!fits) {
    emitUnits(builder, always);
    return;
  }
  auto branch = scf::IfOp::create(builder, loc, fits, /*withElseRegion=*/true);
  OpBuilder inside = OpBuilder::atBlockBegin(branch.thenBlock());
  emitUnits(inside, plan.held);
  inside = OpBuilder::atBlockBegin(branch.elseBlock());
  emitUnits(inside, always);
}

/// A digit of the number of a unit.
struct UnitDigit {
  std::optional<unsigned> axis; ///< none: the chunk
  Value extent;
};

void NestEmitter::emitSizedUnits(OpBuilder &builder) {
  SmallVector<UnitDigit> digits;
  for (unsigned axis : plan.taskAxes) {
    int64_t blocks = dim::ceilDiv(table.sizeOf(axis), plan.rows);
    digits.push_back(
        {axis, axis == plan.rowAxis ? sizes.atLeast(0, blocks) : extentOf(builder, axis)});
  }
  if (plan.chunks != 1) {
    digits.insert(plan.chunksFirst ? digits.begin() : digits.end(),
                  {std::nullopt, sizes.atLeast(0, plan.chunks)});
  }
  Value one = constant(builder, 1);
  Value zero = constant(builder, 0);
  Value units = one;
  SmallVector<Value> initial(digits.size());
  Value rest = host.firstTask;
  for (size_t i = digits.size(); i-- > 0;) {
    units = builder.createOrFold<arith::MulIOp>(loc, units, digits[i].extent);
    Value by = i ? arith::MaxSIOp::create(builder, loc, digits[i].extent, one) : Value();
    initial[i] = i ? arith::RemUIOp::create(builder, loc, rest, by).getResult() : rest;
    rest = i ? arith::DivUIOp::create(builder, loc, rest, by).getResult() : rest;
  }
  Value end = arith::MinSIOp::create(builder, loc, host.endTask, units);
  auto loop = scf::ForOp::create(builder, loc, host.firstTask, end, one, initial);
  OpBuilder inside = OpBuilder::atBlockBegin(loop.getBody());
  VectorExpr::Scope scope(expr);
  Value chunk;
  Value rowBlock;
  for (auto [digit, value] : llvm::zip_equal(digits, loop.getRegionIterArgs())) {
    if (!digit.axis) {
      chunk = value;
    } else if (digit.axis == plan.rowAxis) {
      rowBlock = value;
    } else {
      expr.assign(*digit.axis, value);
    }
  }
  if (rowBlock) {
    Value rows = constant(inside, plan.rows);
    emitRows(inside, chunk, arith::MulIOp::create(inside, loc, rowBlock, rows));
  } else {
    emitUnitBody(inside, chunk);
  }
  SmallVector<Value> next(loop.getRegionIterArgs());
  Value carry = one;
  for (size_t i = digits.size(); i-- > 0;) {
    next[i] = arith::AddIOp::create(inside, loc, next[i], carry);
    if (i > 0) {
      Value wraps =
          arith::CmpIOp::create(inside, loc, arith::CmpIPredicate::eq, next[i], digits[i].extent);
      next[i] = arith::SelectOp::create(inside, loc, wraps, zero, next[i]);
      carry = arith::SelectOp::create(inside, loc, wraps, one, zero);
    }
  }
  if (!digits.empty()) {
    scf::YieldOp::create(inside, loc, next);
  }
}

void NestEmitter::emitRows(OpBuilder &builder, Value chunk, Value row) {
  unsigned axis = *plan.rowAxis;
  Value one = constant(builder, 1);
  Value extent = extentOf(builder, axis);
  Value behind = arith::AddIOp::create(builder, loc, row, constant(builder, plan.rows));
  Value isWhole = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sle, behind, extent);
  prepare(builder);
  auto branch = scf::IfOp::create(builder, loc, isWhole, /*withElseRegion=*/true);
  {
    VectorExpr::Scope scope(expr);
    OpBuilder inside = OpBuilder::atBlockBegin(branch.thenBlock());
    emitUnitLanes(inside, chunk, [&](OpBuilder &b) { emitStoresOfRows(b, row); });
  }
  VectorExpr::Scope scope(expr);
  OpBuilder inside = OpBuilder::atBlockBegin(branch.elseBlock());
  auto loop = scf::ForOp::create(inside, loc, row, extent, one);
  OpBuilder each = OpBuilder::atBlockBegin(loop.getBody());
  expr.assign(axis, loop.getInductionVar());
  emitUnitBody(each, chunk);
}

void NestEmitter::emitStoresOfRows(OpBuilder &builder, Value row) {
  ReduceOp reduce = onlyReduction(table);
  prepare(builder);
  SmallVector<Value> results = expr.reduceRows(builder, reduce, *plan.rowAxis, row, plan.rows);
  for (auto [number, result] : llvm::enumerate(results)) {
    VectorExpr::Scope scope(expr);
    expr.assign(*plan.rowAxis, row, /*divisor=*/1, static_cast<int64_t>(number));
    expr.bind(reduce.getResult(), result);
    for (auto store : bodyOf(table).getOps<StoreOp>()) {
      expr.emitStore(builder, store);
    }
  }
}

void NestEmitter::emitUnitBody(OpBuilder &builder, Value chunk) {
  prepare(builder);
  emitUnitLanes(builder, chunk, [&](OpBuilder &b) { emitStores(b); });
}

void NestEmitter::emitUnitLanes(OpBuilder &builder, Value chunk, Body body) {
  emitLoops(builder, plan.loopAxes, [&](OpBuilder &inside) {
    if (!plan.lane) {
      body(inside);
      return;
    }
    Value first = constant(inside, 0);
    Value end = extentOf(inside, *plan.lane);
    if (chunk) {
      Value size = constant(inside, plan.chunk);
      first = arith::MulIOp::create(inside, loc, chunk, size);
      Value next = arith::AddIOp::create(inside, loc, first, size);
      end = arith::MinSIOp::create(inside, loc, next, end);
    }
    emitLanes(inside, *plan.lane, first, end, body);
  });
}

void NestEmitter::emitLoops(OpBuilder &builder, ArrayRef<unsigned> axes, Body body) {
  if (axes.empty()) {
    body(builder);
    return;
  }
  Value first = constant(builder, 0);
  emitFor(builder, first, extentOf(builder, axes.front()), 1, [&](OpBuilder &inside, Value index) {
    VectorExpr::Scope scope(expr);
    expr.assign(axes.front(), index);
    prepare(inside);
    emitLoops(inside, axes.drop_front(), body);
  });
}

void NestEmitter::emitVector(OpBuilder &builder, unsigned axis, Value at, bool masked, Body body,
                             int64_t divisor) {
  VectorExpr::Scope scope(expr);
  expr.assignLanes(axis, at, 1, divisor);
  if (masked) {
    expr.setLaneMask(expr.lanesBelow(builder, loc, axis, at));
  }
  body(builder);
}

/// `first` is a multiple of the width. A last vector overlaps the one before it where that may be;
/// else, and where the axis is shorter than a vector, it is masked.
void NestEmitter::emitSizedLanes(OpBuilder &builder, unsigned axis, Value first, Value end,
                                 Body body) {
  Value width = constant(builder, plan.width);
  auto emitMasked = [&](OpBuilder &inside, Value at) {
    emitVector(inside, axis, at, /*masked=*/true, body, plan.width);
  };
  if (plan.overlap && plan.width > 1) {
    Value last = arith::SubIOp::create(builder, loc, extentOf(builder, axis), width);
    Value zero = constant(builder, 0);
    Value isLong = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, last, zero);
    auto branch = scf::IfOp::create(builder, loc, isLong, /*withElseRegion=*/true);
    OpBuilder inside = OpBuilder::atBlockBegin(branch.thenBlock());
    emitFor(inside, first, end, plan.width, [&](OpBuilder &b, Value at) {
      Value start = arith::MinSIOp::create(b, loc, at, last);
      emitVector(b, axis, start, /*masked=*/false, body);
    });
    inside = OpBuilder::atBlockBegin(branch.elseBlock());
    Value any = arith::CmpIOp::create(inside, loc, arith::CmpIPredicate::slt, first, end);
    auto some = scf::IfOp::create(inside, loc, any);
    inside = OpBuilder::atBlockBegin(some.thenBlock());
    emitMasked(inside, first);
    return;
  }
  Value count = arith::SubIOp::create(builder, loc, end, first);
  Value rest = arith::RemUIOp::create(builder, loc, count, width);
  Value whole = arith::SubIOp::create(builder, loc, end, rest);
  emitFor(builder, first, whole, plan.width, [&](OpBuilder &inside, Value at) {
    emitVector(inside, axis, at, /*masked=*/false, body, plan.width);
  });
  if (plan.width == 1) {
    return;
  }
  Value isRagged = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, whole, end);
  auto branch = scf::IfOp::create(builder, loc, isRagged);
  OpBuilder inside = OpBuilder::atBlockBegin(branch.thenBlock());
  emitMasked(inside, whole);
}

void NestEmitter::emitLanes(OpBuilder &builder, unsigned axis, Value first, Value end, Body body) {
  if (!table.hasConstantExtent(axis)) {
    emitSizedLanes(builder, axis, first, end, body);
    return;
  }
  int64_t extent = table.extent(axis);
  int64_t width = plan.width;
  if (extent % width == 0) {
    emitFor(builder, first, end, width, [&](OpBuilder &inside, Value at) {
      emitVector(inside, axis, at, /*masked=*/false, body, width);
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

void NestEmitter::emitScans(OpBuilder &builder) {
  for (auto scan : bodyOf(table).getOps<ScanOp>()) {
    if (!table.hasConstantExtent(scan.getAxis())) {
      continue; // emitted with the stores
    }
    AxisSet others = table.axesOf(scan.getResult()) & ~axisBit(scan.getAxis());
    if ((others & ~expr.assignedAxes()) == 0 && scanned.insert(scan).second) {
      emitScanRow(builder, expr, scan, held->memoryOf(scan.getResult()));
      held->setFilled(scan.getResult());
    }
  }
}

void NestEmitter::prepare(OpBuilder &builder) {
  emitScans(builder);
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
  SmallVector<ScanOp> scans = sizedScansBelow(table, stores);
  if (!scans.empty()) {
    lane = scans.front().getAxis();
  } else if (!plan.lane && plan.width > 1) {
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
    if (!scans.empty()) {
      emitScanLanes(inside, expr, sizes, scans, storeAll);
      return;
    }
    Value first = constant(inside, 0);
    emitLanes(inside, *lane, first, extentOf(inside, *lane), storeAll);
  });
}

void emitNest(const AccessTable &table, const NestPlan &plan) {
  KernelOp kernel = table.kernel();
  OpBuilder builder(kernel);
  HostKernel host =
      HostKernel::create(builder, kernel, plan.tasks, plan.heldBytes * (plan.storesLate ? 2 : 1));
  NestEmitter(table, plan, host).emit();
  kernel.erase();
}

} // namespace zyxc

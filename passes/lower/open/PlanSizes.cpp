#include "passes/lower/open/PlanSizes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

/// Elements of the lane axis in one unit: large against the start of a unit, small enough for
/// several threads.
static constexpr int64_t chunkElements = 4096;
/// The same where an element is a reduction: so many columns of its operands stay in a cache.
static constexpr int64_t reducedChunkElements = 128;

/// Rows of products that are computed at once: with two vectors of each, accumulators for a half of
/// the registers of AVX2.
static constexpr int64_t rowsAtOnce = 4;

static bool hasReductions(const AccessTable &table) {
  return llvm::any_of(table.kernel()->getRegion(0).front(),
                      [&](Operation &op) { return table.reducedBy(&op) != 0; });
}

/// Whether a reduction loads vectors that are the same at all points of an axis.
static bool sharesLoads(const AccessTable &table, ReduceOp reduce, unsigned axis, unsigned lane) {
  SmallVector<Operation *> work = {reduce};
  DenseSet<Operation *> seen;
  while (!work.empty()) {
    for (Value operand : work.pop_back_val()->getOperands()) {
      Operation *op = operand.getDefiningOp();
      if (!op || !seen.insert(op).second) {
        continue;
      }
      if (isa<LoadOp>(op)) {
        AxisSet axes = table.accessOf(op).axes;
        if (contains(axes, lane) && !contains(axes, axis) &&
            (axes & table.reducedBy(reduce)) != 0) {
          return true;
        }
      }
      work.push_back(op);
    }
  }
  return false;
}

ReduceOp onlyReduction(const AccessTable &table) {
  ReduceOp only;
  for (Operation &op : table.kernel()->getRegion(0).front()) {
    auto reduce = dyn_cast<ReduceOp>(op);
    if (reduce && table.countOf(reduce)) {
      continue;
    }
    if (isa<ScanOp, FoldOp>(op) || (reduce && only)) {
      return {};
    }
    only = reduce ? reduce : only;
  }
  return only;
}

std::optional<unsigned> rowAxisFor(const AccessTable &table, unsigned lane) {
  ReduceOp only = onlyReduction(table);
  if (!only || table.reducedBy(only) == 0 || only.isArg() ||
      only.getOrder() == ReduceOrder::Serial) {
    return std::nullopt;
  }
  AxisSet axes = sharedAxes(table) & ~scatteredAxes(table);
  for (auto store : table.kernel()->getRegion(0).front().getOps<StoreOp>()) {
    bool isWhole = (table.domainOf(store) & ~sharedAxes(table)) == 0;
    axes &= isWhole ? table.domainOf(store) : 0;
  }
  AxisSet own = table.axesOf(only.getResult());
  for (unsigned axis = table.numAxes(); axis-- > 0;) {
    bool isLong = !table.hasConstantExtent(axis) || table.extent(axis) >= rowsAtOnce;
    if (axis != lane && contains(axes & own, axis) && contains(axes & own, lane) && isLong &&
        sharesLoads(table, only, axis, lane)) {
      return axis;
    }
  }
  return std::nullopt;
}

void planSizedTasks(const AccessTable &table, NestPlan &plan, bool isOneTask) {
  AxisSet shared = sharedAxes(table);
  int64_t units = 1;
  if (plan.lane && !isOneTask && plan.width > 1) {
    plan.rowAxis = rowAxisFor(table, *plan.lane);
    plan.rows = plan.rowAxis ? rowsAtOnce : 1;
    plan.width *= plan.rowAxis && plan.registersPerVector == 1 ? 2 : 1;
  }
  for (unsigned axis = 0; axis < table.numAxes(); ++axis) {
    if (!contains(shared, axis) || axis == plan.lane) {
      continue;
    }
    if (isOneTask) {
      plan.loopAxes.push_back(axis);
    } else {
      plan.taskAxes.push_back(axis);
      bool isBlocked = axis == plan.rowAxis;
      units = dim::mul(units, isBlocked ? dim::ceilDiv(table.sizeOf(axis), plan.rows)
                                        : table.sizeOf(axis));
    }
  }
  if (plan.lane) {
    bool reduces = hasReductions(table);
    int64_t elements = reduces ? reducedChunkElements : chunkElements;
    plan.chunk = llvm::alignTo(elements, plan.width);
    plan.chunks = isOneTask ? 1 : dim::ceilDiv(table.sizeOf(*plan.lane), plan.chunk);
    plan.chunksFirst = reduces;
    units = dim::mul(units, plan.chunks);
  }
  plan.units = units;
  plan.unitsPerTask = 1;
  plan.tasks = units;
}

SmallVector<ScanOp> sizedScansBelow(const AccessTable &table, ArrayRef<StoreOp> stores) {
  DenseSet<Operation *> below;
  SmallVector<Operation *> work;
  for (StoreOp store : stores) {
    work.push_back(store);
  }
  while (!work.empty()) {
    for (Value operand : work.pop_back_val()->getOperands()) {
      Operation *op = operand.getDefiningOp();
      if (op && below.insert(op).second) {
        work.push_back(op);
      }
    }
  }
  SmallVector<ScanOp> scans;
  for (auto scan : table.kernel()->getRegion(0).front().getOps<ScanOp>()) {
    if (below.contains(scan) && !table.hasConstantExtent(scan.getAxis())) {
      scans.push_back(scan);
    }
  }
  return scans;
}

LogicalResult checkSizedScans(const AccessTable &table) {
  Block &body = table.kernel()->getRegion(0).front();
  DenseSet<Value> scanned;
  for (Operation &op : body) {
    auto scan = dyn_cast<ScanOp>(op);
    bool uses = llvm::any_of(op.getOperands(), [&](Value v) { return scanned.contains(v); });
    if (uses && combinedAxes(op) != 0) {
      return op.emitOpError() << "cannot be lowered: it combines prefixes along an axis without a "
                                 "size, which are not kept";
    }
    if (uses || (scan && !table.hasConstantExtent(scan.getAxis()))) {
      scanned.insert(op.result_begin(), op.result_end());
    }
  }
  SmallVector<StoreOp> stores(body.getOps<StoreOp>());
  SmallVector<ScanOp> all = sizedScansBelow(table, stores);
  for (ScanOp scan : all) {
    if (scan.getAxis() != all.front().getAxis() || scan.getReverse() != all.front().getReverse()) {
      return scan.emitOpError() << "cannot be lowered: scans along axes without a size, or in "
                                   "several directions, need a kernel each";
    }
  }
  if (!all.empty() && all.size() != static_cast<size_t>(llvm::range_size(body.getOps<ScanOp>()))) {
    return all.front().emitOpError() << "cannot be lowered: scans along axes with a size and "
                                        "without one need a kernel each";
  }
  return success();
}

} // namespace zyxc

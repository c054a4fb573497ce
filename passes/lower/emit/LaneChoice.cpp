#include "passes/lower/emit/LaneChoice.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

/// Costs of one access per element, in contiguous accesses. A scatter is dearer than a gather: the
/// hardware writes its lanes one by one.
static constexpr double gatherCost = 0.75;
static constexpr double scatterCost = 1.0;
/// Two loads and a shuffle.
static constexpr double shuffledCost = 2.0;

int64_t lanesFor(const AccessTable &table, unsigned vectorBits) {
  unsigned widest = 0;
  unsigned widestInteger = 8;
  for (Operation &op : table.kernel()->getRegion(0).front()) {
    for (Type type : op.getResultTypes()) {
      if (isa<FloatType>(type)) {
        widest = std::max(widest, type.getIntOrFloatBitWidth());
      } else if (auto integer = dyn_cast<IntegerType>(type)) {
        widestInteger = std::max(widestInteger, integer.getWidth());
      }
    }
  }
  unsigned bits = widest ? widest : widestInteger;
  return std::clamp<int64_t>(vectorBits / bits, 1, 64);
}

static double accessCost(const AccessTable &table, Operation *op, unsigned axis, double lanes) {
  const Access &access = table.accessOf(op);
  auto points = static_cast<double>(table.points(access.axes));
  if (!contains(access.axes, axis)) {
    return points;
  }
  auto factors = factorsOf(access.linear, axis, axis);
  int64_t step = factors && !access.clamped ? factors->second : 0;
  if (step == 1) {
    return points / lanes;
  }
  if (step == 2 || step == -1) {
    return points / lanes * shuffledCost;
  }
  return points * (isa<StoreOp>(op) ? scatterCost : gatherCost);
}

bool usesFunctions(Value bodyValue) {
  DenseSet<Operation *> seen;
  SmallVector<Value> work = {bodyValue};
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (!op || isa<ReduceOp, FoldOp, ContractOp, ScanOp>(op) || !seen.insert(op).second) {
      continue;
    }
    if (isa<math::MathDialect>(op->getDialect()) &&
        !isa<math::SqrtOp, math::AbsFOp, math::FmaOp>(op)) {
      return true;
    }
    work.append(op->operand_begin(), op->operand_end());
  }
  return false;
}

int64_t registersPerVector(const AccessTable &table, AxisSet axes, unsigned vectorBits) {
  constexpr unsigned leastBits = 128, mostBits = 256;
  int64_t lanes = lanesFor(table, vectorBits);
  if (vectorBits < leastBits || vectorBits > mostBits) {
    return 1;
  }
  for (unsigned axis = 0; axis < table.numAxes(); ++axis) {
    if (contains(axes, axis) && table.hasConstantExtent(axis) &&
        table.extent(axis) % (2 * lanes) != 0) {
      return 1;
    }
  }
  bool any = llvm::any_of(table.kernel().getBlock(), [&](Operation &op) {
    return op.getNumResults() == 1 && (table.axesOf(op.getResult(0)) & axes) != 0 &&
           isa<FloatType>(op.getResult(0).getType()) && usesFunctions(op.getResult(0));
  });
  return any ? 2 : 1;
}

/// Points at which an access is made: those of the reductions around it, and its own.
static AxisSet axesAround(const AccessTable &table, Operation *access) {
  AxisSet axes = table.accessOf(access).axes;
  SmallVector<Operation *> work = {access};
  DenseSet<Operation *> seen;
  while (!work.empty()) {
    for (Operation *user : work.pop_back_val()->getUsers()) {
      if (!seen.insert(user).second) {
        continue;
      }
      if (table.reducedBy(user) == 0) {
        work.push_back(user);
      } else if ((table.reducedBy(user) & table.accessOf(access).axes) != 0) {
        axes |= table.reducedBy(user);
        for (Value result : user->getResults()) {
          axes |= table.axesOf(result);
        }
      }
    }
  }
  return axes;
}

/// As accessCost, where loops around an access count, too: without a family for products, these are
/// chosen here.
static double sizedCost(const AccessTable &table, Operation *op, unsigned axis, double lanes) {
  const Access &access = table.accessOf(op);
  AxisSet around = axesAround(table, op);
  auto points = static_cast<double>(table.points(around));
  if (!contains(around, axis)) {
    return points;
  }
  auto factors = factorsOf(access.linear, axis, axis);
  int64_t step = factors && !access.clamped ? factors->second : 2;
  if (!contains(access.axes, axis) || (step == 1 && factors)) {
    return points / lanes;
  }
  return points * (isa<StoreOp>(op) ? scatterCost : gatherCost);
}

double laneCost(const AccessTable &table, unsigned axis, int64_t width) {
  int64_t extent = std::max<int64_t>(table.extent(axis), 1);
  double lanes = static_cast<double>(extent) / llvm::divideCeil(extent, width);
  double cost = 0;
  for (Operation &op : table.kernel()->getRegion(0).front()) {
    if (isa<LoadOp, StoreOp>(op)) {
      cost +=
          table.isOpen() ? sizedCost(table, &op, axis, lanes) : accessCost(table, &op, axis, lanes);
    }
  }
  return cost;
}

std::optional<unsigned> cheapestLane(const AccessTable &table, AxisSet candidates, int64_t width) {
  std::optional<unsigned> best;
  double bestCost = 0;
  for (unsigned axis = 0; axis < table.numAxes(); ++axis) {
    if (!contains(candidates, axis)) {
      continue;
    }
    double cost = laneCost(table, axis, width);
    if (!best || cost <= bestCost) { // a tie goes to the inner axis
      best = axis;
      bestCost = cost;
    }
  }
  return best;
}

} // namespace zyxc

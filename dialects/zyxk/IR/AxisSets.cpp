#include "dialects/zyxk/IR/AxisSets.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace zyxc::zyxk {

AxisSet axisSetOf(ArrayRef<int64_t> axes) {
  AxisSet set = 0;
  for (int64_t axis : axes) {
    set |= axisBit(axis);
  }
  return set;
}

AxisSet axesIn(AffineExpr expr, unsigned numAxes) {
  AxisSet set = 0;
  expr.walk([&](AffineExpr part) {
    auto dim = dyn_cast<AffineDimExpr>(part);
    if (dim && dim.getPosition() < numAxes) {
      set |= axisBit(dim.getPosition());
    }
  });
  return set;
}

AxisSet axesIn(AffineMap map, unsigned numAxes) {
  AxisSet set = 0;
  for (AffineExpr expr : map.getResults()) {
    set |= axesIn(expr, numAxes);
  }
  return set;
}

AxisSet axesIn(IntegerSet integerSet, unsigned numAxes) {
  AxisSet set = 0;
  for (AffineExpr expr : integerSet.getConstraints()) {
    set |= axesIn(expr, numAxes);
  }
  return set;
}

/// The axes that an op itself brings.
static AxisSet ownAxes(Operation &op, unsigned numAxes) {
  if (auto load = dyn_cast<LoadOp>(op)) {
    return axesIn(load.getMap(), numAxes);
  }
  if (auto where = dyn_cast<WhereOp>(op)) {
    return axesIn(where.getSet(), numAxes);
  }
  auto index = dyn_cast<IndexOp>(op);
  return index ? axisBit(index.getAxis()) : 0;
}

AxisSet combinedAxes(Operation &op) {
  return llvm::TypeSwitch<Operation *, AxisSet>(&op)
      .Case<ReduceOp, ContractOp, ExpsumOp, WelfordOp, FoldOp>(
          [](auto combine) { return axisSetOf(combine.getAxes()); })
      .Default([](Operation *) { return 0; });
}

AxisSets::AxisSets(KernelOp kernel) {
  unsigned numAxes = kernel.getNumAxes();
  for (Operation &op : kernel.getBlock()) {
    AxisSet set = ownAxes(op, numAxes);
    AxisSet removed = combinedAxes(op);
    for (Value operand : op.getOperands()) {
      set |= sets.lookup(operand);
    }
    if (auto expsum = dyn_cast<ExpsumOp>(op)) {
      AxisSet own = sets.lookup(expsum.getValue());
      sets[expsum.getMaximum()] = own & ~removed;
      for (auto [i, sum] : llvm::enumerate(expsum.getSums())) {
        Value weight = expsum.getWeight(i);
        sets[sum] = (own | (weight ? sets.lookup(weight) : 0)) & ~removed;
      }
      continue;
    }
    for (Value result : op.getResults()) {
      sets[result] = set & ~removed;
    }
  }
}

AxisSet AxisSets::domainOf(StoreOp store) const {
  auto kernel = store->getParentOfType<KernelOp>();
  AxisSet set = axesIn(store.getMap(), kernel.getNumAxes()) | sets.lookup(store.getValue());
  for (Value coord : store.getCoords()) {
    set |= sets.lookup(coord);
  }
  return set;
}

} // namespace zyxc::zyxk

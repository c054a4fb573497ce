#include "dialects/zyxk/IR/AxisSets.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"

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

AxisSets::AxisSets(KernelOp kernel) {
  unsigned numAxes = kernel.getNumAxes();
  for (Operation &op : kernel.getBlock()) {
    AxisSet set = 0;
    for (Value operand : op.getOperands()) {
      set |= sets.lookup(operand);
    }
    if (auto load = dyn_cast<LoadOp>(op)) {
      set |= axesIn(load.getMap(), numAxes);
    } else if (auto where = dyn_cast<WhereOp>(op)) {
      set |= axesIn(where.getSet(), numAxes);
    } else if (auto index = dyn_cast<IndexOp>(op)) {
      set |= axisBit(index.getAxis());
    } else if (auto reduce = dyn_cast<ReduceOp>(op)) {
      set &= ~axisSetOf(reduce.getAxes());
    } else if (auto contract = dyn_cast<ContractOp>(op)) {
      set &= ~axisSetOf(contract.getAxes());
    }
    for (Value result : op.getResults()) {
      sets[result] = set;
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

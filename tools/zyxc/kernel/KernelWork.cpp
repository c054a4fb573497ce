#include "tools/zyxc/kernel/KernelWork.h"
#include "dialects/zyxk/IR/AxisSets.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc::tool {

static double pointsOf(AxisSet axes, ArrayRef<int64_t> extents) {
  double points = 1;
  for (unsigned axis = 0; axis < extents.size(); ++axis) {
    points *= contains(axes, axis) ? static_cast<double>(extents[axis]) : 1;
  }
  return points;
}

/// Float ops that compute something.
static bool isArithmetic(Operation *op) {
  return op->getNumResults() > 0 && isa<FloatType>(op->getResult(0).getType()) &&
         !isa<LoadOp, WhereOp, arith::ConstantOp, arith::ExtFOp, arith::TruncFOp, arith::BitcastOp,
              arith::SelectOp>(op);
}

KernelWork workOf(KernelOp kernel, const std::vector<KernelPort> &ports) {
  KernelWork work;
  AxisSets sets(kernel);
  SmallVector<int64_t> extents(kernel.getNumAxes(), 1);
  if (auto known = kernel.getStaticExtents()) {
    extents = *known;
  }
  std::vector<double> gathered(ports.size(), 0); // bytes at SSA coordinates
  for (Operation &op : kernel.getBlock()) {
    AxisSet points = 0;
    for (Value operand : op.getOperands()) {
      points |= sets[operand];
    }
    if (auto contract = dyn_cast<ContractOp>(op)) {
      work.contracts = true;
      work.flops += 2 * pointsOf(points, extents);
    } else if (isArithmetic(&op)) {
      work.flops += pointsOf(points, extents);
    }
    auto load = dyn_cast<LoadOp>(op);
    auto store = dyn_cast<StoreOp>(op);
    if ((load && !load.getCoords().empty()) || (store && !store.getCoords().empty())) {
      unsigned port = cast<BlockArgument>(load ? load.getPort() : store.getPort()).getArgNumber();
      AxisSet domain = load ? sets[load.getResult()] : sets.domainOf(store);
      gathered[port] +=
          pointsOf(domain, extents) * static_cast<double>(byteSize(ports[port].type.dtype));
    }
  }
  for (size_t i = 0; i < ports.size(); ++i) {
    auto all = static_cast<double>(ports[i].type.byteSize());
    double times = ports[i].mode == PortMode::InOut ? 2 : 1;
    work.bytes += gathered[i] > 0 ? std::min(all, gathered[i]) : all * times;
  }
  return work;
}

} // namespace zyxc::tool

#include "dialects/zyxk/IR/affine/BatchAxis.h"
#include "dialects/zyxk/IR/AxisSets.h"
#include "mlir/IR/AffineMap.h"

using namespace mlir;

namespace zyxc::zyxk {

namespace {

/// Whether parts of a kernel depend on its dim or its batch axis.
class BatchCheck {
public:
  BatchCheck(KernelOp kernel, unsigned axis) : kernel(kernel), axis(axis) {}

  bool dependsOnBatch(AffineExpr expr) const {
    return expr.isFunctionOfDim(axis) || expr.isFunctionOfSymbol(0);
  }
  bool isDim(AffineExpr expr) const {
    auto symbol = dyn_cast<AffineSymbolExpr>(expr);
    return symbol && symbol.getPosition() == 0;
  }

  /// Elements between the slices of a port; nothing if it has another form.
  std::optional<int64_t> strideOf(PortType port) const {
    AffineMap shape = port.getShape();
    if (port.getLayout()) {
      return std::nullopt;
    }
    bool isOpen = shape.getNumResults() > 0 && isDim(shape.getResult(0));
    int64_t stride = isOpen ? 1 : 0;
    for (AffineExpr size : shape.getResults().drop_front(isOpen ? 1 : 0)) {
      auto number = dyn_cast<AffineConstantExpr>(size);
      if (!number || __builtin_mul_overflow(stride, number.getValue(), &stride)) {
        return std::nullopt;
      }
    }
    return stride;
  }

  /// The access is to the slice of the batch axis, or to a port that has no slices.
  bool isInSlice(AffineMap map, bool isSliced) const {
    ArrayRef<AffineExpr> rest = map.getResults();
    if (isSliced) {
      auto first = dyn_cast<AffineDimExpr>(rest.front());
      if (!first || first.getPosition() != axis) {
        return false;
      }
      rest = rest.drop_front();
    }
    return llvm::none_of(rest, [&](AffineExpr expr) { return dependsOnBatch(expr); });
  }

  bool isIndependent(Operation &op, ArrayRef<int64_t> strides) const {
    if (auto load = dyn_cast<LoadOp>(op)) {
      return isInSlice(load.getMap(), strides[portOf(load.getPort())] != 0);
    }
    if (auto store = dyn_cast<StoreOp>(op)) {
      int64_t stride = strides[portOf(store.getPort())];
      return stride != 0 && isInSlice(store.getMap(), true);
    }
    if (auto where = dyn_cast<WhereOp>(op)) {
      return llvm::none_of(where.getSet().getConstraints(),
                           [&](AffineExpr expr) { return dependsOnBatch(expr); });
    }
    if (auto contract = dyn_cast<ContractOp>(op)) {
      return !contains(axisSetOf(contract.getAxes()), axis);
    }
    if (auto reduce = dyn_cast<ReduceOp>(op)) {
      return !contains(axisSetOf(reduce.getAxes()), axis);
    }
    // Scalar ops see values alone; what else knows of axes is left out.
    return op.getDialect() != kernel->getDialect();
  }

private:
  static unsigned portOf(Value port) { return cast<BlockArgument>(port).getArgNumber(); }

  KernelOp kernel;
  unsigned axis;
};

} // namespace

std::optional<BatchAxis> findBatchAxis(KernelOp kernel) {
  if (kernel.getNumDims() != 1 || kernel.getDomain() || kernel.getAssume()) {
    return std::nullopt;
  }
  std::optional<BatchAxis> batch;
  for (auto [axis, bound] : llvm::enumerate(kernel.getAxisBounds().getResults())) {
    if (isa<AffineConstantExpr>(bound)) {
      continue;
    }
    if (batch || !isa<AffineSymbolExpr>(bound)) {
      return std::nullopt;
    }
    batch = BatchAxis{static_cast<unsigned>(axis), {}};
  }
  if (!batch) {
    return std::nullopt;
  }
  BatchCheck check(kernel, batch->axis);
  for (unsigned port = 0; port < kernel.getNumPorts(); ++port) {
    std::optional<int64_t> stride = check.strideOf(kernel.getPortType(port));
    if (!stride) {
      return std::nullopt;
    }
    batch->strides.push_back(*stride);
  }
  bool isIndependent = llvm::all_of(
      kernel.getBlock(), [&](Operation &op) { return check.isIndependent(op, batch->strides); });
  return isIndependent ? batch : std::nullopt;
}

} // namespace zyxc::zyxk

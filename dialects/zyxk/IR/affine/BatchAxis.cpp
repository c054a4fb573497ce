#include "dialects/zyxk/IR/affine/BatchAxis.h"
#include "dialects/zyxk/IR/AxisSets.h"
#include "mlir/IR/AffineMap.h"

using namespace mlir;

namespace zyxc::zyxk {

namespace {

/// Whether parts of a kernel depend on its dims or its batch axes.
class BatchCheck {
public:
  BatchCheck(KernelOp kernel, ArrayRef<unsigned> axes) : kernel(kernel), axes(axes) {}

  bool dependsOnBatch(AffineExpr expr) const {
    for (auto [dim, axis] : llvm::enumerate(axes)) {
      if (expr.isFunctionOfDim(axis) || expr.isFunctionOfSymbol(dim)) {
        return true;
      }
    }
    return false;
  }
  /// The first axes of a shape are the dims.
  bool beginsWithDims(AffineMap shape) const {
    if (shape.getNumResults() < axes.size()) {
      return false;
    }
    for (unsigned dim = 0; dim < axes.size(); ++dim) {
      auto symbol = dyn_cast<AffineSymbolExpr>(shape.getResult(dim));
      if (!symbol || symbol.getPosition() != dim) {
        return false;
      }
    }
    return true;
  }

  /// Elements between the slices of a port; nothing if it has another form.
  std::optional<int64_t> strideOf(PortType port) const {
    AffineMap shape = port.getShape();
    if (port.getLayout()) {
      return std::nullopt;
    }
    bool isOpen = beginsWithDims(shape);
    int64_t stride = isOpen ? 1 : 0;
    for (AffineExpr size : shape.getResults().drop_front(isOpen ? axes.size() : 0)) {
      auto number = dyn_cast<AffineConstantExpr>(size);
      if (!number || __builtin_mul_overflow(stride, number.getValue(), &stride)) {
        return std::nullopt;
      }
    }
    return stride;
  }

  /// The access is to the slice of the batch axes, or to a port that has no slices.
  bool isInSlice(AffineMap map, bool isSliced) const {
    ArrayRef<AffineExpr> rest = map.getResults();
    for (unsigned axis : isSliced ? axes : ArrayRef<unsigned>()) {
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
      return isApart(axisSetOf(contract.getAxes()));
    }
    if (auto reduce = dyn_cast<ReduceOp>(op)) {
      return isApart(axisSetOf(reduce.getAxes()));
    }
    // Scalar ops see values alone; what else knows of axes is left out.
    return op.getDialect() != kernel->getDialect();
  }

private:
  bool isApart(AxisSet combined) const {
    return llvm::none_of(axes, [&](unsigned axis) { return contains(combined, axis); });
  }
  static unsigned portOf(Value port) { return cast<BlockArgument>(port).getArgNumber(); }

  KernelOp kernel;
  ArrayRef<unsigned> axes; ///< by dim
};

} // namespace

/// The axis of each dim, if each dim is the extent of one axis and no other extent depends on dims.
static std::optional<SmallVector<unsigned>> axesOfDims(KernelOp kernel) {
  constexpr unsigned unknown = ~0u;
  SmallVector<unsigned> axes(kernel.getNumDims(), unknown);
  for (auto [axis, bound] : llvm::enumerate(kernel.getAxisBounds().getResults())) {
    if (isa<AffineConstantExpr>(bound)) {
      continue;
    }
    auto symbol = dyn_cast<AffineSymbolExpr>(bound);
    if (!symbol || axes[symbol.getPosition()] != unknown) {
      return std::nullopt;
    }
    axes[symbol.getPosition()] = axis;
  }
  return llvm::is_contained(axes, unknown) ? std::nullopt : std::optional(std::move(axes));
}

std::optional<BatchAxes> findBatchAxes(KernelOp kernel) {
  if (kernel.getNumDims() == 0 || kernel.getDomain() || kernel.getAssume()) {
    return std::nullopt;
  }
  std::optional<SmallVector<unsigned>> axes = axesOfDims(kernel);
  if (!axes) {
    return std::nullopt;
  }
  BatchAxes batch{*axes, {}};
  BatchCheck check(kernel, batch.axes);
  for (unsigned port = 0; port < kernel.getNumPorts(); ++port) {
    std::optional<int64_t> stride = check.strideOf(kernel.getPortType(port));
    if (!stride) {
      return std::nullopt;
    }
    batch.strides.push_back(*stride);
  }
  bool isIndependent = llvm::all_of(
      kernel.getBlock(), [&](Operation &op) { return check.isIndependent(op, batch.strides); });
  return isIndependent ? std::optional(std::move(batch)) : std::nullopt;
}

} // namespace zyxc::zyxk

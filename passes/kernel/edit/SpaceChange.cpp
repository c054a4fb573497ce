#include "passes/kernel/edit/SpaceChange.h"
#include "dialects/zyxk/IR/affine/SimplifyExpr.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

SpaceChange SpaceChange::identity(KernelOp kernel) {
  MLIRContext *context = kernel.getContext();
  SpaceChange change;
  for (unsigned axis = 0; axis < kernel.getNumAxes(); ++axis) {
    change.axisNames.push_back(kernel.getAxisName(axis).str());
    change.axes.push_back(getAffineDimExpr(axis, context));
    change.bounds.push_back(kernel.getAxisBounds().getResult(axis));
    change.combined.push_back({axis});
  }
  for (auto [i, name] : llvm::enumerate(kernel.getDimNames().getAsValueRange<StringAttr>())) {
    change.dimNames.push_back(name.str());
    change.dims.push_back(getAffineSymbolExpr(i, context));
  }
  return change;
}

PortType withDims(PortType port, ArrayRef<AffineExpr> dims, unsigned numNewDims) {
  auto change = [&](AffineMap map) {
    SmallVector<AffineExpr> results;
    for (AffineExpr expr : map.getResults()) {
      results.push_back(simplifyExpr(expr.replaceSymbols(dims), map.getNumDims(), numNewDims));
    }
    return AffineMap::get(map.getNumDims(), numNewDims, results, port.getContext());
  };
  return PortType::get(port.getContext(), port.getElementType(), change(port.getShape()),
                       port.getMode(), port.getLayout() ? change(port.getLayout()) : AffineMap(),
                       port.getAlign());
}

IntegerSet changeSet(IntegerSet set, ArrayRef<AffineExpr> axes, ArrayRef<AffineExpr> dims,
                     unsigned numNewAxes, unsigned numNewDims) {
  SmallVector<AffineExpr> constraints;
  SmallVector<bool> equalities;
  for (unsigned i = 0; i < set.getNumConstraints(); ++i) {
    AffineExpr expr = simplifyExpr(set.getConstraint(i).replaceDimsAndSymbols(axes, dims),
                                   numNewAxes, numNewDims);
    auto constant = dyn_cast<AffineConstantExpr>(expr);
    if (constant && (set.isEq(i) ? constant.getValue() == 0 : constant.getValue() >= 0)) {
      continue;
    }
    constraints.push_back(expr);
    equalities.push_back(set.isEq(i));
  }
  return constraints.empty() ? IntegerSet()
                             : IntegerSet::get(numNewAxes, numNewDims, constraints, equalities);
}

Value materialize(OpBuilder &builder, Location loc, AffineExpr expr, unsigned numAxes,
                  ValueRange coords) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    return arith::ConstantIndexOp::create(builder, loc, constant.getValue());
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    unsigned position = dim.getPosition();
    return position < numAxes ? IndexOp::create(builder, loc, builder.getIndexType(), position)
                              : coords[position - numAxes];
  }
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr)) {
    return DimOp::create(builder, loc, builder.getIndexType(), symbol.getPosition());
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Value left = materialize(builder, loc, binary.getLHS(), numAxes, coords);
  Value right = materialize(builder, loc, binary.getRHS(), numAxes, coords);
  switch (expr.getKind()) {
  case AffineExprKind::Add: return arith::AddIOp::create(builder, loc, left, right);
  case AffineExprKind::Mul: return arith::MulIOp::create(builder, loc, left, right);
  case AffineExprKind::FloorDiv: return arith::FloorDivSIOp::create(builder, loc, left, right);
  case AffineExprKind::CeilDiv: return arith::CeilDivSIOp::create(builder, loc, left, right);
  default: break;
  }
  // The divisor is positive, and so must be the remainder.
  Value quotient = arith::FloorDivSIOp::create(builder, loc, left, right);
  return arith::SubIOp::create(builder, loc, left,
                               arith::MulIOp::create(builder, loc, quotient, right));
}

namespace {

class Rewriter {
public:
  Rewriter(KernelOp kernel, const SpaceChange &change)
      : kernel(kernel), change(change), oldAxes(kernel.getNumAxes()) {}

  void run();

private:
  unsigned newAxes() const { return change.axisNames.size(); }
  unsigned newDims() const { return change.dimNames.size(); }
  AffineExpr rewrite(AffineExpr expr, unsigned numCoords);
  AffineMap rewrite(AffineMap map, unsigned numCoords);
  IntegerSet rewrite(IntegerSet set) {
    return changeSet(set, change.axes, change.dims, newAxes(), newDims());
  }
  SmallVector<int64_t> rewriteAxes(ArrayRef<int64_t> axes);
  void rewriteOp(Operation &op);
  void rewriteWhere(WhereOp where);
  void rewriteIndex(IndexOp index);
  void rewriteDim(DimOp dim);
  void rewriteAttributes();

  KernelOp kernel;
  const SpaceChange &change;
  unsigned oldAxes;
};

} // namespace

AffineExpr Rewriter::rewrite(AffineExpr expr, unsigned numCoords) {
  SmallVector<AffineExpr> dims(change.axes);
  for (unsigned i = 0; i < numCoords; ++i) {
    dims.push_back(getAffineDimExpr(newAxes() + i, kernel.getContext()));
  }
  return simplifyExpr(expr.replaceDimsAndSymbols(dims, change.dims), newAxes() + numCoords,
                      newDims());
}

AffineMap Rewriter::rewrite(AffineMap map, unsigned numCoords) {
  SmallVector<AffineExpr> results;
  for (AffineExpr expr : map.getResults()) {
    results.push_back(rewrite(expr, numCoords));
  }
  return AffineMap::get(newAxes() + numCoords, newDims(), results, kernel.getContext());
}

SmallVector<int64_t> Rewriter::rewriteAxes(ArrayRef<int64_t> axes) {
  SmallVector<int64_t> result;
  for (int64_t axis : axes) {
    llvm::append_range(result, change.combined[axis]);
  }
  llvm::sort(result);
  result.erase(llvm::unique(result), result.end());
  return result;
}

void Rewriter::rewriteWhere(WhereOp where) {
  if (IntegerSet set = rewrite(where.getSet())) {
    where.setSet(set);
    return;
  }
  where.getResult().replaceAllUsesWith(where.getValue());
  where.erase();
}

void Rewriter::rewriteIndex(IndexOp index) {
  AffineExpr expr = change.axes[index.getAxis()];
  if (auto axis = dyn_cast<AffineDimExpr>(expr)) {
    index.setAxis(axis.getPosition());
    return;
  }
  OpBuilder builder(index);
  index.getResult().replaceAllUsesWith(materialize(builder, index.getLoc(), expr, newAxes()));
  index.erase();
}

void Rewriter::rewriteDim(DimOp dim) {
  AffineExpr expr = change.dims[dim.getDim()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr)) {
    dim.setDim(symbol.getPosition());
    return;
  }
  OpBuilder builder(dim);
  dim.getResult().replaceAllUsesWith(materialize(builder, dim.getLoc(), expr, newAxes()));
  dim.erase();
}

void Rewriter::rewriteOp(Operation &op) {
  if (auto load = dyn_cast<LoadOp>(op)) {
    load.setMap(rewrite(load.getMap(), load.getCoords().size()));
  } else if (auto store = dyn_cast<StoreOp>(op)) {
    store.setMap(rewrite(store.getMap(), store.getCoords().size()));
  } else if (auto where = dyn_cast<WhereOp>(op)) {
    rewriteWhere(where);
  } else if (auto index = dyn_cast<IndexOp>(op)) {
    rewriteIndex(index);
  } else if (auto dim = dyn_cast<DimOp>(op)) {
    rewriteDim(dim);
  } else if (auto scan = dyn_cast<ScanOp>(op)) {
    scan.setAxis(change.combined[scan.getAxis()].front());
  } else if (auto opaque = dyn_cast<OpaqueOp>(op)) {
    if (std::optional<AffineMap> cost = opaque.getCost()) {
      AffineExpr expr = rewrite(cost->getResult(0), /*numCoords=*/0);
      opaque.setCostAttr(AffineMapAttr::get(AffineMap::get(0, newDims(), expr)));
    }
  } else if (auto axes = op.getAttrOfType<DenseI64ArrayAttr>("axes")) {
    op.setAttr("axes", DenseI64ArrayAttr::get(op.getContext(), rewriteAxes(axes)));
  }
}

void Rewriter::rewriteAttributes() {
  Builder builder(kernel.getContext());
  auto names = [&](ArrayRef<std::string> list) {
    return builder.getStrArrayAttr(SmallVector<StringRef>(list.begin(), list.end()));
  };
  if (std::optional<IntegerSet> domain = kernel.getDomain()) {
    IntegerSet set = rewrite(*domain);
    kernel.setDomainAttr(set ? IntegerSetAttr::get(set) : IntegerSetAttr());
  }
  if (std::optional<IntegerSet> assume = kernel.getAssume()) {
    IntegerSet set = changeSet(*assume, {}, change.dims, 0, newDims());
    kernel.setAssumeAttr(set ? IntegerSetAttr::get(set) : IntegerSetAttr());
  }
  SmallVector<AffineExpr> bounds;
  for (AffineExpr bound : change.bounds) {
    bounds.push_back(simplifyExpr(bound, newAxes(), newDims()));
  }
  kernel.setAxisBoundsAttr(
      AffineMapAttr::get(AffineMap::get(newAxes(), newDims(), bounds, kernel.getContext())));
  kernel.setAxisNamesAttr(names(change.axisNames));
  kernel.setDimNamesAttr(names(change.dimNames));
}

void Rewriter::run() {
  for (Operation &op : llvm::make_early_inc_range(kernel.getBlock())) {
    rewriteOp(op);
  }
  for (BlockArgument argument : kernel.getBlock().getArguments()) {
    argument.setType(withDims(cast<PortType>(argument.getType()), change.dims, newDims()));
  }
  rewriteAttributes();
}

void changeSpace(KernelOp kernel, const SpaceChange &change) {
  Rewriter(kernel, change).run();
}

} // namespace zyxc

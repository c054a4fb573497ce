#include "passes/kernel/edit/InlineBody.h"
#include "dialects/zyxk/IR/affine/SimplifyExpr.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "passes/kernel/edit/SpaceChange.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

namespace {

class Inliner {
public:
  Inliner(OpBuilder &builder, KernelOp inner, KernelOp outer, const BodyPlace &place)
      : builder(builder), inner(inner), outer(outer), place(place) {}

  IRMapping run();

private:
  int64_t axisOf(int64_t axis) { return cast<AffineDimExpr>(place.axes[axis]).getPosition(); }
  AffineMap rewrite(AffineMap map, unsigned numCoords);
  void copy(Operation &op);
  void copyWhere(WhereOp where);
  void rewriteAxes(Operation *op);

  OpBuilder &builder;
  KernelOp inner, outer;
  const BodyPlace &place;
  IRMapping mapping;
};

} // namespace

AffineMap Inliner::rewrite(AffineMap map, unsigned numCoords) {
  SmallVector<AffineExpr> dims(place.axes);
  unsigned numAxes = outer.getNumAxes();
  for (unsigned i = 0; i < numCoords; ++i) {
    dims.push_back(getAffineDimExpr(numAxes + i, builder.getContext()));
  }
  return simplifyExprs(
      map.replaceDimsAndSymbols(dims, place.dims, numAxes + numCoords, outer.getNumDims()));
}

void Inliner::copyWhere(WhereOp where) {
  IntegerSet set =
      changeSet(where.getSet(), place.axes, place.dims, outer.getNumAxes(), outer.getNumDims());
  Value value = mapping.lookup(where.getValue());
  if (set) {
    value = WhereOp::create(builder, where.getLoc(), where.getType(), value,
                            mapping.lookup(where.getOtherwise()), set);
  }
  mapping.map(where.getResult(), value);
}

void Inliner::rewriteAxes(Operation *op) {
  if (auto load = dyn_cast<LoadOp>(op)) {
    load.setMap(rewrite(load.getMap(), load.getCoords().size()));
  } else if (auto store = dyn_cast<StoreOp>(op)) {
    store.setMap(rewrite(store.getMap(), store.getCoords().size()));
  } else if (auto scan = dyn_cast<ScanOp>(op)) {
    scan.setAxis(axisOf(scan.getAxis()));
  } else if (auto list = op->getAttrOfType<DenseI64ArrayAttr>("axes")) {
    SmallVector<int64_t> axes;
    for (int64_t axis : list.asArrayRef()) {
      axes.push_back(axisOf(axis));
    }
    llvm::sort(axes);
    op->setAttr("axes", builder.getDenseI64ArrayAttr(axes));
  }
}

void Inliner::copy(Operation &op) {
  if (auto where = dyn_cast<WhereOp>(op)) {
    copyWhere(where);
  } else if (auto index = dyn_cast<IndexOp>(op)) {
    mapping.map(index.getResult(), materialize(builder, index.getLoc(), place.axes[index.getAxis()],
                                               outer.getNumAxes()));
  } else if (auto dim = dyn_cast<DimOp>(op)) {
    mapping.map(dim.getResult(),
                materialize(builder, dim.getLoc(), place.dims[dim.getDim()], outer.getNumAxes()));
  } else {
    rewriteAxes(builder.clone(op, mapping));
  }
}

IRMapping Inliner::run() {
  for (auto [port, value] : llvm::zip(inner.getBlock().getArguments(), place.ports)) {
    if (value) {
      mapping.map(port, value);
    }
  }
  for (Operation &op : inner.getBlock()) {
    if (place.stores || !isa<StoreOp>(op)) {
      copy(op);
    }
  }
  return mapping;
}

IRMapping inlineBody(OpBuilder &builder, KernelOp inner, KernelOp outer, const BodyPlace &place) {
  return Inliner(builder, inner, outer, place).run();
}

} // namespace zyxc

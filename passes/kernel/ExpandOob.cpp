#include "dialects/zyxk/IR/affine/SimplifyExpr.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "passes/kernel/Passes.h"
#include "passes/kernel/Transforms.h"
#include "passes/kernel/edit/SpaceChange.h"

namespace zyxc {

#define GEN_PASS_DEF_EXPANDOOBPASS
#include "passes/kernel/Passes.h.inc"

using namespace mlir;
using namespace zyxc::zyxk;

namespace {

/// The coordinates of one load: those of axes only become a set, the others conditions.
struct Inside {
  SmallVector<AffineExpr> constraints;
  SmallVector<std::pair<AffineExpr, int64_t>> values; ///< coordinate and its size
  bool known = true; ///< false: the size along a value is no constant
};

} // namespace

static Inside classify(LoadOp load, KernelOp kernel) {
  Inside inside;
  AffineMap shape = cast<PortType>(load.getPort().getType()).getShape();
  for (auto [coordinate, size] : llvm::zip(load.getMap().getResults(), shape.getResults())) {
    bool isValue = false;
    for (unsigned i = 0; i < load.getCoords().size(); ++i) {
      isValue |= coordinate.isFunctionOfDim(kernel.getNumAxes() + i);
    }
    auto constant = dyn_cast<AffineConstantExpr>(size);
    if (!isValue) {
      inside.constraints.push_back(coordinate);
      inside.constraints.push_back(
          simplifyExpr(size - coordinate - 1, load.getMap().getNumDims(), kernel.getNumDims()));
    } else if (constant && !isa<AffineSymbolExpr>(coordinate)) {
      inside.values.push_back({coordinate, constant.getValue()});
    } else {
      inside.known = false;
    }
  }
  return inside;
}

static void expand(LoadOp load, KernelOp kernel) {
  Inside inside = classify(load, kernel);
  if (!inside.known) {
    return;
  }
  OpBuilder builder(load);
  Location loc = load.getLoc();
  Value otherwise = load.getOtherwise();
  Value result = LoadOp::create(builder, loc, load.getType(), load.getPort(), load.getCoords(),
                                load.getMap(), inside.values.empty() ? Oob::Prove : Oob::Clamp);
  for (auto [coordinate, size] : inside.values) {
    Value value = materialize(builder, loc, coordinate, kernel.getNumAxes(), load.getCoords());
    Value limit = arith::ConstantIndexOp::create(builder, loc, size);
    // A negative coordinate is large as an unsigned one.
    Value condition = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, value, limit);
    result = arith::SelectOp::create(builder, loc, condition, result, otherwise);
  }
  if (!inside.constraints.empty()) {
    SmallVector<bool> equalities(inside.constraints.size(), false);
    auto set =
        IntegerSet::get(kernel.getNumAxes(), kernel.getNumDims(), inside.constraints, equalities);
    result = WhereOp::create(builder, loc, load.getType(), result, otherwise, set);
  }
  load.getResult().replaceAllUsesWith(result);
  load.erase();
}

void expandOob(KernelOp kernel) {
  SmallVector<LoadOp> loads(kernel.getBlock().getOps<LoadOp>());
  for (LoadOp load : loads) {
    if (load.getOob() == Oob::Else) {
      expand(load, kernel);
    }
  }
}

namespace {

struct ExpandOobPass : impl::ExpandOobPassBase<ExpandOobPass> {
  void runOnOperation() override { expandOob(getOperation()); }
};

} // namespace

} // namespace zyxc

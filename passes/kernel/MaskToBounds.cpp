#include "mlir/IR/AffineExpr.h"
#include "passes/kernel/Passes.h"
#include "passes/kernel/Transforms.h"
#include "passes/kernel/edit/BodyEdit.h"

namespace zyxc {

#define GEN_PASS_DEF_MASKTOBOUNDSPASS
#include "passes/kernel/Passes.h.inc"

using namespace mlir;
using namespace zyxc::zyxk;

/// Is a masked value the one that the op ignores?
static bool ignores(Operation *op, Value masked, Value otherwise) {
  std::optional<double> constant = floatConstant(otherwise);
  if (!constant) {
    return false;
  }
  if (auto expsum = dyn_cast<ExpsumOp>(op)) {
    return expsum.getValue() == masked && !llvm::is_contained(expsum.getWeights(), masked) &&
           *constant == -std::numeric_limits<double>::infinity();
  }
  auto reduce = dyn_cast<ReduceOp>(op);
  if (!reduce) {
    return false;
  }
  switch (reduce.getKind()) {
  case ReduceKind::Add: return *constant == 0;
  case ReduceKind::Mul: return *constant == 1;
  case ReduceKind::Max: return *constant == -std::numeric_limits<double>::infinity();
  case ReduceKind::Min: return *constant == std::numeric_limits<double>::infinity();
  default: return false;
  }
}

/// The axes along which an op runs: those it combines or scans, or all of a store.
static AxisSet walkedAxes(Operation &op, const AxisSets &sets) {
  if (auto store = dyn_cast<StoreOp>(op)) {
    return sets.domainOf(store);
  }
  auto scan = dyn_cast<ScanOp>(op);
  return scan ? axisBit(scan.getAxis()) : combinedAxes(op);
}

/// Would a restriction over `axes` change an op that does not take the masked value? A store is
/// restricted by the axes that the users of the mask combine; a combination that walks any of the
/// axes would have to know the others.
static bool restrictsOthers(KernelOp kernel, WhereOp mask, AxisSet axes, AxisSet combined,
                            const AxisSets &sets) {
  return llvm::any_of(kernel.getBlock(), [&](Operation &op) {
    bool takesMask = llvm::is_contained(op.getOperands(), mask.getResult());
    return !takesMask && (walkedAxes(op, sets) & (isa<StoreOp>(op) ? axes & combined : axes));
  });
}

static bool canBecomeBounds(KernelOp kernel, WhereOp mask, const AxisSets &sets) {
  AxisSet axes = axesIn(mask.getSet(), kernel.getNumAxes());
  if (axes == 0 || mask->use_empty()) {
    return false;
  }
  for (Operation *user : mask->getUsers()) {
    if (!ignores(user, mask.getResult(), mask.getOtherwise())) {
      return false;
    }
    // Each constraint must restrict what the op combines; all of its axes are those of the mask.
    for (AffineExpr constraint : mask.getSet().getConstraints()) {
      if (!(axesIn(constraint, kernel.getNumAxes()) & combinedAxes(*user))) {
        return false;
      }
    }
  }
  AxisSet combined = 0;
  for (Operation *user : mask->getUsers()) {
    combined |= combinedAxes(*user);
  }
  return !restrictsOthers(kernel, mask, axes, combined, sets);
}

bool maskToBounds(KernelOp kernel) {
  bool changed = false;
  for (auto mask : llvm::make_early_inc_range(kernel.getBlock().getOps<WhereOp>())) {
    AxisSets sets(kernel);
    if (!canBecomeBounds(kernel, mask, sets)) {
      continue;
    }
    IntegerSet set = mask.getSet();
    SmallVector<AffineExpr> constraints(set.getConstraints());
    SmallVector<bool> equalities(set.getEqFlags());
    if (std::optional<IntegerSet> domain = kernel.getDomain()) {
      llvm::append_range(constraints, domain->getConstraints());
      llvm::append_range(equalities, domain->getEqFlags());
    }
    kernel.setDomainAttr(IntegerSetAttr::get(
        IntegerSet::get(set.getNumDims(), set.getNumSymbols(), constraints, equalities)));
    mask.getResult().replaceAllUsesWith(mask.getValue());
    mask.erase();
    changed = true;
  }
  dropUnusedOps(kernel);
  return changed;
}

namespace {

struct MaskToBoundsPass : impl::MaskToBoundsPassBase<MaskToBoundsPass> {
  void runOnOperation() override { maskToBounds(getOperation()); }
};

} // namespace

} // namespace zyxc

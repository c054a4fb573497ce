#include "passes/kernel/edit/SimplifyAffine.h"
#include "dialects/zyxk/IR/AxisSets.h"
#include "dialects/zyxk/IR/Ranges.h"
#include "dialects/zyxk/IR/affine/SimplifyExpr.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

/// The part of a sum whose terms are multiples of `divisor`, and the rest.
static void splitByDivisor(AffineExpr expr, int64_t divisor, AffineExpr &multiple,
                           AffineExpr &rest) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (binary && expr.getKind() == AffineExprKind::Add) {
    splitByDivisor(binary.getLHS(), divisor, multiple, rest);
    splitByDivisor(binary.getRHS(), divisor, multiple, rest);
    return;
  }
  (expr.isMultipleOf(divisor) ? multiple : rest) =
      (expr.isMultipleOf(divisor) ? multiple : rest) + expr;
}

/// floordiv or mod by a constant, where the rest of the dividend cannot reach the divisor.
static AffineExpr divide(AffineExprKind kind, AffineExpr dividend, int64_t divisor,
                         ArrayRef<int64_t> extents) {
  MLIRContext *context = dividend.getContext();
  AffineExpr multiple = getAffineConstantExpr(0, context);
  AffineExpr rest = multiple;
  splitByDivisor(dividend, divisor, multiple, rest);
  std::optional<IndexRange> range = rangeOf(rest, extents);
  if (range && range->first >= 0 && range->second < divisor) {
    return kind == AffineExprKind::Mod ? rest : multiple.floorDiv(divisor);
  }
  if (kind == AffineExprKind::Mod) {
    return rest % divisor;
  }
  return multiple.floorDiv(divisor) + rest.floorDiv(divisor);
}

static AffineExpr simplify(AffineExpr expr, ArrayRef<int64_t> extents) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary) {
    return expr;
  }
  AffineExpr left = simplify(binary.getLHS(), extents);
  AffineExpr right = simplify(binary.getRHS(), extents);
  auto divisor = dyn_cast<AffineConstantExpr>(right);
  bool divides =
      expr.getKind() == AffineExprKind::FloorDiv || expr.getKind() == AffineExprKind::Mod;
  if (divides && divisor && divisor.getValue() > 0) {
    return divide(expr.getKind(), left, divisor.getValue(), extents);
  }
  return getAffineBinaryOpExpr(expr.getKind(), left, right);
}

AffineExpr simplifyInRange(AffineExpr expr, ArrayRef<int64_t> extents, unsigned numDims,
                           unsigned numSymbols) {
  expr = simplifyExpr(expr, numDims, numSymbols);
  expr = simplify(expr, extents);
  return simplifyExpr(expr, numDims, numSymbols);
}

//===- Kernels -------------------------------------------------------------------------------===//

/// Without the constraints that hold everywhere; nothing if none is left. `never` is set if one of
/// them holds nowhere. With `sameAxes` a constraint keeps its axes.
static IntegerSet simplifySet(IntegerSet set, ArrayRef<int64_t> extents, bool sameAxes,
                              bool &never) {
  SmallVector<AffineExpr> constraints;
  SmallVector<bool> equalities;
  for (unsigned i = 0; i < set.getNumConstraints(); ++i) {
    AffineExpr old = set.getConstraint(i);
    AffineExpr expr = simplifyInRange(old, extents, set.getNumDims(), set.getNumSymbols());
    if (std::optional<IndexRange> range = rangeOf(expr, extents)) {
      bool holds = set.isEq(i) ? range->first == 0 && range->second == 0 : range->first >= 0;
      never |= set.isEq(i) ? range->first > 0 || range->second < 0 : range->second < 0;
      if (holds) {
        continue;
      }
    }
    unsigned numAxes = set.getNumDims();
    bool keep = sameAxes && axesIn(old, numAxes) != axesIn(expr, numAxes);
    constraints.push_back(keep ? old : expr);
    equalities.push_back(set.isEq(i));
  }
  return constraints.empty()
             ? IntegerSet()
             : IntegerSet::get(set.getNumDims(), set.getNumSymbols(), constraints, equalities);
}

static void simplifyWhere(WhereOp where, ArrayRef<int64_t> extents) {
  bool never = false;
  IntegerSet set = simplifySet(where.getSet(), extents, false, never);
  if (set && !never) {
    where.setSet(set);
    return;
  }
  where.getResult().replaceAllUsesWith(never ? where.getOtherwise() : where.getValue());
  where.erase();
}

static AffineMap simplifyMap(AffineMap map, ArrayRef<int64_t> extents) {
  SmallVector<AffineExpr> results;
  for (AffineExpr expr : map.getResults()) {
    results.push_back(simplifyInRange(expr, extents, map.getNumDims(), map.getNumSymbols()));
  }
  return AffineMap::get(map.getNumDims(), map.getNumSymbols(), results, map.getContext());
}

void simplifyAccesses(KernelOp kernel) {
  SmallVector<int64_t> extents = kernel.getBoxExtents().value_or(SmallVector<int64_t>());
  for (Operation &op : llvm::make_early_inc_range(kernel.getBlock())) {
    if (auto load = dyn_cast<LoadOp>(op)) {
      load.setMap(simplifyMap(load.getMap(), extents));
    } else if (auto store = dyn_cast<StoreOp>(op)) {
      store.setMap(simplifyMap(store.getMap(), extents));
    } else if (auto where = dyn_cast<WhereOp>(op)) {
      simplifyWhere(where, extents);
    }
  }
  if (std::optional<IntegerSet> domain = kernel.getDomain()) {
    bool never = false;
    IntegerSet set = simplifySet(*domain, extents, true, never);
    kernel.setDomainAttr(set ? IntegerSetAttr::get(set) : IntegerSetAttr());
  }
}

} // namespace zyxc

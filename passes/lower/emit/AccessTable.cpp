#include "passes/lower/emit/AccessTable.h"
#include "dialects/zyxk/IR/affine/SimplifyExpr.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AffineMap.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

/// What a dim without a size may be, where a number decides between forms of code.
static constexpr int64_t usualExtent = 1024;

FailureOr<AccessTable> AccessTable::build(KernelOp kernel, TakenForms takes) {
  AccessTable table;
  table.op = kernel;
  table.open = kernel.getNumDims() != 0;
  if (table.open && !takes.dims) {
    return kernel.emitError() << "cannot be lowered: its dims must be bound to sizes first";
  }
  for (auto [axis, bound] : llvm::enumerate(kernel.getAxisBounds().getResults())) {
    int64_t size = zyxk::sizeOf(bound);
    auto number = dyn_cast<AffineConstantExpr>(bound);
    if (!number && !dim::isValid(size)) {
      return kernel.emitError() << "cannot be lowered: the bound of axis '"
                                << kernel.getAxisName(axis) << "' is no size that is known first";
    }
    bool isConstant = number || !dim::isSymbolic(size);
    int64_t extent = number ? number.getValue() : isConstant ? size : unknownExtent;
    table.axisExtents.push_back(extent);
    table.axisSizes.push_back(isConstant ? extent : size);
  }
  if (kernel.getDomain()) {
    return kernel.emitError() << "cannot be lowered: a restricted domain needs another family";
  }
  for (Operation &op : kernel.getBlock()) {
    if (failed(table.addOp(op, takes))) {
      return failure();
    }
  }
  table.dropUnitAxes();
  table.findUnsafe();
  table.computeAxisSets();
  return table;
}

LogicalResult AccessTable::addOp(Operation &op, TakenForms takes) {
  // Outside of the port a load takes another value only where sizes are given at run time; else
  // such loads were expanded.
  if (auto load = dyn_cast<LoadOp>(op); load && (load.getOob() != Oob::Else || open)) {
    addAccess(&op, load.getPort(), load.getMap(), load.getOob() != Oob::Prove);
  } else if (auto store = dyn_cast<StoreOp>(op)) {
    addAccess(&op, store.getPort(), store.getMap(), false);
    if (auto guard = store->getAttrOfType<IntegerSetAttr>(storeGuardAttrName)) {
      sets[&op] = guard.getValue();
    }
  } else if (auto where = dyn_cast<WhereOp>(op)) {
    sets[&op] = where.getSet();
  } else if (auto index = dyn_cast<IndexOp>(op)) {
    pinned |= axisBit(index.getAxis());
  } else if (isa<ReduceOp, ContractOp, FoldOp>(op) ||
             (takes.tuples && isa<ExpsumOp, WelfordOp>(op))) {
    addReduction(op);
  } else if (auto scan = dyn_cast<ScanOp>(op); scan && takes.scans) {
    pinned |= axisBit(scan.getAxis());
  } else if (isa<LoadOp, ExpsumOp, WelfordOp, ScanOp, ScalarOp>(op)) {
    return op.emitOpError() << "cannot be lowered by this family";
  }
  return success();
}

void AccessTable::addReduction(Operation &op) {
  AxisSet axes = combinedAxes(op);
  auto reduce = dyn_cast<ReduceOp>(op);
  if (open && reduce && reduce.getKind() == ReduceKind::Add &&
      reduce.getValue().getDefiningOp<arith::ConstantOp>()) {
    int64_t points = 1;
    for (int64_t axis : reduce.getAxes()) {
      points = dim::mul(points, axisSizes[axis]);
    }
    counts[&op] = points;
    return;
  }
  reduced[&op] = axes;
  auto fold = dyn_cast<FoldOp>(op);
  if ((reduce && (reduce.isArg() || reduce.getOrder() == ReduceOrder::Serial)) ||
      (fold && fold.getOrder() != ReduceOrder::Free)) {
    pinned |= axes;
  }
}

bool AccessTable::isInside(AffineExpr expr, AffineExpr size) const {
  auto number = dyn_cast<AffineConstantExpr>(size);
  std::optional<IndexRange> range = number ? rangeOf(expr) : std::nullopt;
  if (range) {
    return range->first >= 0 && range->second < number.getValue();
  }
  return open && isProvedInside(expr, zyxk::sizeOf(size), axisSizes);
}

bool AccessTable::alwaysHolds(AffineExpr expr, bool equality) const {
  if (std::optional<IndexRange> range = rangeOf(expr)) {
    return range->first >= 0 && (!equality || range->second == 0);
  }
  return open && isProved(expr, equality, axisSizes);
}

void AccessTable::addAccess(Operation *access, Value port, AffineMap map, bool clamp) {
  auto type = cast<PortType>(port.getType());
  Access result;
  result.coordinates = map;
  result.inBounds = true;
  for (auto [expr, size] : llvm::zip(map.getResults(), type.getShape().getResults())) {
    result.inBounds &= isInside(expr, size);
  }
  // Not by compose(), which takes the symbols of both maps for different ones.
  AffineExpr linear = type.getLinearMap().getResult(0).replaceDims(map.getResults());
  result.linear = open ? linear : simplifyExpr(linear, map.getNumDims(), 0);
  result.clamped = clamp && !result.inBounds;
  if (result.clamped) {
    pinned |= axesIn(map, numAxes());
  }
  accesses[access] = result;
}

int64_t AccessTable::points(AxisSet set) const {
  int64_t product = 1;
  for (unsigned axis = 0; axis < numAxes(); ++axis) {
    int64_t extent =
        hasConstantExtent(axis) ? axisExtents[axis] : dim::estimate(axisSizes[axis], usualExtent);
    if (contains(set, axis) && __builtin_mul_overflow(product, extent, &product)) {
      return INT64_MAX;
    }
  }
  return product;
}

void AccessTable::rewrite(function_ref<AffineExpr(AffineExpr)> change) {
  for (auto &[op, access] : accesses) {
    access.linear = change(access.linear);
  }
  for (auto &[op, set] : sets) {
    SmallVector<AffineExpr> constraints;
    for (AffineExpr expr : set.getConstraints()) {
      constraints.push_back(change(expr));
    }
    set = IntegerSet::get(set.getNumDims(), set.getNumSymbols(), constraints, set.getEqFlags());
  }
}

/// Replaces the axes of extent 1 by 0 everywhere.
void AccessTable::dropUnitAxes() {
  MLIRContext *context = op.getContext();
  SmallVector<AffineExpr> dims;
  AxisSet unit = 0;
  for (unsigned axis = 0; axis < numAxes(); ++axis) {
    bool drop = axisExtents[axis] == 1;
    unit |= drop ? axisBit(axis) : 0;
    dims.push_back(drop ? getAffineConstantExpr(0, context) : getAffineDimExpr(axis, context));
  }
  rewrite([&](AffineExpr expr) { return expr.replaceDims(dims); });
  for (auto &[op, access] : accesses) {
    SmallVector<AffineExpr> results;
    for (AffineExpr expr : access.coordinates.getResults()) {
      results.push_back(expr.replaceDims(dims));
    }
    access.coordinates = AffineMap::get(access.coordinates.getNumDims(),
                                        access.coordinates.getNumSymbols(), results, context);
  }
  for (auto &[op, set] : reduced) {
    set &= ~unit;
  }
  pinned &= ~unit;
}

void AccessTable::findUnsafe() {
  for (Operation &bodyOp : op.getBlock()) {
    bool isUnsafe = llvm::any_of(bodyOp.getOperands(), [&](Value v) { return !isSafe(v); });
    if (isa<LoadOp>(bodyOp)) {
      const Access &access = accessOf(&bodyOp);
      isUnsafe |= !access.inBounds && !access.clamped;
    }
    if (isUnsafe) {
      unsafeValues.insert(bodyOp.result_begin(), bodyOp.result_end());
    }
  }
}

void AccessTable::computeAxisSets() {
  for (Operation &bodyOp : op.getBlock()) {
    AxisSet set = 0;
    for (Value operand : bodyOp.getOperands()) {
      set |= valueAxes.lookup(operand);
    }
    if (isa<LoadOp, StoreOp>(bodyOp)) {
      Access &access = accesses.find(&bodyOp)->second;
      // SSA coordinates bring their own axes; a store's value does not move its address.
      AxisSet coords = 0;
      for (Value operand : bodyOp.getOperands().drop_front(isa<LoadOp>(bodyOp) ? 1 : 2)) {
        coords |= valueAxes.lookup(operand);
      }
      access.axes = coords | (access.clamped ? axesIn(access.coordinates, numAxes())
                                             : axesIn(access.linear, numAxes()));
      set |= access.axes;
    } else if (auto where = dyn_cast<WhereOp>(bodyOp)) {
      set |= axesIn(setOf(where), numAxes());
    } else if (auto index = dyn_cast<IndexOp>(bodyOp)) {
      set |= axisExtents[index.getAxis()] == 1 ? 0 : axisBit(index.getAxis());
    }
    set &= ~reducedBy(&bodyOp);
    if (isa<StoreOp>(bodyOp)) {
      storeAxes[&bodyOp] = set;
    }
    for (Value result : bodyOp.getResults()) {
      valueAxes[result] = set;
    }
    if (auto expsum = dyn_cast<ExpsumOp>(bodyOp)) {
      AxisSet own = valueAxes.lookup(expsum.getValue()) & ~reducedBy(&bodyOp);
      valueAxes[expsum.getMaximum()] = own;
      for (auto [i, sum] : llvm::enumerate(expsum.getSums())) {
        Value weight = expsum.getWeight(i);
        AxisSet more = weight ? valueAxes.lookup(weight) & ~reducedBy(&bodyOp) : 0;
        valueAxes[sum] = own | more;
      }
    }
  }
}

//===- Merging axes --------------------------------------------------------------------------===//

std::optional<std::pair<int64_t, int64_t>> factorsOf(AffineExpr expr, unsigned first,
                                                     unsigned second) {
  if (!expr.isFunctionOfDim(first) && !expr.isFunctionOfDim(second)) {
    return std::pair<int64_t, int64_t>(0, 0);
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    return std::pair<int64_t, int64_t>(dim.getPosition() == first, dim.getPosition() == second);
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary) {
    return std::nullopt;
  }
  if (expr.getKind() == AffineExprKind::Add) {
    auto left = factorsOf(binary.getLHS(), first, second);
    auto right = factorsOf(binary.getRHS(), first, second);
    if (!left || !right) {
      return std::nullopt;
    }
    return std::pair(dim::add(left->first, right->first), dim::add(left->second, right->second));
  }
  bool isOnRight = binary.getRHS().isSymbolicOrConstant();
  int64_t factor = zyxk::sizeOf(isOnRight ? binary.getRHS() : binary.getLHS());
  if (expr.getKind() == AffineExprKind::Mul && dim::isValid(factor)) {
    auto left = factorsOf(isOnRight ? binary.getLHS() : binary.getRHS(), first, second);
    if (left) {
      return std::pair(dim::mul(left->first, factor), dim::mul(left->second, factor));
    }
  }
  return std::nullopt;
}

SmallVector<AffineExpr> AccessTable::expressions() const {
  SmallVector<AffineExpr> all;
  for (const auto &[op, access] : accesses) {
    if (!access.clamped) {
      all.push_back(access.linear);
    }
  }
  for (const auto &[op, set] : sets) {
    all.append(set.getConstraints().begin(), set.getConstraints().end());
  }
  return all;
}

bool AccessTable::canMerge(unsigned outer, unsigned inner) const {
  AxisSet pair = axisBit(outer) | axisBit(inner);
  if ((pinned & pair) != 0 || axisExtents[outer] <= 1 || axisExtents[inner] <= 1 ||
      !dim::isValid(dim::mul(axisSizes[outer], axisSizes[inner]))) {
    return false;
  }
  auto splits = [&](AxisSet set) {
    return contains(set, outer) != contains(set, inner);
  };
  for (const auto &[op, set] : reduced) {
    if (splits(set)) {
      return false;
    }
  }
  for (const auto &[op, set] : storeAxes) {
    if (splits(set)) {
      return false;
    }
  }
  return llvm::all_of(expressions(), [&](AffineExpr expr) {
    auto factors = factorsOf(expr, outer, inner);
    return factors && dim::isValid(factors->first) &&
           factors->first == dim::mul(factors->second, axisSizes[inner]);
  });
}

void AccessTable::merge(unsigned outer, unsigned inner) {
  MLIRContext *context = op.getContext();
  SmallVector<AffineExpr> dims;
  for (unsigned axis = 0; axis < numAxes(); ++axis) {
    bool gone = axis == outer || axis == inner;
    dims.push_back(gone ? getAffineConstantExpr(0, context) : getAffineDimExpr(axis, context));
  }
  rewrite([&](AffineExpr expr) {
    auto factors = factorsOf(expr, outer, inner);
    if (!factors) { // a clamped access, whose linear form is not used
      return expr;
    }
    AffineExpr rest = expr.replaceDims(dims);
    return rest + getAffineDimExpr(outer, context) * exprOf(factors->second, context);
  });
  for (auto &[op, set] : reduced) {
    set &= ~axisBit(inner);
  }
  axisSizes[outer] = dim::mul(axisSizes[outer], axisSizes[inner]);
  axisExtents[outer] =
      hasConstantExtent(outer) ? axisExtents[outer] * axisExtents[inner] : unknownExtent;
  axisSizes[inner] = 1;
  axisExtents[inner] = 1;
}

void AccessTable::mergeAxes() {
  bool changed = true;
  while (changed) {
    changed = false;
    for (unsigned outer = 0; outer < numAxes(); ++outer) {
      for (unsigned inner = 0; inner < numAxes(); ++inner) {
        if (outer != inner && canMerge(outer, inner)) {
          merge(outer, inner);
          changed = true;
        }
      }
    }
  }
  computeAxisSets();
}

} // namespace zyxc

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"
#include "passes/kernel/Passes.h"
#include "passes/kernel/Transforms.h"
#include "passes/kernel/edit/BodyEdit.h"
#include "passes/kernel/edit/ProgramEdit.h"
#include "passes/kernel/edit/SimplifyAffine.h"
#include "passes/kernel/edit/SpaceChange.h"

namespace zyxc {

#define GEN_PASS_DEF_NORMALIZEPASS
#include "passes/kernel/Passes.h.inc"

using namespace mlir;
using namespace zyxc::zyxk;

//===- Body ----------------------------------------------------------------------------------===//

/// Equal pure ops and equal loads of ports that are not written become one.
static void shareEqualOps(KernelOp kernel) {
  IRRewriter rewriter(kernel.getContext());
  DominanceInfo dominance(kernel);
  eliminateCommonSubExpressions(rewriter, dominance, kernel);
}

//===- Axes of extent 1 ----------------------------------------------------------------------===//

/// Axes that some op needs though their extent is 1: the last one that it combines, or scans.
static AxisSet neededAxes(KernelOp kernel, AxisSet unit) {
  AxisSet needed = 0;
  for (Operation &op : kernel.getBlock()) {
    AxisSet combined = combinedAxes(op);
    auto reduce = dyn_cast<ReduceOp>(op);
    if (auto scan = dyn_cast<ScanOp>(op)) {
      needed |= axisBit(scan.getAxis());
    } else if (combined && !(combined & ~unit) && !(reduce && !reduce.isArg())) {
      needed |= combined & -combined;
    }
  }
  return needed;
}

static void dropUnitAxes(KernelOp kernel) {
  MLIRContext *context = kernel.getContext();
  AxisSet unit = 0;
  for (auto [axis, bound] : llvm::enumerate(kernel.getAxisBounds().getResults())) {
    unit |= bound == getAffineConstantExpr(1, context) ? axisBit(axis) : 0;
  }
  unit &= ~neededAxes(kernel, unit);
  if (kernel.getDomain()) {
    // A constraint holds for the ops that know all of its axes: without one it would hold for more.
    unit &= ~axesIn(*kernel.getDomain(), kernel.getNumAxes());
  }
  if (!unit) {
    return;
  }
  SpaceChange old = SpaceChange::identity(kernel);
  SpaceChange change = old;
  change.axisNames.clear();
  change.bounds.clear();
  for (unsigned axis = 0; axis < kernel.getNumAxes(); ++axis) {
    if (contains(unit, axis)) {
      change.axes[axis] = getAffineConstantExpr(0, context);
      change.combined[axis].clear();
      continue;
    }
    unsigned position = change.axisNames.size();
    change.axes[axis] = getAffineDimExpr(position, context);
    change.combined[axis] = {position};
    change.axisNames.push_back(old.axisNames[axis]);
    change.bounds.push_back(old.bounds[axis]);
  }
  for (AffineExpr &bound : change.bounds) {
    bound = bound.replaceDims(change.axes);
  }
  for (auto reduce : llvm::make_early_inc_range(kernel.getBlock().getOps<ReduceOp>())) {
    if (!(axisSetOf(reduce.getAxes()) & ~unit)) {
      reduce.getResult().replaceAllUsesWith(reduce.getValue());
      reduce.erase();
    }
  }
  changeSpace(kernel, change);
}

static AffineMap mapOf(Operation *access) {
  return cast<AffineMapAttr>(access->getAttr("map")).getValue();
}

/// Axes of a port with one element, at which every access stands at 0.
static void dropUnitPortAxes(BlockArgument port) {
  auto type = cast<PortType>(port.getType());
  MLIRContext *context = port.getContext();
  for (int64_t axis = type.getRank() - 1; axis >= 0 && !type.getLayout(); --axis) {
    bool isUnit = type.getShape().getResult(axis) == getAffineConstantExpr(1, context);
    for (Operation *access : port.getUsers()) {
      isUnit &= mapOf(access).getResult(axis) == getAffineConstantExpr(0, context);
    }
    if (!isUnit) {
      continue;
    }
    for (Operation *access : port.getUsers()) {
      access->setAttr("map", AffineMapAttr::get(mapOf(access).dropResult(axis)));
    }
    type = PortType::get(context, type.getElementType(), type.getShape().dropResult(axis),
                         type.getMode(), AffineMap(), type.getAlign());
    port.setType(type);
  }
}

//===- Axes that every access uses as one ----------------------------------------------------===//

namespace {

/// Two axes that stand side by side in every access that uses one of them.
class AxisMerge {
public:
  AxisMerge(KernelOp kernel, unsigned outer, unsigned inner)
      : kernel(kernel), outer(outer), inner(inner) {}
  bool isPossible();
  void apply();

private:
  bool accessAllows(AffineMap map, Value port);
  bool opAllows(Operation &op);
  AxisSet both() const { return axisBit(outer) | axisBit(inner); }
  int64_t extent(unsigned axis) {
    auto bound = dyn_cast<AffineConstantExpr>(kernel.getAxisBounds().getResult(axis));
    return bound ? bound.getValue() : -1;
  }
  /// The coordinate with the outer axis, if it is followed by the inner one.
  std::optional<unsigned> pairIn(AffineMap map);

  KernelOp kernel;
  unsigned outer, inner;
  DenseMap<Value, unsigned> places; ///< of the pair in the coordinates of a port
};

} // namespace

std::optional<unsigned> AxisMerge::pairIn(AffineMap map) {
  MLIRContext *context = kernel.getContext();
  for (unsigned i = 0; i + 1 < map.getNumResults(); ++i) {
    if (map.getResult(i) == getAffineDimExpr(outer, context) &&
        map.getResult(i + 1) == getAffineDimExpr(inner, context)) {
      return i;
    }
  }
  return std::nullopt;
}

bool AxisMerge::accessAllows(AffineMap map, Value port) {
  AxisSet used = 0;
  std::optional<unsigned> place = pairIn(map);
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    if (!place || (i != *place && i != *place + 1)) {
      used |= axesIn(expr, kernel.getNumAxes());
    }
  }
  if (used & both()) {
    return false;
  }
  auto type = cast<PortType>(port.getType());
  if (!place) {
    // The port keeps its axes: no other access may have merged them.
    return places.insert({port, ~0u}).first->second == ~0u;
  }
  auto size = [&](unsigned i) {
    return type.getShape().getResult(i);
  };
  MLIRContext *context = kernel.getContext();
  return !type.getLayout() && size(*place) == getAffineConstantExpr(extent(outer), context) &&
         size(*place + 1) == getAffineConstantExpr(extent(inner), context) &&
         places.insert({port, *place}).first->second == *place;
}

bool AxisMerge::opAllows(Operation &op) {
  if (auto load = dyn_cast<LoadOp>(op)) {
    return accessAllows(load.getMap(), load.getPort());
  }
  if (auto store = dyn_cast<StoreOp>(op)) {
    return accessAllows(store.getMap(), store.getPort());
  }
  if (auto where = dyn_cast<WhereOp>(op)) {
    return !(axesIn(where.getSet(), kernel.getNumAxes()) & both());
  }
  if (auto index = dyn_cast<IndexOp>(op)) {
    return !contains(both(), index.getAxis());
  }
  if (auto scan = dyn_cast<ScanOp>(op)) {
    return !contains(both(), scan.getAxis());
  }
  AxisSet combined = combinedAxes(op) & both();
  auto reduce = dyn_cast<ReduceOp>(op);
  return combined == 0 || (combined == both() && !(reduce && reduce.isArg()));
}

bool AxisMerge::isPossible() {
  int64_t product = 0;
  if (extent(outer) < 0 || extent(inner) < 0 ||
      __builtin_mul_overflow(extent(outer), extent(inner), &product) || kernel.getDomain()) {
    return false;
  }
  for (AffineExpr bound : kernel.getAxisBounds().getResults()) {
    if (axesIn(bound, kernel.getNumAxes()) & both()) {
      return false;
    }
  }
  bool used = false;
  for (Operation &op : kernel.getBlock()) {
    if (!opAllows(op)) {
      return false;
    }
  }
  for (auto [port, place] : places) {
    used |= place != ~0u;
  }
  return used;
}

/// The inner axis becomes the merged one; the outer one goes.
void AxisMerge::apply() {
  MLIRContext *context = kernel.getContext();
  auto merged = [&](AffineMap map, unsigned place, AffineExpr one) {
    SmallVector<AffineExpr> results(map.getResults());
    results[place] = one;
    results.erase(results.begin() + place + 1);
    return AffineMap::get(map.getNumDims(), map.getNumSymbols(), results, context);
  };
  auto placeOf = [&](Value port) {
    return places.lookup(port);
  };
  AffineExpr axis = getAffineDimExpr(inner, context);
  for (Operation &op : kernel.getBlock()) {
    if (auto load = dyn_cast<LoadOp>(op); load && placeOf(load.getPort()) != ~0u) {
      load.setMap(merged(load.getMap(), placeOf(load.getPort()), axis));
    } else if (auto store = dyn_cast<StoreOp>(op); store && placeOf(store.getPort()) != ~0u) {
      store.setMap(merged(store.getMap(), placeOf(store.getPort()), axis));
    }
  }
  AffineExpr size = getAffineConstantExpr(extent(outer) * extent(inner), context);
  for (auto [port, place] : places) {
    auto type = cast<PortType>(port.getType());
    if (place != ~0u) {
      Value(port).setType(PortType::get(context, type.getElementType(),
                                        merged(type.getShape(), place, size), type.getMode(),
                                        AffineMap(), type.getAlign()));
    }
  }
  SpaceChange change = SpaceChange::identity(kernel);
  change.bounds[inner] = size;
  change.axisNames.erase(change.axisNames.begin() + outer);
  change.bounds.erase(change.bounds.begin() + outer);
  for (unsigned old = 0; old < kernel.getNumAxes(); ++old) {
    unsigned position = old - (old > outer);
    change.axes[old] = getAffineDimExpr(position, context);
    change.combined[old] = {position};
  }
  change.axes[outer] = getAffineConstantExpr(0, context); // used nowhere
  change.combined[outer].clear();
  for (AffineExpr &bound : change.bounds) {
    bound = bound.replaceDims(change.axes);
  }
  changeSpace(kernel, change);
}

static bool mergeOnePair(KernelOp kernel) {
  for (unsigned outer = 0; outer < kernel.getNumAxes(); ++outer) {
    for (unsigned inner = 0; inner < kernel.getNumAxes(); ++inner) {
      AxisMerge merge(kernel, outer, inner);
      if (outer != inner && merge.isPossible()) {
        merge.apply();
        return true;
      }
    }
  }
  return false;
}

void normalize(KernelOp kernel, bool portsToo) {
  if (!kernel.getBlock().getOps<OpaqueOp>().empty()) {
    return; // the routine takes the ports as they are
  }
  simplifyAccesses(kernel);
  dropUnitAxes(kernel);
  simplifyAccesses(kernel);
  if (portsToo) {
    for (BlockArgument port : kernel.getBlock().getArguments()) {
      dropUnitPortAxes(port);
    }
    while (mergeOnePair(kernel)) {
    }
  }
  shareEqualOps(kernel);
  dropUnusedOps(kernel);
}

namespace {

struct NormalizePass : impl::NormalizePassBase<NormalizePass> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>()) {
      normalize(kernel, !isLaunched(kernel));
    }
  }
};

} // namespace

} // namespace zyxc

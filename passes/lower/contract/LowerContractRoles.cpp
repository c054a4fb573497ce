#include "passes/lower/contract/LowerContractRoles.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace zyxc {

using zyxk::AxisSet;

/// All ops that a body value is computed from.
static SetVector<Operation *> opsBelow(Value value) {
  SetVector<Operation *> ops;
  SmallVector<Value> work = {value};
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (op && ops.insert(op)) {
      llvm::append_range(work, op->getOperands());
    }
  }
  return ops;
}

/// Axes that a guard below a value mentions.
static AxisSet guardedAxes(const AccessTable &table, Value value) {
  AxisSet set = 0;
  for (Operation *op : opsBelow(value)) {
    if (auto where = dyn_cast<zyxk::WhereOp>(op)) {
      set |= zyxk::axesIn(table.setOf(where), table.numAxes());
    }
  }
  return set;
}

/// Sorts axes by ascending keys; equal keys keep their order.
template <class F> static void sortByKey(SmallVectorImpl<unsigned> &axes, F keyOfAxis) {
  SmallVector<std::tuple<int64_t, size_t, unsigned>> keyed;
  for (auto [i, axis] : llvm::enumerate(axes)) {
    keyed.emplace_back(keyOfAxis(axis), i, axis);
  }
  llvm::sort(keyed);
  for (auto [axis, entry] : llvm::zip_equal(axes, keyed)) {
    axis = std::get<2>(entry);
  }
}

/// Sorts axes so that those along which an access makes large steps come first.
static void sortByStride(const AccessTable &table, Operation *access,
                         SmallVectorImpl<unsigned> &axes) {
  sortByKey(axes,
            [&](unsigned axis) { return -std::abs(strideOf(table, access, axis).value_or(0)); });
}

/// The one load below a value that has the most elements: it decides orders.
static zyxk::LoadOp mainLoad(const AccessTable &table, Value value) {
  zyxk::LoadOp best;
  for (Operation *op : opsBelow(value)) {
    auto load = dyn_cast<zyxk::LoadOp>(op);
    if (load && (!best || table.points(table.axesOf(load)) > table.points(table.axesOf(best)))) {
      best = load;
    }
  }
  return best;
}

/// The port that an operand can have packed at load: its only one, used by nothing else.
static std::optional<unsigned> preparablePort(zyxk::KernelOp kernel, Value value) {
  SetVector<Operation *> ops = opsBelow(value);
  Value port;
  for (Operation *op : ops) {
    if (auto load = dyn_cast<zyxk::LoadOp>(op)) {
      if ((port && port != load.getPort()) || !load.getCoords().empty()) {
        return std::nullopt;
      }
      port = load.getPort();
    }
  }
  if (!port ||
      llvm::any_of(port.getUsers(), [&](Operation *user) { return !ops.contains(user); })) {
    return std::nullopt;
  }
  return cast<BlockArgument>(port).getArgNumber();
}

/// Narrow floats are summed in f32.
static Type computeTypeOf(Type type) {
  return type.isF16() || type.isBF16() ? Float32Type::get(type.getContext()) : type;
}

/// True if vectors over so few points would be filled badly.
static bool fillsVectorsBadly(int64_t points, int64_t lanes) {
  auto filled = static_cast<int64_t>(llvm::alignTo(points, lanes));
  return points < 4 * lanes && filled * 4 > points * 5;
}

/// True if the rows, rather than the columns, should be vector lanes. Lanes go along the side on
/// which the first store is contiguous, unless that side is short: then prepared weights take them
/// and the few stores are scattered.
static bool shouldSwap(const AccessTable &table, const ContractRoles &roles, int64_t lanes) {
  constexpr int64_t fewLanes = 8;
  constexpr int64_t manyLanes = 1024; ///< fewer do not pay for packing the pixels in each task
  constexpr int64_t manySteps = 128;
  int64_t rows = productOf(table, roles.m);
  int64_t columns = productOf(table, roles.n);
  if (rows < fewLanes || columns < fewLanes) {
    return rows > columns;
  }
  Operation *store = roles.stores.front();
  bool swap =
      llvm::any_of(roles.m, [&](unsigned axis) { return strideOf(table, store, axis) == 1; });
  const ContractOperand &other = swap ? roles.b : roles.a;
  bool deep = productOf(table, roles.k) >= manySteps;
  bool turn = other.when == PackWhen::Prepared && deep && (swap ? columns : rows) >= manyLanes &&
              fillsVectorsBadly(swap ? rows : columns, lanes);
  return swap != turn;
}

/// Splits the column axes into those in lanes and those outside: stores must be linear in the
/// lanes.
static void splitColumns(const AccessTable &table, ContractRoles &roles, int64_t lanes) {
  Operation *store = roles.stores.front();
  sortByStride(table, store, roles.n);
  size_t first = roles.n.size();
  while (first > 0 &&
         flatStrideOf(table, store, ArrayRef<unsigned>(roles.n).drop_front(first - 1))) {
    --first;
  }
  bool enough = productOf(table, ArrayRef<unsigned>(roles.n).drop_front(first)) >= 2 * lanes;
  if (first > 0 && first < roles.n.size() && enough) {
    roles.outer.assign(roles.n.begin(), roles.n.begin() + first);
    roles.n.erase(roles.n.begin(), roles.n.begin() + first);
  }
}

/// Orders the summed axes: guards first, so that masks are loop-invariant; the innermost axis is
/// the one along which the rows' operand is contiguous, or the longest one if that costs nothing.
static void orderSum(const AccessTable &table, ContractRoles &roles) {
  AxisSet guards = guardedAxes(table, roles.a.value) | guardedAxes(table, roles.b.value);
  zyxk::LoadOp load = mainLoad(table, roles.a.value);
  bool prepared = roles.a.when == PackWhen::Prepared;
  if (load && !prepared) {
    sortByStride(table, load, roles.k);
  } else {
    sortByKey(roles.k, [&](unsigned axis) { return table.extent(axis); });
  }
  sortByKey(roles.k, [&](unsigned axis) { return zyxk::contains(guards, axis) ? 0 : 1; });
  if (load && !prepared && !roles.k.empty()) {
    unsigned last = roles.k.back();
    bool rowsContiguous = flatStrideOf(table, load, roles.m) == 1;
    roles.rowsAlongSum =
        strideOf(table, load, last) == 1 && !rowsContiguous && !zyxk::contains(guards, last);
  }
}

static void setPacking(zyxk::KernelOp kernel, ContractRoles &roles) {
  auto schedule = dyn_cast_or_null<zyxk::ContractScheduleAttr>(kernel.getScheduleAttr());
  if (!schedule) {
    return;
  }
  auto apply = [&](ContractOperand &operand, zyxk::Pack pack) {
    std::optional<unsigned> port = preparablePort(kernel, operand.value);
    if (pack == zyxk::Pack::Prepared && port) {
      operand.when = PackWhen::Prepared;
      operand.preparedPort = *port;
    }
  };
  apply(roles.a, schedule.getFields().packA);
  apply(roles.b, schedule.getFields().packB);
}

ContractRoles ContractRoles::find(const AccessTable &table) {
  ContractAxes axes = ContractAxes::find(table);
  if (!axes.op) {
    return {};
  }
  ContractRoles roles;
  zyxk::KernelOp kernel = table.kernel();
  roles.op = axes.op;
  roles.stores = axes.stores;
  roles.a.value = roles.op.getA();
  roles.b.value = roles.op.getB();
  roles.batch = axes.batch;
  roles.m = axes.m;
  roles.n = axes.n;
  roles.k = axes.k;
  AxisSet inA = axes.inA;
  AxisSet inB = axes.inB;
  roles.computeType = computeTypeOf(roles.op.getResult().getType());
  setPacking(kernel, roles);
  constexpr int64_t usualLanes = 16;
  if (shouldSwap(table, roles, usualLanes)) {
    std::swap(roles.a, roles.b);
    std::swap(roles.m, roles.n);
    std::swap(inA, inB);
  }
  for (unsigned axis : roles.batch) {
    if (zyxk::contains(inA, axis)) {
      roles.a.batchAxes.push_back(axis);
    }
    if (zyxk::contains(inB, axis)) {
      roles.b.batchAxes.push_back(axis);
    }
  }
  splitColumns(table, roles, usualLanes);
  orderSum(table, roles);
  if (zyxk::LoadOp load = mainLoad(table, roles.b.value)) {
    std::optional<int64_t> stride = flatStrideOf(table, load, roles.n);
    roles.gathersB = stride != 0 && stride != 1;
  }
  return roles;
}

ContractSizes ContractRoles::sizes(const AccessTable &table, unsigned vectorBits) const {
  ContractSizes sizes;
  sizes.batch = productOf(table, batch);
  sizes.outer = productOf(table, outer);
  sizes.m = productOf(table, m);
  sizes.n = productOf(table, n);
  for (unsigned axis : k) {
    sizes.k.push_back(table.extent(axis));
  }
  sizes.elementBytes = std::max<int64_t>(computeType.getIntOrFloatBitWidth() / 8, 1);
  sizes.packA = a.when;
  sizes.packB = b.when;
  sizes.gathersB = gathersB;
  sizes.vectorBits = vectorBits;
  zyxk::KernelOp kernel = op->getParentOfType<zyxk::KernelOp>();
  if (auto schedule = dyn_cast_or_null<zyxk::ContractScheduleAttr>(kernel.getScheduleAttr())) {
    sizes.mr = schedule.getFields().mr;
    sizes.nr = schedule.getFields().nr;
    sizes.mc = schedule.getFields().mc;
    sizes.nc = schedule.getFields().nc;
    sizes.kc = schedule.getFields().kc;
  }
  return sizes;
}

} // namespace zyxc

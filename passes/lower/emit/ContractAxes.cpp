#include "passes/lower/emit/ContractAxes.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

std::optional<int64_t> strideOf(const AccessTable &table, Operation *access, unsigned axis) {
  if (table.accessOf(access).clamped) {
    return std::nullopt;
  }
  auto factors = factorsOf(table.accessOf(access).linear, axis, axis);
  return factors ? std::optional<int64_t>(factors->first) : std::nullopt;
}

std::optional<int64_t> flatStrideOf(const AccessTable &table, Operation *access,
                                    ArrayRef<unsigned> axes) {
  if (axes.empty()) {
    return 0;
  }
  std::optional<int64_t> last = strideOf(table, access, axes.back());
  if (!last) {
    return std::nullopt;
  }
  int64_t expected = *last;
  for (unsigned axis : llvm::reverse(axes)) {
    std::optional<int64_t> stride = strideOf(table, access, axis);
    if (stride != expected) {
      return std::nullopt;
    }
    expected *= table.extent(axis);
  }
  return last;
}

int64_t productOf(const AccessTable &table, ArrayRef<unsigned> axes) {
  int64_t product = 1;
  for (unsigned axis : axes) {
    product *= table.extent(axis);
  }
  return product;
}

/// Axes whose extent is not 1, including empty ones.
static AxisSet loopAxes(const AccessTable &table) {
  AxisSet set = 0;
  for (unsigned axis = 0; axis < table.numAxes(); ++axis) {
    if (table.extent(axis) != 1) {
      set |= zyxk::axisBit(axis);
    }
  }
  return set;
}

static SmallVector<unsigned> listOf(AxisSet set) {
  SmallVector<unsigned> axes;
  for (; set != 0; set &= set - 1) {
    axes.push_back(llvm::countr_zero(set));
  }
  return axes;
}

/// The contraction of a kernel and its stores.
static bool collect(KernelOp kernel, ContractAxes &roles) {
  for (Operation &op : kernel.getBlock()) {
    if (auto contract = dyn_cast<ContractOp>(op)) {
      if (roles.op) {
        return false;
      }
      roles.op = contract;
    } else if (isa<ReduceOp, FoldOp>(op)) {
      return false;
    } else if (auto store = dyn_cast<StoreOp>(op)) {
      if (store.getCombine() != Combine::None) {
        return false;
      }
      roles.stores.push_back(store);
    }
  }
  return roles.op && !roles.stores.empty();
}

ContractAxes ContractAxes::find(const AccessTable &table) {
  ContractAxes roles;
  if (!collect(table.kernel(), roles)) {
    return {};
  }
  AxisSet loops = loopAxes(table);
  AxisSet reduced = table.reducedBy(roles.op) & loops;
  roles.inA = table.axesOf(roles.op.getA()) & loops & ~reduced;
  roles.inB = table.axesOf(roles.op.getB()) & loops & ~reduced;
  AxisSet domain = 0;
  for (StoreOp store : roles.stores) {
    domain |= table.domainOf(store) & loops;
  }
  for (StoreOp store : roles.stores) {
    if ((table.domainOf(store) & loops) != domain) {
      return {};
    }
  }
  if (((roles.inA | roles.inB) & ~domain) != 0 || (domain & reduced) != 0) {
    return {};
  }
  roles.batch = listOf((roles.inA & roles.inB) | (domain & ~(roles.inA | roles.inB)));
  roles.m = listOf(roles.inA & ~roles.inB);
  roles.n = listOf(roles.inB & ~roles.inA);
  roles.k = listOf(reduced);
  return roles;
}

} // namespace zyxc

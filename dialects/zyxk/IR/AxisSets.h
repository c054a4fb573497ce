// The axes on which a body value depends. Parallel or reduction is no property of an axis: it
// follows from these sets.
#pragma once
#include "dialects/zyxk/IR/ZyxkOps.h"
#include "llvm/ADT/DenseMap.h"

namespace zyxc::zyxk {

/// A set of axes of a kernel: bit i stands for axis i.
using AxisSet = uint64_t;
inline constexpr unsigned maxAxes = 64;

inline AxisSet axisBit(unsigned axis) {
  return AxisSet(1) << axis;
}
inline bool contains(AxisSet set, unsigned axis) {
  return (set >> axis) & 1;
}
AxisSet axisSetOf(llvm::ArrayRef<int64_t> axes);
/// The axes (dims below numAxes) that occur in an expression, a map or a set.
AxisSet axesIn(mlir::AffineExpr expr, unsigned numAxes);
AxisSet axesIn(mlir::AffineMap map, unsigned numAxes);
AxisSet axesIn(mlir::IntegerSet set, unsigned numAxes);

/// The axes that an op combines away: those of reduce, contract, expsum, welford, fold; else none.
AxisSet combinedAxes(mlir::Operation &op);

/// Axis sets of all values of a kernel's body, computed once in program order.
/// load: the axes of its map and of its SSA coordinates; elementwise: the union of the operands;
/// where: plus the axes of its set; index: its axis; reduce, contract, expsum, welford and fold:
/// minus the combined axes; scan: unchanged. A sum of expsum has the axes of its own weight, not of
/// the others.
class AxisSets {
public:
  explicit AxisSets(KernelOp kernel);
  /// The axes of a body value; a port has none.
  AxisSet operator[](mlir::Value value) const { return sets.lookup(value); }
  /// The axes over which a store runs: those of its map, its SSA coordinates and its value.
  AxisSet domainOf(StoreOp store) const;

private:
  llvm::DenseMap<mlir::Value, AxisSet> sets;
};

} // namespace zyxc::zyxk

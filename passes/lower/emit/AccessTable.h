// What the host lowerings know of a kernel before they emit it: constant extents, axis sets, and
// one linear address per access, with axes merged where every access allows it.
#pragma once
#include "dialects/zyxk/IR/AxisSets.h"
#include "dialects/zyxk/IR/Ranges.h"

namespace zyxc {

/// The address of a load or store. Affine dims are all axes of the kernel, then the SSA
/// coordinates.
struct Access {
  mlir::AffineMap coordinates; ///< one result per axis of the port; stale after a merge
  mlir::AffineExpr linear;     ///< offset in elements
  zyxk::AxisSet axes = 0;      ///< axes on which the address depends
  bool inBounds = false;       ///< proved for every point of the axes, without any guard
  bool clamped = false;        ///< coordinates are to be clamped to the port
};

/// Of a store: a set over the axes outside of which it does nothing.
inline constexpr llvm::StringLiteral storeGuardAttrName = "zyxc.guard";

/// Analysis of one kernel whose dims are all bound. An axis of extent 1, or merged into another
/// one, occurs in no set and no expression.
class AccessTable {
public:
  /// Fails with a diagnostic if the kernel has symbolic dims, bounds that are no constants, or a
  /// restricted domain.
  /// `takesTuples`, `takesScans`: the family knows expsum and welford, scan; else they are errors,
  /// too.
  static mlir::FailureOr<AccessTable> build(zyxk::KernelOp kernel, bool takesTuples = false,
                                            bool takesScans = false);

  /// Merges each pair of axes that every access and set uses as one row-major index.
  void mergeAxes();

  zyxk::KernelOp kernel() const { return op; }
  llvm::ArrayRef<int64_t> extents() const { return axisExtents; }
  int64_t extent(unsigned axis) const { return axisExtents[axis]; }
  unsigned numAxes() const { return axisExtents.size(); }
  /// The product of the extents of a set.
  int64_t points(zyxk::AxisSet set) const;

  /// Axes on which a body value depends.
  zyxk::AxisSet axesOf(mlir::Value value) const { return valueAxes.lookup(value); }
  /// Axes over which a store runs.
  zyxk::AxisSet domainOf(zyxk::StoreOp store) const { return storeAxes.lookup(store); }
  /// Axes that a reduce, contract or fold removes.
  zyxk::AxisSet reducedBy(mlir::Operation *reduction) const { return reduced.lookup(reduction); }
  const Access &accessOf(mlir::Operation *loadOrStore) const {
    return accesses.find(loadOrStore)->second;
  }
  /// The set of a where over the merged axes.
  mlir::IntegerSet setOf(zyxk::WhereOp where) const { return sets.lookup(where); }
  /// The set in which a store happens; null if that is everywhere.
  mlir::IntegerSet guardOf(zyxk::StoreOp store) const { return sets.lookup(store); }
  /// True if no load below `value` relies on a `where` above `value`.
  bool isSafe(mlir::Value value) const { return !unsafeValues.contains(value); }
  /// Constant range of an expression over the axes; nothing if it uses SSA coordinates.
  std::optional<zyxk::IndexRange> rangeOf(mlir::AffineExpr expr) const {
    return zyxk::rangeOf(expr, axisExtents);
  }

private:
  void addAccess(mlir::Operation *op, mlir::Value port, mlir::AffineMap map, bool clamp);
  void dropUnitAxes();
  void findUnsafe();
  /// Recomputes the axis sets from the rewritten expressions.
  void computeAxisSets();
  /// The expressions that a merge has to rewrite.
  llvm::SmallVector<mlir::AffineExpr> expressions() const;
  void rewrite(llvm::function_ref<mlir::AffineExpr(mlir::AffineExpr)> change);
  bool canMerge(unsigned outer, unsigned inner) const;
  void merge(unsigned outer, unsigned inner);

  zyxk::KernelOp op;
  llvm::SmallVector<int64_t> axisExtents;
  llvm::DenseMap<mlir::Value, zyxk::AxisSet> valueAxes;
  llvm::DenseMap<mlir::Operation *, zyxk::AxisSet> storeAxes;
  llvm::DenseMap<mlir::Operation *, zyxk::AxisSet> reduced;
  llvm::DenseMap<mlir::Operation *, Access> accesses;
  llvm::DenseMap<mlir::Operation *, mlir::IntegerSet> sets;
  llvm::DenseSet<mlir::Value> unsafeValues;
  zyxk::AxisSet pinned = 0; ///< never merged: an index, a clamped coordinate or an arg uses them
};

/// The factors of the plain dims in a sum, if expr = sum of factor * dim + a rest without the two
/// dims; nothing if one of them occurs in another way.
std::optional<std::pair<int64_t, int64_t>> factorsOf(mlir::AffineExpr expr, unsigned first,
                                                     unsigned second);

} // namespace zyxc

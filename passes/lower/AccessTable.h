// What the host lowerings know of a kernel before they emit it: constant extents, axis sets, and
// one linear address per access, with axes merged where every access allows it.
#pragma once
#include "dialects/zyxk/IR/AxisSets.h"

namespace zyxc {

/// The address of a load or store. Affine dims are all axes of the kernel, then the SSA coordinates.
struct Access {
  mlir::AffineMap coordinates; ///< one result per axis of the port, over the original axes
  mlir::AffineExpr linear;     ///< offset in elements, over the merged axes; null if clamped
  bool inBounds = false;       ///< proved for every point of the domain, without any guard
  bool clamped = false;        ///< coordinates are clamped to the port (and not inBounds)
};

/// Analysis of one kernel whose dims are all bound. Axes merged into another one have extent 1 and
/// coordinate 0 from then on.
class AccessTable {
public:
  /// Fails with a diagnostic if the kernel has symbolic dims, bounds that are no constants, or a
  /// restricted domain.
  static mlir::FailureOr<AccessTable> build(zyxk::KernelOp kernel);

  /// Merges each pair of neighbouring axes that every access uses as one (row-major) and that no
  /// set, index or clamped coordinate mentions.
  void mergeAxes();

  zyxk::KernelOp kernel() const { return op; }
  llvm::ArrayRef<int64_t> extents() const { return axisExtents; }
  int64_t extent(unsigned axis) const { return axisExtents[axis]; }
  unsigned numAxes() const { return axisExtents.size(); }
  /// Axes of extent above 1 in a set.
  zyxk::AxisSet significant(zyxk::AxisSet set) const;
  /// The product of the extents of a set.
  int64_t points(zyxk::AxisSet set) const;

  /// Axes on which a body value depends.
  zyxk::AxisSet axesOf(mlir::Value value) const { return valueAxes.lookup(value); }
  /// Axes over which a store runs.
  zyxk::AxisSet domainOf(zyxk::StoreOp store) const { return storeAxes.lookup(store); }
  /// Axes that a reduce or contract removes.
  zyxk::AxisSet reducedBy(mlir::Operation *reduction) const { return reduced.lookup(reduction); }
  const Access &accessOf(mlir::Operation *loadOrStore) const {
    return accesses.find(loadOrStore)->second;
  }
  /// True if no load below `value` relies on a `where` above `value`.
  bool isSafe(mlir::Value value) const { return !unsafeValues.contains(value); }
  /// Constant range of an expression over the axes; nothing if it uses SSA coordinates.
  std::optional<std::pair<int64_t, int64_t>> rangeOf(mlir::AffineExpr expr) const;

private:
  bool canMerge(unsigned outer, unsigned inner) const;
  void merge(unsigned outer, unsigned inner);

  zyxk::KernelOp op;
  llvm::SmallVector<int64_t> axisExtents;
  llvm::DenseMap<mlir::Value, zyxk::AxisSet> valueAxes;
  llvm::DenseMap<mlir::Operation *, zyxk::AxisSet> storeAxes;
  llvm::DenseMap<mlir::Operation *, zyxk::AxisSet> reduced;
  llvm::DenseMap<mlir::Operation *, Access> accesses;
  llvm::DenseSet<mlir::Value> unsafeValues;
  zyxk::AxisSet pinned = 0; ///< axes that a set, an index or a clamped coordinate mentions
};

} // namespace zyxc

// What the host lowerings know of a kernel before they emit it: extents, axis sets, and one linear
// address per access, with axes merged where every access allows it.
#pragma once
#include "dialects/zyxk/IR/AxisSets.h"
#include "dialects/zyxk/IR/Ranges.h"
#include "dialects/zyxk/IR/affine/SizeExpr.h"

namespace zyxc {

/// The address of a load or store. Affine dims are all axes of the kernel, then the SSA
/// coordinates; symbols are the kernel's dims.
struct Access {
  mlir::AffineMap coordinates; ///< one result per axis of the port; stale after a merge
  mlir::AffineExpr linear;     ///< offset in elements
  zyxk::AxisSet axes = 0;      ///< axes on which the address depends
  bool inBounds = false;       ///< proved for every point of the axes, without any guard
  bool clamped = false;        ///< coordinates are to be clamped to the port
};

/// What a family knows beside loads, stores, elementwise ops, reductions and contractions; the rest
/// is an error.
struct TakenForms {
  bool tuples = false; ///< expsum and welford
  bool scans = false;
  bool dims = false; ///< dims without a size
};

/// Of a store: a set over the axes outside of which it does nothing.
inline constexpr llvm::StringLiteral storeGuardAttrName = "zyxc.guard";

/// Analysis of one kernel. An axis of extent 1, or merged into another one, occurs in no set and no
/// expression.
class AccessTable {
public:
  /// An upper bound of extents that are known at run time only. It is odd, so that no test takes
  /// such an axis for whole vectors.
  static constexpr int64_t unknownExtent = (int64_t(1) << 40) - 1;

  /// Fails with a diagnostic if the kernel has what its family does not take, bounds that use other
  /// axes, or a restricted domain.
  static mlir::FailureOr<AccessTable> build(zyxk::KernelOp kernel, TakenForms takes = {});

  /// Merges each pair of axes that every access and set uses as one row-major index.
  void mergeAxes();

  zyxk::KernelOp kernel() const { return op; }
  llvm::ArrayRef<int64_t> extents() const { return axisExtents; }
  /// Of an axis without a constant extent `unknownExtent`.
  int64_t extent(unsigned axis) const { return axisExtents[axis]; }
  bool hasConstantExtent(unsigned axis) const { return !dim::isSymbolic(axisSizes[axis]); }
  /// The extent as a size over the kernel's dims.
  int64_t sizeOf(unsigned axis) const { return axisSizes[axis]; }
  /// Some dim of the kernel has no size.
  bool isOpen() const { return open; }
  unsigned numAxes() const { return axisExtents.size(); }
  /// The product of the extents of a set; with a usual number for those that are not known.
  int64_t points(zyxk::AxisSet set) const;

  /// Axes on which a body value depends.
  zyxk::AxisSet axesOf(mlir::Value value) const { return valueAxes.lookup(value); }
  /// Axes over which a store runs.
  zyxk::AxisSet domainOf(zyxk::StoreOp store) const { return storeAxes.lookup(store); }
  /// Axes that a reduce, contract or fold removes.
  zyxk::AxisSet reducedBy(mlir::Operation *reduction) const { return reduced.lookup(reduction); }
  /// Of a sum of a constant over axes of which some have no size: a count, which no loop has to
  /// make. The number of points, a size. It reduces nothing here.
  std::optional<int64_t> countOf(zyxk::ReduceOp reduce) const {
    auto at = counts.find(reduce);
    return at == counts.end() ? std::nullopt : std::optional(at->second);
  }
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
  /// 0 <= expr < size at every point of the axes, where `size` is an expression over dims.
  bool isInside(mlir::AffineExpr expr, mlir::AffineExpr size) const;
  /// expr >= 0, or expr == 0 for `equality`, at every point of the axes.
  bool alwaysHolds(mlir::AffineExpr expr, bool equality) const;

private:
  void addAccess(mlir::Operation *op, mlir::Value port, mlir::AffineMap map, bool clamp);
  mlir::LogicalResult addOp(mlir::Operation &op, TakenForms takes);
  void addReduction(mlir::Operation &op);
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
  bool open = false;
  llvm::SmallVector<int64_t> axisExtents;
  llvm::SmallVector<int64_t> axisSizes;
  llvm::DenseMap<mlir::Value, zyxk::AxisSet> valueAxes;
  llvm::DenseMap<mlir::Operation *, zyxk::AxisSet> storeAxes;
  llvm::DenseMap<mlir::Operation *, zyxk::AxisSet> reduced;
  llvm::DenseMap<mlir::Operation *, int64_t> counts;
  llvm::DenseMap<mlir::Operation *, Access> accesses;
  llvm::DenseMap<mlir::Operation *, mlir::IntegerSet> sets;
  llvm::DenseSet<mlir::Value> unsafeValues;
  zyxk::AxisSet pinned = 0; ///< never merged: an index, a clamped coordinate or an arg uses them
};

/// The factors of the plain dims in a sum, if expr = sum of factor * dim + a rest without the two
/// dims; nothing if one of them occurs in another way. Factors are numbers, or sizes over the
/// kernel's dims, which equal no number.
std::optional<std::pair<int64_t, int64_t>> factorsOf(mlir::AffineExpr expr, unsigned first,
                                                     unsigned second);

} // namespace zyxc

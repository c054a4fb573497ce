#include "passes/lower/gpu/IndexWidth.h"
#include "dialects/zyxk/IR/AxisSets.h"
#include "dialects/zyxk/IR/Ranges.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include <algorithm>

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

/// Numbers up to this are narrow: below 2^31 by what lanes and whole workgroups may go beyond.
static constexpr int64_t mostNarrow = (int64_t(1) << 31) - (int64_t(1) << 20);

static bool isNarrow(int64_t value) {
  return value > -mostNarrow && value < mostNarrow;
}

/// True if each part of `expr` stays narrow.
static bool isNarrow(AffineExpr expr, ArrayRef<int64_t> extents) {
  std::optional<IndexRange> range = rangeOf(expr, extents);
  if (!range || !isNarrow(range->first) || !isNarrow(range->second)) {
    return false;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  return !binary || (isNarrow(binary.getLHS(), extents) && isNarrow(binary.getRHS(), extents));
}

/// True if `expr` is a sum of products, which is right modulo 2^32 whatever its parts are.
static bool isLinear(AffineExpr expr) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary) {
    return true;
  }
  return (expr.getKind() == AffineExprKind::Add || expr.getKind() == AffineExprKind::Mul) &&
         isLinear(binary.getLHS()) && isLinear(binary.getRHS());
}

/// The range of sums, differences and products of axes and constants; none if a part of it is
/// something else or wide.
static std::optional<IndexRange> rangeOf(Value value, ArrayRef<int64_t> extents) {
  Operation *op = value.getDefiningOp();
  std::optional<IndexRange> range;
  if (auto constant = dyn_cast_or_null<arith::ConstantIndexOp>(op)) {
    range = {constant.value(), constant.value()};
  } else if (auto index = dyn_cast_or_null<IndexOp>(op)) {
    range = {0, extents[index.getAxis()] - 1};
  } else if (isa_and_nonnull<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op)) {
    std::optional<IndexRange> a = rangeOf(op->getOperand(0), extents);
    std::optional<IndexRange> b = rangeOf(op->getOperand(1), extents);
    if (!a || !b) {
      return std::nullopt;
    }
    if (isa<arith::AddIOp>(op)) {
      range = {a->first + b->first, a->second + b->second};
    } else if (isa<arith::SubIOp>(op)) {
      range = {a->first - b->second, a->second - b->first};
    } else {
      auto [least, most] = std::minmax(
          {a->first * b->first, a->first * b->second, a->second * b->first, a->second * b->second});
      range = {least, most};
    }
  }
  return range && isNarrow(range->first) && isNarrow(range->second) ? range : std::nullopt;
}

/// An index value that is known to be narrow.
static bool isNarrow(Value value, ArrayRef<int64_t> extents) {
  Operation *op = value.getDefiningOp();
  if (!op) {
    return false;
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto integer = dyn_cast<IntegerAttr>(constant.getValue());
    return integer && isNarrow(integer.getInt());
  }
  if (auto cast = dyn_cast<arith::IndexCastOp>(op)) {
    return cast.getIn().getType().getIntOrFloatBitWidth() <= 32;
  }
  if (auto cast = dyn_cast<arith::IndexCastUIOp>(op)) {
    return cast.getIn().getType().getIntOrFloatBitWidth() < 32;
  }
  if (isa<arith::SelectOp, arith::MinSIOp, arith::MaxSIOp>(op)) {
    return llvm::all_of(op->getOperands(), [&](Value operand) {
      return !operand.getType().isIndex() || isNarrow(operand, extents);
    });
  }
  // The axis of an index is checked by itself.
  return isa<IndexOp>(op) || rangeOf(value, extents);
}

/// Coordinates of a load or store and the addresses that they give.
static bool isNarrowAccess(AffineMap map, ValueRange coords, PortType port, bool clamps,
                           ArrayRef<int64_t> extents) {
  unsigned numAxes = extents.size();
  SmallVector<int64_t> shape = port.getStaticShape().value_or(SmallVector<int64_t>());
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    bool hasValues = false;
    for (unsigned k = 0; k < coords.size(); ++k) {
      hasValues |= expr.isFunctionOfDim(numAxes + k);
    }
    if (!hasValues && !isNarrow(expr, extents)) {
      return false;
    }
    // A value inside of the port is right modulo 2^32; one that is moved inside must be exact.
    if (hasValues && (clamps ? !isa<AffineDimExpr>(expr) : !isLinear(expr))) {
      return false;
    }
  }
  if (clamps && !llvm::all_of(coords, [&](Value coord) { return isNarrow(coord, extents); })) {
    return false;
  }
  return !coords.empty() || shape.size() != map.getNumResults() ||
         isNarrow(port.getLinearMap().getResult(0).replaceDims(map.getResults()), extents);
}

static bool isNarrowOp(Operation &op, ArrayRef<int64_t> extents) {
  if (auto load = dyn_cast<LoadOp>(op)) {
    return isNarrowAccess(load.getMap(), load.getCoords(), cast<PortType>(load.getPort().getType()),
                          load.getOob() != Oob::Prove, extents);
  }
  if (auto store = dyn_cast<StoreOp>(op)) {
    return isNarrowAccess(store.getMap(), store.getCoords(),
                          cast<PortType>(store.getPort().getType()), false, extents);
  }
  if (auto where = dyn_cast<WhereOp>(op)) {
    if (!llvm::all_of(where.getSet().getConstraints(),
                      [&](AffineExpr expr) { return isNarrow(expr, extents); })) {
      return false;
    }
  }
  // Other ops take index values as they are.
  return llvm::all_of(op.getOperands(), [&](Value operand) {
    return !operand.getType().isIndex() || isNarrow(operand, extents);
  });
}

bool hasWideCoordinates(KernelOp kernel) {
  std::optional<SmallVector<int64_t>> extents = kernel.getBoxExtents();
  if (!extents || llvm::is_contained(*extents, 0)) {
    return false; // it stores nothing, or is refused
  }
  auto isWide = [&](AffineExpr expr) {
    return !isNarrow(expr, *extents);
  };
  return llvm::any_of(kernel.getAxisBounds().getResults(), isWide) ||
         (kernel.getDomain() && llvm::any_of(kernel.getDomain()->getConstraints(), isWide)) ||
         llvm::any_of(kernel.getBlock(), [&](Operation &op) { return !isNarrowOp(op, *extents); });
}

bool hasWideCounts(KernelOp kernel) {
  AxisSets sets(kernel);
  AxisSet stored = 0;
  AxisSet reduced = 0;
  for (Operation &op : kernel.getBlock()) {
    auto store = dyn_cast<StoreOp>(op);
    stored |= store ? sets.domainOf(store) : 0;
    reduced |= combinedAxes(op);
  }
  SmallVector<int64_t> extents = kernel.getBoxExtents().value_or(SmallVector<int64_t>());
  auto isWide = [&](AxisSet axes) {
    int64_t points = 1;
    for (unsigned axis = 0; axis < extents.size(); ++axis) {
      int64_t extent = contains(axes, axis) ? std::max<int64_t>(extents[axis], 1) : 1;
      if (__builtin_mul_overflow(points, extent, &points)) {
        return true;
      }
    }
    return !isNarrow(points);
  };
  return isWide(stored) || isWide(reduced);
}

} // namespace zyxc

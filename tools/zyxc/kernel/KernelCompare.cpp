#include "tools/zyxc/kernel/KernelCompare.h"
#include "dialects/zyxk/IR/AxisSets.h"
#include "dialects/zyxk/IR/Ranges.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AffineMap.h"
#include "runtime/core/Float.h"
#include <cmath>

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc::tool {

static double unitRoundoff(DType dtype) {
  return std::ldexp(1.0, -info(dtype).mantissaBits - 1);
}

static double typeRoundoff(Type type) {
  auto floating = dyn_cast<FloatType>(type);
  return floating ? std::ldexp(1.0, -static_cast<int>(floating.getFPMantissaWidth())) : 0;
}

/// Ops whose float result is exact.
static bool isExact(Operation *op) {
  return isa<LoadOp, WhereOp, IndexOp, arith::ConstantOp, arith::ExtFOp, arith::SelectOp,
             arith::NegFOp, arith::MaximumFOp, arith::MinimumFOp, arith::BitcastOp>(op);
}

/// Points of the axes that an op reduces: the attribute `axes`.
static double reducedPoints(Operation *op, ArrayRef<int64_t> extents) {
  auto axes = op->getAttrOfType<DenseI64ArrayAttr>("axes");
  double points = axes ? 1 : 0;
  for (int64_t axis : axes ? axes.asArrayRef() : ArrayRef<int64_t>()) {
    points *= static_cast<double>(extents[axis]);
  }
  return points;
}

/// Values that a store joins at one element. Coordinates that are values spread them at random, and
/// a quotient evenly: what meets is the mean, and four standard deviations of chance.
static double joinedBy(StoreOp store, const AxisSets &sets, ArrayRef<int64_t> extents) {
  AxisSet domain = sets.domainOf(store);
  double points = 1;
  for (unsigned axis = 0; axis < extents.size(); ++axis) {
    points *= contains(domain, axis) ? static_cast<double>(extents[axis]) : 1;
  }
  std::optional<SmallVector<int64_t>> shape =
      cast<PortType>(store.getPort().getType()).getStaticShape();
  double elements = 1;
  for (auto [i, coordinate] : llvm::enumerate(store.getMap().getResults())) {
    // A range is known where no coordinate is a value.
    std::optional<IndexRange> range = rangeOf(coordinate, extents);
    double reached = shape ? static_cast<double>((*shape)[i]) : 1;
    if (range) {
      reached = std::min(reached, static_cast<double>(range->second - range->first + 1));
    }
    elements *= std::max(reached, 1.0);
  }
  double mean = points / elements;
  return points <= 1 ? 0 : mean + 4 * std::sqrt(mean) + 4;
}

KernelTolerance toleranceOf(KernelOp kernel) {
  KernelTolerance tolerance;
  SmallVector<int64_t> extents(kernel.getNumAxes(), 1);
  if (auto known = kernel.getStaticExtents()) {
    extents = *known;
  }
  AxisSets sets(kernel);
  tolerance.joined.resize(kernel.getNumPorts(), 0);
  for (auto store : kernel.getBlock().getOps<StoreOp>()) {
    unsigned port = cast<BlockArgument>(store.getPort()).getArgNumber();
    if (store.getCombine() == Combine::Add) {
      tolerance.joined[port] += joinedBy(store, sets, extents);
    }
  }
  kernel.getBlock().walk([&](Operation *op) {
    if (!isExact(op)) {
      double &roundoff = isa<arith::TruncFOp>(op) ? tolerance.castRoundoff : tolerance.bodyRoundoff;
      for (Type type : op->getResultTypes()) {
        roundoff = std::max(roundoff, typeRoundoff(type));
      }
      tolerance.reductionLength += reducedPoints(op, extents);
    }
  });
  return tolerance;
}

ElementDifference comparePort(const Tensor &actual, const Tensor &expected,
                              const KernelTolerance &tolerance, unsigned port) {
  DType dtype = expected.dtype();
  if (!isFloat(dtype)) {
    return compareElements(actual, expected, {});
  }
  double joined = tolerance.joined.empty() ? 0 : tolerance.joined[port];
  double u = std::max(unitRoundoff(dtype), tolerance.castRoundoff);
  double relative = 8 * u + 4 * unitRoundoff(dtype) * std::sqrt(joined) +
                    tolerance.bodyRoundoff * (16 + 4 * std::sqrt(tolerance.reductionLength));
  double rms = rootMeanSquare(expected);
  double tiny = 2 * floatFromBits(dtype, 1);
  return compareElements(actual, expected, [&](int64_t, double b) {
    return relative * std::max(std::abs(b), rms) + tiny;
  });
}

} // namespace zyxc::tool

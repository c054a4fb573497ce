#include "tools/zyxc/kernel/KernelCompare.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
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

KernelTolerance toleranceOf(KernelOp kernel) {
  KernelTolerance tolerance;
  SmallVector<int64_t> extents(kernel.getNumAxes(), 1);
  if (auto known = kernel.getStaticExtents()) {
    extents = *known;
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

static double rootMeanSquare(const Tensor &tensor) {
  double sum = 0;
  int64_t finite = 0;
  for (int64_t i = 0; i < tensor.numElements(); ++i) {
    double value = tensor.asDouble(i);
    if (std::isfinite(value)) {
      sum += value * value;
      ++finite;
    }
  }
  return finite ? std::sqrt(sum / static_cast<double>(finite)) : 0;
}

/// "[1, 0, 3]".
static std::string coordinates(const Shape &shape, int64_t index) {
  std::vector<int64_t> at(shape.size());
  for (size_t i = shape.size(); i-- > 0;) {
    at[i] = index % shape[i];
    index /= shape[i];
  }
  return fmt::format("[{}]", fmt::join(at, ", "));
}

static std::string element(const Tensor &tensor, int64_t index) {
  return isFloat(tensor.dtype()) ? fmt::format("{:.9g}", tensor.asDouble(index))
                                 : std::to_string(tensor.asInt(index));
}

PortDifference comparePort(const Tensor &actual, const Tensor &expected,
                           const KernelTolerance &tolerance) {
  DType dtype = expected.dtype();
  bool exact = !isFloat(dtype);
  double u = exact ? 0 : std::max(unitRoundoff(dtype), tolerance.castRoundoff);
  double relative =
      8 * u + tolerance.bodyRoundoff * (16 + 4 * std::sqrt(tolerance.reductionLength));
  double rms = exact ? 0 : rootMeanSquare(expected);
  double tiny = exact ? 0 : 2 * floatFromBits(dtype, 1);
  PortDifference result;
  int64_t first = -1;
  for (int64_t i = 0; i < expected.numElements(); ++i) {
    bool same;
    if (exact) {
      same = actual.asInt(i) == expected.asInt(i);
    } else {
      double a = actual.asDouble(i);
      double b = expected.asDouble(i);
      same = a == b || (std::isnan(a) && std::isnan(b));
      if (!same) {
        double allowed = relative * std::max(std::abs(b), rms) + tiny;
        double error = std::abs(a - b) / allowed;
        same = std::isfinite(b) && error <= 1;
        result.largest = std::max(result.largest, std::isnan(error) ? HUGE_VAL : error);
      }
    }
    if (!same) {
      first = first < 0 ? i : first;
      ++result.mismatches;
    }
  }
  if (result.mismatches) {
    result.text =
        fmt::format("differs in {} of {} elements; first at {}: {}, expected {}", result.mismatches,
                    expected.numElements(), coordinates(expected.shape(), first),
                    element(actual, first), element(expected, first));
  }
  return result;
}

} // namespace zyxc::tool

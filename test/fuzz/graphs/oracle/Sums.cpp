#include "compiler/interp/Interp.h"
#include "test/fuzz/graphs/oracle/Exactness.h"
#include "test/fuzz/graphs/oracle/Rounding.h"
#include <algorithm>
#include <cmath>

namespace zyxc::fuzz {

/// Roundings beside those of the sum itself: of what is converted, and of few other steps.
static constexpr double fewRoundings = 4;

static Tensor castTo(const Tensor &x, DType dtype) {
  Expected<Tensor> result = interp::evaluate(OpKind::Cast, {{"dtype", dtype}}, std::span(&x, 1));
  return result ? *std::move(result) : x;
}

/// The largest relative error of one rounding to nearest.
static double unitRoundoff(DType dtype) {
  return std::ldexp(1.0, -info(dtype).mantissaBits - 1);
}

static bool isProductOf(OpKind kind) {
  return kind == OpKind::ReduceProd || kind == OpKind::ScanProd;
}

/// True for sums of products.
static bool multiplies(OpKind kind) {
  return kind == OpKind::Contract || kind == OpKind::Conv || kind == OpKind::Matmul;
}

/// The op on the finite elements' magnitudes, each by `part`.
template <class Part>
static Expected<Tensor> onMagnitudes(const Node &node, const Attrs &attrs,
                                     std::span<const Tensor> operands, Part part) {
  std::vector<Tensor> magnitudes;
  for (const Tensor &operand : operands) {
    Tensor magnitude = Tensor::allocate(operand.type());
    for (int64_t i = 0; i < operand.numElements(); ++i) {
      double value = std::fabs(operand.asDouble(i));
      magnitude.setDouble(i, part(std::isfinite(value) ? value : 0));
    }
    magnitudes.push_back(std::move(magnitude));
  }
  return interp::evaluate(node.kind, attrs, magnitudes);
}

/// Opens products of which a partial one may leave the dtype's range: its factors above 1 alone, or
/// those below 1.
static Status openPartialProducts(Choices &choices, const Node &node,
                                  std::span<const Tensor> operands, const Tensor &result) {
  auto above = [](double value) {
    return std::max(value, 1.0);
  };
  auto below = [](double value) {
    return value == 0 ? 1 : std::min(value, 1.0);
  };
  ZYXC_ASSIGN(Tensor largest, onMagnitudes(node, node.attrs, operands, above));
  ZYXC_ASSIGN(Tensor smallest, onMagnitudes(node, node.attrs, operands, below));
  double limit = largest.dtype() == DType::F64 ? 0x1p1022 : 0x1p126;
  choices.openClasses(result, [&](int64_t i) {
    return largest.asDouble(i) > limit || smallest.asDouble(i) < 1 / limit;
  });
  return Status::ok();
}

/// A sum of elements or products, in an accumulator of the operands' dtype.
static Expected<Tensor> evaluateLinear(Choices &choices, const Node &node, const Attrs &attrs,
                                       std::span<const Tensor> operands) {
  DType wide = operands[0].dtype();
  ZYXC_ASSIGN(Tensor sum, interp::evaluate(node.kind, attrs, operands));
  double terms = termsOf(node, operands);
  double relative = (terms + fewRoundings) * unitRoundoff(wide);
  // Each product may be lost in underflow by so much.
  double lost = terms * unitInTheLastPlace(wide, 0);
  if (isProductOf(node.kind)) {
    sum = choices.movedBy(sum, [&](int64_t i) {
      double value = std::fabs(sum.asDouble(i));
      return value == 0 ? 0 : relative * value + lost;
    });
    Tensor result = choices.moved(castTo(sum, node.type.dtype), 0.75);
    ZYXC_RETURN_IF_ERROR(openPartialProducts(choices, node, operands, result));
    return result;
  }
  ZYXC_ASSIGN(Tensor bound,
              onMagnitudes(node, attrs, operands, [](double value) { return value; }));
  sum = choices.movedBy(sum, [&](int64_t i) {
    double magnitudes = bound.asDouble(i);
    return magnitudes == 0 ? 0 : relative * magnitudes + (multiplies(node.kind) ? lost : 0);
  });
  Tensor result = choices.moved(castTo(sum, node.type.dtype), 0.75);
  double limit = (wide == DType::F64 ? 0x1p1022 : 0x1p126) /
                 (node.kind == OpKind::AvgPool ? terms : 1); // of the sum, not of the mean
  choices.openClasses(result, [&](int64_t i) { return bound.asDouble(i) > limit; });
  return result;
}

/// Opens elements that are NaN or infinite, or nearly so, and are numbers where nothing overflows:
/// steps may be done in another order and width.
static Status openInnerOverflows(Choices &choices, const Node &node,
                                 std::span<const Tensor> operands, const Tensor &result) {
  std::vector<Tensor> wideOperands;
  for (const Tensor &operand : operands) {
    wideOperands.push_back(castTo(operand, DType::F64));
  }
  ZYXC_ASSIGN(Tensor wide, interp::evaluate(node.kind, node.attrs, wideOperands));
  Tensor narrow = castTo(wide, node.type.dtype);
  choices.openClasses(result, [&](int64_t i) {
    return std::isfinite(wide.asDouble(i)) &&
           (!std::isfinite(result.asDouble(i)) || !std::isfinite(narrow.asDouble(i)));
  });
  return Status::ok();
}

static Expected<Tensor> evaluateNormalization(Choices &choices, const Node &node,
                                              std::span<const Tensor> operands) {
  std::vector<Tensor> moved;
  for (const Tensor &operand : operands) { // differences of them lose digits
    moved.push_back(choices.moved(operand, fewRoundings));
  }
  ZYXC_ASSIGN(Tensor value, interp::evaluate(node.kind, node.attrs, moved));
  // A sum of numbers that are not negative has this relative error, its logarithm the same as an
  // absolute one.
  double error = termsOf(node, operands) * unitRoundoff(operands[0].dtype());
  bool isLogarithm = node.kind == OpKind::LogSoftmax;
  value = choices.movedBy(
      value, [&](int64_t i) { return isLogarithm ? error : error * std::fabs(value.asDouble(i)); });
  value = choices.moved(value, fewRoundings);
  Tensor result = choices.moved(castTo(value, node.type.dtype), 0.75);
  ZYXC_RETURN_IF_ERROR(openInnerOverflows(choices, node, moved, result));
  return result;
}

Expected<Tensor> evaluateSum(Choices &choices, const Node &node, std::span<const Tensor> operands) {
  // Sums of narrow floats are formed in a wider dtype and rounded once.
  DType wide = accumulatorOf(operands[0].dtype());
  Attrs attrs = node.attrs;
  if (node.kind == OpKind::Contract) {
    attrs.set("dtype", wide);
  }
  std::vector<Tensor> wideOperands;
  for (const Tensor &operand : operands) {
    wideOperands.push_back(castTo(operand, wide));
  }
  bool isNormalization = node.kind == OpKind::Softmax || node.kind == OpKind::LogSoftmax ||
                         node.kind == OpKind::Lrn || node.kind == OpKind::BatchNorm;
  return isNormalization ? evaluateNormalization(choices, node, wideOperands)
                         : evaluateLinear(choices, node, attrs, wideOperands);
}

} // namespace zyxc::fuzz

#include "test/fuzz/graphs/Rounding.h"
#include "compiler/interp/Interp.h"
#include <algorithm>
#include <cmath>
#include <cstring>

namespace zyxc::fuzz {

double unitInTheLastPlace(DType dtype, double value) {
  // The exponent of the smallest normal number.
  int lowest = 0;
  switch (dtype) {
  case DType::F16: lowest = -14; break;
  case DType::F64: lowest = -1022; break;
  case DType::F8E4M3FN: lowest = -6; break;
  case DType::F8E5M2: lowest = -14; break;
  default: lowest = -126; break;
  }
  int exponent = value == 0 ? lowest : std::max(std::ilogb(value), lowest);
  return std::ldexp(1.0, exponent - info(dtype).mantissaBits);
}

namespace {
enum class Effect : uint8_t {
  None,       ///< moves, selects, compares, works on bits
  Arithmetic, ///< one correctly rounded result
  Function,   ///< a few units in the last place
  Sum,        ///< sums and products of many elements
};
} // namespace

static Effect effectOf(OpKind kind) {
  switch (kind) {
  case OpKind::Neg:
  case OpKind::Abs:
  case OpKind::Sign:
  case OpKind::Not:
  case OpKind::Ceil:
  case OpKind::Floor:
  case OpKind::Round:
  case OpKind::Trunc:
  case OpKind::IsNan:
  case OpKind::IsInf:
  case OpKind::Max:
  case OpKind::Min:
  case OpKind::And:
  case OpKind::Or:
  case OpKind::Xor:
  case OpKind::Shl:
  case OpKind::Shr:
  case OpKind::Select:
  case OpKind::Bitcast:
  case OpKind::ReduceMax:
  case OpKind::ReduceMin:
  case OpKind::ReduceAnd:
  case OpKind::ReduceOr:
  case OpKind::ArgMax:
  case OpKind::ArgMin:
  case OpKind::MaxPool:
  case OpKind::ScanMax:
  case OpKind::ScanMin:
  case OpKind::Scatter: // its order is fixed, and so is its rounding
  case OpKind::Sort:
  case OpKind::ArgSort:
  case OpKind::Stack: return Effect::None;
  case OpKind::Cast:
  case OpKind::Add:
  case OpKind::Sub:
  case OpKind::Mul:
  case OpKind::Div:
  case OpKind::Rem:
  case OpKind::Mod: return Effect::Arithmetic;
  case OpKind::Contract: return Effect::Sum;
  default: break;
  }
  OpFamily family = info(kind).family;
  if (family == OpFamily::Compare || family == OpFamily::Movement ||
      family == OpFamily::Structural || family == OpFamily::Identity) {
    return Effect::None;
  }
  return isReduce(kind) || isComposite(kind) || isScan(kind) ? Effect::Sum : Effect::Function;
}

/// Numbers that one element of a sum is made of.
static double termsOf(const Node &node, std::span<const Tensor> operands) {
  auto results = static_cast<double>(std::max<int64_t>(node.type.numElements(), 1));
  switch (node.kind) {
  case OpKind::Conv:
    return static_cast<double>(operands[1].numElements()) /
           static_cast<double>(std::max<int64_t>(operands[1].shape()[0], 1));
  case OpKind::Matmul: return static_cast<double>(operands[0].shape().back());
  case OpKind::Contract:
    return static_cast<double>(operands[0].numElements()) *
           static_cast<double>(operands[1].numElements()) / results;
  case OpKind::ScanSum:
  case OpKind::ScanProd:
    return static_cast<double>(operands[0].shape()[node.attrs.getInt("axis")]) + 8;
  case OpKind::AvgPool: return static_cast<double>(numElements(node.attrs.getInts("sizes")));
  default: return static_cast<double>(operands[0].numElements()) / results + 8;
  }
}

static bool hasFloat(const Node &node, std::span<const Tensor> operands) {
  return isFloat(node.type.dtype) || (!operands.empty() && isFloat(operands[0].dtype()));
}

/// The largest magnitude, or infinity if an element is no integer.
static double integralMagnitude(const Tensor &x) {
  double largest = 0;
  for (int64_t i = 0; i < x.numElements(); ++i) {
    double value = x.asDouble(i);
    if (!(value == std::trunc(value)) || std::isinf(value)) {
      return INFINITY;
    }
    largest = std::max(largest, std::fabs(value));
  }
  return largest;
}

bool roundsNothing(const Node &node, std::span<const Tensor> operands, const Tensor &result) {
  Effect effect = effectOf(node.kind);
  if (effect == Effect::None || !hasFloat(node, operands)) {
    return true;
  }
  bool isProduct = node.kind == OpKind::Mul || node.kind == OpKind::Conv ||
                   node.kind == OpKind::Matmul || node.kind == OpKind::Contract;
  bool isSum = node.kind == OpKind::Add || node.kind == OpKind::Sub || node.kind == OpKind::Cast ||
               node.kind == OpKind::ReduceSum;
  if (!isProduct && !isSum) {
    return false;
  }
  double bound = isProduct ? 1 : 0;
  for (const Tensor &operand : operands) {
    double magnitude = integralMagnitude(operand);
    bound = isProduct ? bound * magnitude : bound + magnitude;
  }
  bound *= effect == Effect::Sum ? termsOf(node, operands) : 1;
  int bits = isFloat(result.dtype()) ? info(result.dtype()).mantissaBits + 1 : 53;
  if (isFloat(operands[0].dtype()) && node.kind != OpKind::Cast) {
    bits = std::min(bits, info(operands[0].dtype()).mantissaBits + 1);
  }
  return bound <= std::ldexp(1.0, bits);
}

Tensor Rounding::disturbed(const Tensor &x, double units) {
  Tensor result = Tensor::allocate(x.type());
  std::uniform_real_distribution<double> noise(-units, units);
  for (int64_t i = 0; i < x.numElements(); ++i) {
    double value = x.asDouble(i);
    bool moves = std::isfinite(value) && value != 0;
    result.setDouble(i,
                     moves ? value + noise(random) * unitInTheLastPlace(x.dtype(), value) : value);
  }
  return result;
}

void Rounding::flipZeros(const Tensor &x) {
  for (int64_t i = 0; i < x.numElements(); ++i) {
    if (x.asDouble(i) == 0) {
      x.setDouble(i, random() % 2 ? 0.0 : -0.0);
    }
  }
}

Tensor Rounding::withOtherNaN(const Tensor &x) const {
  Tensor result = Tensor::allocate(x.type());
  if (x.byteSize() > 0) {
    std::memcpy(result.mutableData(), x.data(), x.byteSize());
  }
  auto last = static_cast<int64_t>(byteSize(x.dtype())) - 1;
  for (int64_t i = 0; i < x.numElements(); ++i) {
    if (!std::isnan(x.asDouble(i))) {
      continue;
    }
    std::byte *bytes = result.mutableData() + i * (last + 1);
    bytes[last] ^= std::byte{0x80};
    if (run % 2 == 0 && last > 0) {
      bytes[0] ^= std::byte{0x01}; // the other mantissa bits keep it a NaN or make it another value
    }
  }
  return result;
}

static Tensor castTo(const Tensor &x, DType dtype) {
  Expected<Tensor> result = interp::evaluate(OpKind::Cast, {{"dtype", dtype}}, std::span(&x, 1));
  return result ? *std::move(result) : x;
}

/// Sums and products of the finite elements' magnitudes; products also of what is above 1 and what
/// is below 1 alone. Infinite (or 0) where a partial result may leave the dtype's range.
static Expected<std::vector<Tensor>> partialBounds(const Node &node, const Attrs &attrs,
                                                   std::span<const Tensor> operands) {
  std::vector<Tensor> bounds;
  bool isProduct = node.kind == OpKind::ReduceProd || node.kind == OpKind::ScanProd;
  for (int part = 0; part < (isProduct ? 2 : 1); ++part) {
    std::vector<Tensor> magnitudes;
    for (const Tensor &operand : operands) {
      Tensor magnitude = Tensor::allocate(operand.type());
      for (int64_t i = 0; i < operand.numElements(); ++i) {
        double value = std::fabs(operand.asDouble(i));
        value = std::isfinite(value) ? value : 0;
        if (isProduct) {
          value = value == 0 ? 1 : part == 0 ? std::max(value, 1.0) : std::min(value, 1.0);
        }
        magnitude.setDouble(i, value);
      }
      magnitudes.push_back(std::move(magnitude));
    }
    ZYXC_ASSIGN(Tensor bound, interp::evaluate(node.kind, attrs, magnitudes));
    bounds.push_back(std::move(bound));
  }
  return bounds;
}

/// Makes elements differ from run to run where the order of the sum decides if it overflows.
void Rounding::spoilOverflows(const Tensor &sum, std::span<const Tensor> bounds,
                              double terms) const {
  bool isProduct = bounds.size() == 2;
  for (const Tensor &bound : bounds) {
    double largest = bound.dtype() == DType::F64 ? 0x1p1023 : 0x1p127;
    for (int64_t i = 0; i < sum.numElements(); ++i) {
      double value = bound.asDouble(i) * terms;
      if (value > largest / 2 || (isProduct && value < 1e-30)) {
        sum.setDouble(i, run % 2 ? std::nan("") : 0.0);
      }
    }
  }
}

/// The same for composites, whose steps may be done in another order and width: elements that are
/// NaN or infinite, or nearly so, and are numbers where nothing overflows.
Status Rounding::spoilInnerOverflows(const Node &node, std::span<const Tensor> operands,
                                     const Tensor &result) const {
  std::vector<Tensor> wideOperands;
  for (const Tensor &operand : operands) {
    wideOperands.push_back(castTo(operand, DType::F64));
  }
  ZYXC_ASSIGN(Tensor wide, interp::evaluate(node.kind, node.attrs, wideOperands));
  Tensor narrow = castTo(wide, node.type.dtype);
  for (int64_t i = 0; i < result.numElements(); ++i) {
    bool overflows = std::isfinite(wide.asDouble(i)) &&
                     (!std::isfinite(result.asDouble(i)) || !std::isfinite(narrow.asDouble(i)));
    if (overflows) {
      result.setDouble(i, run % 2 ? std::nan("") : 0.0);
    }
  }
  return Status::ok();
}

Expected<Tensor> Rounding::evaluateSum(const Node &node, std::span<const Tensor> operands) {
  // Sums of narrow floats are formed in a wider dtype and rounded once.
  DType wide = accumulatorOf(operands[0].dtype());
  Attrs attrs = node.attrs;
  if (node.kind == OpKind::Contract) {
    attrs.set("dtype", wide);
  }
  double units = 2 + std::sqrt(termsOf(node, operands));
  std::vector<Tensor> moved;
  for (const Tensor &operand : operands) {
    moved.push_back(disturbed(castTo(operand, wide), units));
  }
  ZYXC_ASSIGN(Tensor sum, interp::evaluate(node.kind, attrs, moved));
  Tensor result = disturbed(castTo(disturbed(sum, units), node.type.dtype), 0.75);
  if (node.kind == OpKind::LogSoftmax) { // the sum is at least 1, so its logarithm loses digits
    double unit = unitInTheLastPlace(wide, 1) * units;
    std::uniform_real_distribution<double> noise(-unit, unit);
    for (int64_t i = 0; i < result.numElements(); ++i) {
      result.setDouble(i, result.asDouble(i) + noise(random));
    }
  }
  bool isLinear = isReduce(node.kind) || isScan(node.kind) || node.kind == OpKind::Contract ||
                  node.kind == OpKind::Conv || node.kind == OpKind::Matmul ||
                  node.kind == OpKind::AvgPool;
  if (isLinear) {
    ZYXC_ASSIGN(std::vector<Tensor> bounds, partialBounds(node, attrs, moved));
    double terms = node.kind == OpKind::AvgPool ? termsOf(node, operands) : 1; // of the mean
    spoilOverflows(result, bounds, terms);
  } else if (isComposite(node.kind)) {
    ZYXC_RETURN_IF_ERROR(spoilInnerOverflows(node, moved, result));
  }
  return result;
}

Expected<Tensor> Rounding::evaluate(const Node &node, std::span<const Tensor> operands,
                                    bool exact) {
  Effect effect = effectOf(node.kind);
  if (node.kind == OpKind::Bitcast && isFloat(operands[0].dtype())) {
    Tensor other = withOtherNaN(operands[0]);
    return interp::evaluate(node.kind, node.attrs, std::span(&other, 1));
  }
  if (!isFloat(node.type.dtype) ||
      (!exact && effect == Effect::Sum && !isFloat(operands[0].dtype()))) {
    return interp::evaluate(node.kind, node.attrs, operands);
  }
  if (effect == Effect::Sum && !exact) {
    ZYXC_ASSIGN(Tensor sum, evaluateSum(node, operands));
    flipZeros(sum);
    return sum;
  }
  ZYXC_ASSIGN(Tensor value, interp::evaluate(node.kind, node.attrs, operands));
  if (!exact && effect != Effect::None) {
    value = disturbed(value, effect == Effect::Function ? 3 : 1);
  }
  bool openZeros = node.kind == OpKind::Max || node.kind == OpKind::Min ||
                   node.kind == OpKind::MaxPool || isReduce(node.kind) || effect == Effect::Sum;
  if (openZeros) {
    Tensor copy = disturbed(value, 0);
    flipZeros(copy);
    return copy;
  }
  return value;
}

} // namespace zyxc::fuzz

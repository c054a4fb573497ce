#include "dialects/zyx/semantics/Scalar.h"
#include "dialects/zyx/semantics/ScalarFunctions.h"
#include "runtime/core/Float.h"
#include <algorithm>
#include <cassert>
#include <cstring>
#include <limits>

namespace zyxc {

double roundToDType(DType dtype, double value) {
  switch (dtype) {
  case DType::F64: return value;
  case DType::F32: return static_cast<float>(value);
  default: return floatFromBits(dtype, floatToBits(dtype, value));
  }
}

int64_t wrapToDType(DType dtype, int64_t value) {
  int unused = 64 - bitWidth(dtype);
  auto high = static_cast<uint64_t>(value) << unused;
  return isSigned(dtype) ? static_cast<int64_t>(high) >> unused
                         : static_cast<int64_t>(high >> unused);
}

Scalar loadScalar(DType dtype, const void *element) {
  uint64_t bits = 0;
  std::memcpy(&bits, element, byteSize(dtype)); // little endian
  if (isFloat(dtype)) {
    return {.f = floatFromBits(dtype, bits)};
  }
  if (dtype == DType::Bool) {
    return {.i = bits != 0};
  }
  return {.i = wrapToDType(dtype, static_cast<int64_t>(bits))};
}

void storeScalar(DType dtype, Scalar value, void *element) {
  uint64_t bits = isFloat(dtype) ? floatToBits(dtype, value.f) : static_cast<uint64_t>(value.i);
  std::memcpy(element, &bits, byteSize(dtype));
}

static Scalar makeFloat(DType dtype, double value) {
  return {.f = roundToDType(dtype, value)};
}

static Scalar makeInt(DType dtype, int64_t value) {
  return {.i = wrapToDType(dtype, value)};
}

template <class T> static Scalar unaryInt(OpKind kind, DType dtype, Scalar x) {
  return scalar::visitIntUnary<T>(kind, bitWidth(dtype), [&](auto f) {
    return makeInt(dtype, static_cast<int64_t>(f(static_cast<T>(x.i))));
  });
}

Scalar evalUnary(OpKind kind, DType dtype, Scalar x) {
  if (kind == OpKind::IsNan || kind == OpKind::IsInf) {
    return scalar::visitFloatTest(kind, [&](auto f) { return Scalar{.i = f(x.f)}; });
  }
  if (isFloat(dtype)) {
    return scalar::visitFloatUnary(kind, [&](auto f) { return makeFloat(dtype, f(x.f)); });
  }
  return isSigned(dtype) ? unaryInt<int64_t>(kind, dtype, x) : unaryInt<uint64_t>(kind, dtype, x);
}

template <class T> static Scalar binaryInt(OpKind kind, DType dtype, Scalar x, Scalar y) {
  return scalar::visitIntBinary<T>(kind, bitWidth(dtype), [&](auto f) {
    return makeInt(dtype, static_cast<int64_t>(f(static_cast<T>(x.i), static_cast<T>(y.i))));
  });
}

template <class T> static Scalar compareInt(OpKind kind, Scalar x, Scalar y) {
  return scalar::visitCompare<T>(
      kind, [&](auto f) { return Scalar{.i = f(static_cast<T>(x.i), static_cast<T>(y.i))}; });
}

Scalar evalBinary(OpKind kind, DType dtype, Scalar x, Scalar y) {
  bool compare = info(kind).family == OpFamily::Compare;
  if (isFloat(dtype)) {
    return compare ? scalar::visitCompare<double>(kind,
                                                  [&](auto f) { return Scalar{.i = f(x.f, y.f)}; })
                   : scalar::visitFloatBinary(
                         kind, [&](auto f) { return makeFloat(dtype, f(x.f, y.f)); });
  }
  if (isSigned(dtype)) {
    return compare ? compareInt<int64_t>(kind, x, y) : binaryInt<int64_t>(kind, dtype, x, y);
  }
  return compare ? compareInt<uint64_t>(kind, x, y) : binaryInt<uint64_t>(kind, dtype, x, y);
}

/// Toward zero, saturated to the range of an integer dtype; NaN gives 0.
static int64_t floatToInt(DType to, double value) {
  if (value != value) {
    return 0;
  }
  int width = bitWidth(to);
  if (isSigned(to)) {
    double limit = std::ldexp(1.0, width - 1);
    int64_t largest = std::numeric_limits<int64_t>::max() >> (64 - width);
    return value >= limit ? largest : (value < -limit ? -largest - 1 : static_cast<int64_t>(value));
  }
  double limit = std::ldexp(1.0, width);
  uint64_t largest = std::numeric_limits<uint64_t>::max() >> (64 - width);
  uint64_t result = value >= limit ? largest : (value <= 0 ? 0 : static_cast<uint64_t>(value));
  return static_cast<int64_t>(result);
}

/// An integer as a double, rounded to odd where it is not exact, so that rounding it once more to a
/// narrower dtype gives the nearest value of that dtype.
static double intToOddDouble(bool isUnsigned, int64_t value) {
  bool negative = !isUnsigned && value < 0;
  uint64_t magnitude = negative ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  int dropped = std::max(0, 64 - 53 - __builtin_clzll(magnitude | 1));
  uint64_t kept = magnitude >> dropped;
  kept |= (kept << dropped) != magnitude;
  double result = std::ldexp(static_cast<double>(kept), dropped);
  return negative ? -result : result;
}

Scalar evalCast(DType from, DType to, Scalar x) {
  if (isFloat(from)) {
    if (to == DType::Bool) {
      return {.i = x.f != 0};
    }
    return isFloat(to) ? makeFloat(to, x.f) : Scalar{.i = floatToInt(to, x.f)};
  }
  if (to == DType::Bool) {
    return {.i = x.i != 0};
  }
  if (!isFloat(to)) {
    return makeInt(to, x.i);
  }
  if (to == DType::F64) {
    return {.f = from == DType::U64 ? static_cast<double>(static_cast<uint64_t>(x.i))
                                    : static_cast<double>(x.i)};
  }
  return makeFloat(to, intToOddDouble(from == DType::U64, x.i));
}

std::optional<ScatterCombine> parseScatterCombine(std::string_view text) {
  constexpr std::string_view names[] = {"none", "add", "mul", "max", "min"};
  const auto *found = std::find(std::begin(names), std::end(names), text);
  return found == std::end(names) ? std::nullopt
                                  : std::optional(static_cast<ScatterCombine>(found - names));
}

OpKind scatterStep(ScatterCombine combine) {
  switch (combine) {
  case ScatterCombine::Add: return OpKind::Add;
  case ScatterCombine::Mul: return OpKind::Mul;
  case ScatterCombine::Max: return OpKind::Max;
  default: break;
  }
  assert(combine == ScatterCombine::Min && "a combination by a binary op");
  return OpKind::Min;
}

OpKind reductionStep(OpKind kind) {
  switch (kind) {
  case OpKind::ReduceSum:
  case OpKind::ScanSum: return OpKind::Add;
  case OpKind::ReduceProd:
  case OpKind::ScanProd: return OpKind::Mul;
  case OpKind::ReduceMax:
  case OpKind::ScanMax: return OpKind::Max;
  case OpKind::ReduceMin:
  case OpKind::ScanMin: return OpKind::Min;
  case OpKind::ReduceAnd: return OpKind::And;
  default: break;
  }
  assert(kind == OpKind::ReduceOr && "a reduction or a scan by a binary op");
  return OpKind::Or;
}

/// Infinity, or the largest finite value where the format has none; types of less than a byte are
/// not reduced.
static double largestFloat(DType dtype) {
  return dtype == DType::F8E4M3FN ? 448 : INFINITY;
}

Scalar reduceIdentity(OpKind kind, DType dtype) {
  bool isFloatType = isFloat(dtype);
  switch (reductionStep(kind)) {
  case OpKind::Add: return isFloatType ? Scalar{.f = 0} : Scalar{.i = 0};
  case OpKind::Mul: return isFloatType ? Scalar{.f = 1} : Scalar{.i = 1};
  case OpKind::Max:
    return isFloatType ? Scalar{.f = -largestFloat(dtype)}
                       : Scalar{.i = floatToInt(dtype, -INFINITY)};
  case OpKind::Min:
    return isFloatType ? Scalar{.f = largestFloat(dtype)}
                       : Scalar{.i = floatToInt(dtype, INFINITY)};
  case OpKind::And: return makeInt(dtype, -1);
  default: return {.i = 0};
  }
}

Scalar reduceStep(OpKind kind, DType dtype, Scalar accumulator, Scalar x) {
  // Float steps stay in double: a reduction rounds once, at its end.
  return evalBinary(reductionStep(kind), isFloat(dtype) ? DType::F64 : dtype, accumulator, x);
}

bool isDefinedOn(OpKind kind, DType dtype) {
  if (isSubByte(dtype)) {
    return false;
  }
  switch (kind) {
  case OpKind::Neg:
  case OpKind::Abs:
  case OpKind::Sign:
  case OpKind::Add:
  case OpKind::Sub:
  case OpKind::Mul:
  case OpKind::Div:
  case OpKind::Rem:
  case OpKind::Mod:
  case OpKind::Pow:
  case OpKind::Max:
  case OpKind::Min:
  case OpKind::ReduceSum:
  case OpKind::ReduceProd:
  case OpKind::ReduceMax:
  case OpKind::ReduceMin:
  case OpKind::ArgMax:
  case OpKind::ArgMin: return dtype != DType::Bool;
  case OpKind::Not:
  case OpKind::And:
  case OpKind::Or:
  case OpKind::Xor:
  case OpKind::ReduceAnd:
  case OpKind::ReduceOr: return !isFloat(dtype);
  case OpKind::Shl:
  case OpKind::Shr: return isInteger(dtype);
  default: break;
  }
  // The remaining unary ops are roundings, functions and tests of floats; comparisons and all
  // other ops take every dtype.
  return !isUnary(kind) || isFloat(dtype);
}

} // namespace zyxc

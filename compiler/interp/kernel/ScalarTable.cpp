#include "compiler/interp/kernel/ScalarTable.h"
#include "runtime/core/Float.h"
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace zyxc::kernelinterp {

ScalarType integerType(unsigned bits) {
  switch (bits) {
  case 1: return {false, 1, DType::Bool};
  case 8: return {false, 8, DType::I8};
  case 16: return {false, 16, DType::I16};
  case 32: return {false, 32, DType::I32};
  default: return {false, bits, DType::I64};
  }
}

double roundTo(DType dtype, double value) {
  switch (dtype) {
  case DType::F64: return value;
  case DType::F32: return static_cast<float>(value);
  default: return floatFromBits(dtype, floatToBits(dtype, value));
  }
}

uint64_t elementBits(DType dtype, Word value) {
  return isFloat(dtype) ? floatToBits(dtype, value.f) : static_cast<uint64_t>(value.i);
}

Word wordFromBits(DType dtype, uint64_t bits) {
  Word word;
  if (isFloat(dtype)) {
    word.f = floatFromBits(dtype, bits);
  } else {
    word.i = wrapInteger(static_cast<int64_t>(bits), bitWidth(dtype));
  }
  return word;
}

//===- Lanes ---------------------------------------------------------------------------------===//

/// A function of doubles, at all lanes.
template <auto F> void floats1(const ScalarContext &, Word *out, const Word *const *in, int count) {
  for (int i = 0; i < count; ++i) {
    out[i].f = F(in[0][i].f);
  }
}
template <auto F> void floats2(const ScalarContext &, Word *out, const Word *const *in, int count) {
  for (int i = 0; i < count; ++i) {
    out[i].f = F(in[0][i].f, in[1][i].f);
  }
}
template <auto F>
void compareFloats(const ScalarContext &, Word *out, const Word *const *in, int count) {
  for (int i = 0; i < count; ++i) {
    out[i].i = F(in[0][i].f, in[1][i].f);
  }
}
template <auto F>
void classifyFloat(const ScalarContext &, Word *out, const Word *const *in, int count) {
  for (int i = 0; i < count; ++i) {
    out[i].i = F(in[0][i].f);
  }
}
/// A function of signed integers; the result is wrapped to its width.
template <auto F>
void signed2(const ScalarContext &context, Word *out, const Word *const *in, int count) {
  for (int i = 0; i < count; ++i) {
    out[i].i = wrapInteger(F(in[0][i].i, in[1][i].i), context.to.bits);
  }
}
/// The same of unsigned integers.
template <auto F>
void unsigned2(const ScalarContext &context, Word *out, const Word *const *in, int count) {
  unsigned bits = context.from.bits;
  for (int i = 0; i < count; ++i) {
    uint64_t value = F(unsignedOf(in[0][i].i, bits), unsignedOf(in[1][i].i, bits));
    out[i].i = wrapInteger(static_cast<int64_t>(value), context.to.bits);
  }
}
/// A function of an unsigned integer and its width.
template <auto F>
void bits1(const ScalarContext &context, Word *out, const Word *const *in, int count) {
  unsigned bits = context.from.bits;
  for (int i = 0; i < count; ++i) {
    auto value = static_cast<int64_t>(F(unsignedOf(in[0][i].i, bits), bits));
    out[i].i = wrapInteger(value, context.to.bits);
  }
}
/// The same with an amount: shifts.
template <auto F>
void shift(const ScalarContext &context, Word *out, const Word *const *in, int count) {
  unsigned bits = context.to.bits;
  for (int i = 0; i < count; ++i) {
    uint64_t amount = unsignedOf(in[1][i].i, bits);
    out[i].i = wrapInteger(F(in[0][i].i, amount, bits), bits);
  }
}

//===- Single values -------------------------------------------------------------------------===//

/// NaN if either is; of two zeros the positive one.
static double maximum(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) {
    return a + b;
  }
  return a > b || (a == b && !std::signbit(a)) ? a : b;
}
static double minimum(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) {
    return a + b;
  }
  return a < b || (a == b && std::signbit(a)) ? a : b;
}
static int64_t divide(int64_t a, int64_t b) {
  return b == 0 ? 0 : b == -1 ? static_cast<int64_t>(0 - static_cast<uint64_t>(a)) : a / b;
}
static int64_t remainder(int64_t a, int64_t b) {
  return b == 0 || b == -1 ? 0 : a % b;
}
static int64_t divideFloor(int64_t a, int64_t b) {
  int64_t rest = remainder(a, b);
  return divide(a, b) - (rest != 0 && (rest < 0) != (b < 0));
}
static int64_t divideCeil(int64_t a, int64_t b) {
  int64_t rest = remainder(a, b);
  return divide(a, b) + (rest != 0 && (rest < 0) == (b < 0));
}
static int64_t shiftRight(int64_t a, uint64_t amount, unsigned bits) {
  return a >> std::min<uint64_t>(amount, bits - 1);
}

/// Rounds to nearest with ties to even, whatever the rounding mode of the process.
static double roundEven(double value) {
  double rounded = std::round(value);
  bool tie = std::abs(value - std::trunc(value)) == 0.5;
  return tie ? std::copysign(2 * std::round(value / 2), value) : rounded;
}

static void select(const ScalarContext &, Word *out, const Word *const *in, int count) {
  for (int i = 0; i < count; ++i) {
    out[i] = in[0][i].i ? in[1][i] : in[2][i];
  }
}

static void roundFloat(const ScalarContext &context, Word *out, const Word *const *in, int count) {
  for (int i = 0; i < count; ++i) {
    out[i].f = roundTo(context.to.dtype, in[0][i].f);
  }
}

static void copy(const ScalarContext &, Word *out, const Word *const *in, int count) {
  std::memcpy(out, in[0], count * sizeof(Word));
}

static void wrap(const ScalarContext &context, Word *out, const Word *const *in, int count) {
  for (int i = 0; i < count; ++i) {
    out[i].i = wrapInteger(in[0][i].i, context.to.bits);
  }
}

static void absolute(const ScalarContext &context, Word *out, const Word *const *in, int count) {
  for (int i = 0; i < count; ++i) {
    auto value = static_cast<uint64_t>(in[0][i].i);
    out[i].i =
        wrapInteger(static_cast<int64_t>(in[0][i].i < 0 ? 0 - value : value), context.to.bits);
  }
}

/// A signed i1 is 0 or -1.
static void extendSigned(const ScalarContext &context, Word *out, const Word *const *in,
                         int count) {
  for (int i = 0; i < count; ++i) {
    int64_t value = context.from.bits == 1 ? -in[0][i].i : in[0][i].i;
    out[i].i = wrapInteger(value, context.to.bits);
  }
}

static void extendUnsigned(const ScalarContext &context, Word *out, const Word *const *in,
                           int count) {
  for (int i = 0; i < count; ++i) {
    uint64_t value = unsignedOf(in[0][i].i, context.from.bits);
    out[i].i = wrapInteger(static_cast<int64_t>(value), context.to.bits);
  }
}

static void signedToFloat(const ScalarContext &context, Word *out, const Word *const *in,
                          int count) {
  for (int i = 0; i < count; ++i) {
    int64_t value = context.from.bits == 1 ? -in[0][i].i : in[0][i].i;
    out[i].f = context.to.dtype == DType::F32 ? static_cast<float>(value)
                                              : roundTo(context.to.dtype, double(value));
  }
}

static void unsignedToFloat(const ScalarContext &context, Word *out, const Word *const *in,
                            int count) {
  for (int i = 0; i < count; ++i) {
    uint64_t value = unsignedOf(in[0][i].i, context.from.bits);
    out[i].f = context.to.dtype == DType::F32 ? static_cast<float>(value)
                                              : roundTo(context.to.dtype, double(value));
  }
}

static void floatToSigned(const ScalarContext &context, Word *out, const Word *const *in,
                          int count) {
  double limit = std::ldexp(1.0, static_cast<int>(context.to.bits) - 1);
  int64_t largest = std::numeric_limits<int64_t>::max() >> (64 - context.to.bits);
  for (int i = 0; i < count; ++i) {
    double value = in[0][i].f;
    int64_t result = std::isnan(value) ? 0
                     : value >= limit  ? largest
                     : value <= -limit ? -largest - 1
                                       : static_cast<int64_t>(value);
    out[i].i = wrapInteger(result, context.to.bits);
  }
}

static void floatToUnsigned(const ScalarContext &context, Word *out, const Word *const *in,
                            int count) {
  double limit = std::ldexp(1.0, static_cast<int>(context.to.bits));
  uint64_t largest = std::numeric_limits<uint64_t>::max() >> (64 - context.to.bits);
  for (int i = 0; i < count; ++i) {
    double value = in[0][i].f;
    uint64_t result = !(value > 0) ? 0 : value >= limit ? largest : static_cast<uint64_t>(value);
    out[i].i = wrapInteger(static_cast<int64_t>(result), context.to.bits);
  }
}

static void bitcast(const ScalarContext &context, Word *out, const Word *const *in, int count) {
  for (int i = 0; i < count; ++i) {
    out[i] = wordFromBits(context.to.dtype, elementBits(context.from.dtype, in[0][i]));
  }
}

static void fusedMultiplyAdd(const ScalarContext &, Word *out, const Word *const *in, int count) {
  for (int i = 0; i < count; ++i) {
    out[i].f = std::fma(in[0][i].f, in[1][i].f, in[2][i].f);
  }
}

//===- The table -----------------------------------------------------------------------------===//

namespace {

struct Entry {
  std::string_view name;
  ScalarFn fn;
};

#define FLOAT1(expression)                                                                         \
  floats1<[](double a) {                                                                           \
    return double(expression);                                                                     \
  }>
#define FLOAT2(expression)                                                                         \
  floats2<[](double a, double b) {                                                                 \
    return double(expression);                                                                     \
  }>
#define FLOAT_IS(expression)                                                                       \
  classifyFloat<[](double a) {                                                                     \
    return bool(expression);                                                                       \
  }>
#define SIGNED2(expression)                                                                        \
  signed2<[](int64_t a, int64_t b) {                                                               \
    return int64_t(expression);                                                                    \
  }>
#define UNSIGNED2(expression)                                                                      \
  unsigned2<[](uint64_t a, uint64_t b) {                                                           \
    return uint64_t(expression);                                                                   \
  }>
#define BITS1(expression)                                                                          \
  bits1<[](uint64_t a, unsigned bits) {                                                            \
    return uint64_t(expression);                                                                   \
  }>

// Sums, differences and products wrap, so they are formed without a sign.
constexpr Entry table[] = {
    {"arith.addf", FLOAT2(a + b)},
    {"arith.subf", FLOAT2(a - b)},
    {"arith.mulf", FLOAT2(a * b)},
    {"arith.divf", FLOAT2(a / b)},
    {"arith.remf", FLOAT2(std::fmod(a, b))},
    {"arith.negf", FLOAT1(-a)},
    {"arith.maximumf", FLOAT2(maximum(a, b))},
    {"arith.minimumf", FLOAT2(minimum(a, b))},
    {"arith.maxnumf", FLOAT2(std::fmax(a, b))},
    {"arith.minnumf", FLOAT2(std::fmin(a, b))},
    {"arith.addi", UNSIGNED2(a + b)},
    {"arith.subi", UNSIGNED2(a - b)},
    {"arith.muli", UNSIGNED2(a * b)},
    {"arith.divsi", SIGNED2(divide(a, b))},
    {"arith.divui", UNSIGNED2(b ? a / b : 0)},
    {"arith.remsi", SIGNED2(remainder(a, b))},
    {"arith.remui", UNSIGNED2(b ? a % b : 0)},
    {"arith.floordivsi", SIGNED2(divideFloor(a, b))},
    {"arith.ceildivsi", SIGNED2(divideCeil(a, b))},
    {"arith.ceildivui", UNSIGNED2(b ? a / b + (a % b != 0) : 0)},
    {"arith.andi", SIGNED2(a & b)},
    {"arith.ori", SIGNED2(a | b)},
    {"arith.xori", SIGNED2(a ^ b)},
    {"arith.maxsi", SIGNED2(a > b ? a : b)},
    {"arith.minsi", SIGNED2(a < b ? a : b)},
    {"arith.maxui", UNSIGNED2(a > b ? a : b)},
    {"arith.minui", UNSIGNED2(a < b ? a : b)},
    {"arith.shli", shift<[](int64_t a, uint64_t n, unsigned bits) {
       return n >= bits ? int64_t(0) : static_cast<int64_t>(static_cast<uint64_t>(a) << n);
     }>},
    {"arith.shrsi", shift<shiftRight>},
    {"arith.shrui", shift<[](int64_t a, uint64_t n, unsigned bits) {
       return n >= bits ? int64_t(0) : static_cast<int64_t>(unsignedOf(a, bits) >> n);
     }>},
    {"arith.select", select},
    {"arith.extf", copy},
    {"arith.truncf", roundFloat},
    {"arith.extsi", extendSigned},
    {"arith.extui", extendUnsigned},
    {"arith.trunci", wrap},
    {"arith.index_cast", extendSigned},
    {"arith.index_castui", extendUnsigned},
    {"arith.sitofp", signedToFloat},
    {"arith.uitofp", unsignedToFloat},
    {"arith.fptosi", floatToSigned},
    {"arith.fptoui", floatToUnsigned},
    {"arith.bitcast", bitcast},
    {"math.absf", FLOAT1(std::fabs(a))},
    {"math.absi", absolute},
    {"math.acos", FLOAT1(std::acos(a))},
    {"math.acosh", FLOAT1(std::acosh(a))},
    {"math.asin", FLOAT1(std::asin(a))},
    {"math.asinh", FLOAT1(std::asinh(a))},
    {"math.atan", FLOAT1(std::atan(a))},
    {"math.atan2", FLOAT2(std::atan2(a, b))},
    {"math.atanh", FLOAT1(std::atanh(a))},
    {"math.cbrt", FLOAT1(std::cbrt(a))},
    {"math.ceil", FLOAT1(std::ceil(a))},
    {"math.copysign", FLOAT2(std::copysign(a, b))},
    {"math.cos", FLOAT1(std::cos(a))},
    {"math.cosh", FLOAT1(std::cosh(a))},
    {"math.ctlz", BITS1(bits - std::bit_width(a))},
    {"math.ctpop", BITS1(std::popcount(a))},
    {"math.cttz", BITS1(a ? unsigned(std::countr_zero(a)) : bits)},
    {"math.erf", FLOAT1(std::erf(a))},
    {"math.erfc", FLOAT1(std::erfc(a))},
    {"math.exp", FLOAT1(std::exp(a))},
    {"math.exp2", FLOAT1(std::exp2(a))},
    {"math.expm1", FLOAT1(std::expm1(a))},
    {"math.floor", FLOAT1(std::floor(a))},
    {"math.fma", fusedMultiplyAdd},
    {"math.isfinite", FLOAT_IS(std::isfinite(a))},
    {"math.isinf", FLOAT_IS(std::isinf(a))},
    {"math.isnan", FLOAT_IS(std::isnan(a))},
    {"math.isnormal", FLOAT_IS(std::isnormal(a))},
    {"math.log", FLOAT1(std::log(a))},
    {"math.log10", FLOAT1(std::log10(a))},
    {"math.log1p", FLOAT1(std::log1p(a))},
    {"math.log2", FLOAT1(std::log2(a))},
    {"math.powf", FLOAT2(std::pow(a, b))},
    {"math.round", FLOAT1(std::round(a))},
    {"math.roundeven", FLOAT1(roundEven(a))},
    {"math.rsqrt", FLOAT1(1 / std::sqrt(a))},
    {"math.sin", FLOAT1(std::sin(a))},
    {"math.sinh", FLOAT1(std::sinh(a))},
    {"math.sqrt", FLOAT1(std::sqrt(a))},
    {"math.tan", FLOAT1(std::tan(a))},
    {"math.tanh", FLOAT1(std::tanh(a))},
    {"math.trunc", FLOAT1(std::trunc(a))},
};

#define COMPARE_SIGNED(op) SIGNED2(a op b)
#define COMPARE_UNSIGNED(op) UNSIGNED2(a op b)
/// In the order of arith::CmpIPredicate: eq ne slt sle sgt sge ult ule ugt uge.
constexpr ScalarFn integerCompares[] = {
    COMPARE_SIGNED(==),  COMPARE_SIGNED(!=),   COMPARE_SIGNED(<),   COMPARE_SIGNED(<=),
    COMPARE_SIGNED(>),   COMPARE_SIGNED(>=),   COMPARE_UNSIGNED(<), COMPARE_UNSIGNED(<=),
    COMPARE_UNSIGNED(>), COMPARE_UNSIGNED(>=),
};

#define FLOATS(expression)                                                                         \
  compareFloats<[](double a, double b) {                                                           \
    return bool(expression);                                                                       \
  }>
#define UNORDERED (std::isnan(a) || std::isnan(b))
/// In the order of arith::CmpFPredicate: false oeq ogt oge olt ole one ord ueq ugt uge ult ule une
/// uno true.
constexpr ScalarFn floatCompares[] = {
    compareFloats<[](double, double) {
      return false;
    }>,
    FLOATS(a == b),
    FLOATS(a > b),
    FLOATS(a >= b),
    FLOATS(a < b),
    FLOATS(a <= b),
    FLOATS(!UNORDERED && a != b),
    FLOATS(!UNORDERED),
    FLOATS(UNORDERED || a == b),
    FLOATS(!(a <= b)),
    FLOATS(!(a < b)),
    FLOATS(!(a >= b)),
    FLOATS(!(a > b)),
    FLOATS(a != b),
    FLOATS(UNORDERED),
    compareFloats<[](double, double) {
      return true;
    }>,
};

} // namespace

ScalarFn findScalar(std::string_view opName) {
  for (const Entry &entry : table) {
    if (entry.name == opName) {
      return entry.fn;
    }
  }
  return nullptr;
}

ScalarFn findCompareInteger(int64_t predicate) {
  return predicate >= 0 && predicate < int64_t(std::size(integerCompares))
             ? integerCompares[predicate]
             : nullptr;
}

ScalarFn findCompareFloat(int64_t predicate) {
  return predicate >= 0 && predicate < int64_t(std::size(floatCompares)) ? floatCompares[predicate]
                                                                         : nullptr;
}

} // namespace zyxc::kernelinterp

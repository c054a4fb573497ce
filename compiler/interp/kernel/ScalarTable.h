// Scalar ops of arith and math as functions over lanes, found by the name of the op. Floats are
// evaluated in double whatever their type; only casts and bitcasts round. Integers are exact.
#pragma once
#include "runtime/core/DType.h"
#include <cstdint>
#include <span>
#include <string_view>

namespace zyxc::kernelinterp {

/// Points that are evaluated together.
inline constexpr int maxLanes = 128;

/// One value: a double, or an integer sign-extended from its width (an i1 is 0 or 1).
union Word {
  double f;
  int64_t i;
};

/// Type of a body value. `index` is a 64-bit integer.
struct ScalarType {
  bool isFloat = false;
  unsigned bits = 64;
  DType dtype = DType::I64; ///< in memory; bool for an i1
  bool operator==(const ScalarType &) const = default;
};

/// The type of integers of a width, and that of index values.
ScalarType integerType(unsigned bits);

/// An integer of `bits` bits from the low bits of `value`.
inline int64_t wrapInteger(int64_t value, unsigned bits) {
  if (bits >= 64) {
    return value;
  }
  if (bits == 1) {
    return value & 1;
  }
  return static_cast<int64_t>(static_cast<uint64_t>(value) << (64 - bits)) >> (64 - bits);
}
/// The same bits as an unsigned number.
inline uint64_t unsignedOf(int64_t value, unsigned bits) {
  return bits >= 64 ? static_cast<uint64_t>(value)
                    : static_cast<uint64_t>(value) & ((uint64_t(1) << bits) - 1);
}
/// `value` rounded to a float dtype.
double roundTo(DType dtype, double value);

/// A value as an element in memory, and back: the low bytes of the result.
uint64_t elementBits(DType dtype, Word value);
Word wordFromBits(DType dtype, uint64_t bits);

/// Types of one scalar op, as its function needs them.
struct ScalarContext {
  ScalarType from; ///< of the first operand; of select: of the second
  ScalarType to;   ///< of the result
};

/// Computes `count` lanes. Operands that do not vary have the same value in all lanes. What LLVM
/// leaves undefined has a value here: division by zero gives 0, shifts by the width or more give 0
/// (shrsi: the sign), float to integer saturates, and NaN becomes 0.
using ScalarFn = void (*)(const ScalarContext &, Word *out, const Word *const *in, int count);

/// The function of an op ("arith.addf"), or null if it is not known.
ScalarFn findScalar(std::string_view opName);
/// Comparison by MLIR's number of the predicate; null if there is no such predicate.
ScalarFn findCompareInteger(int64_t predicate);
ScalarFn findCompareFloat(int64_t predicate);

} // namespace zyxc::kernelinterp

// Scalar semantics (docs/semantics.md): the one implementation that folders and the interpreter use
// and that every target must match.
#pragma once
#include "dialects/zyx/semantics/OpKind.h"
#include "runtime/core/DType.h"
#include <cstdint>
#include <optional>

namespace zyxc {

/// One element: a double for float dtypes (already rounded to the dtype), an integer for the rest
/// (sign- or zero-extended to 64 bits; bool is 0 or 1).
union Scalar {
  double f;
  int64_t i;
};

/// Loads and stores one element of a dtype.
Scalar loadScalar(DType dtype, const void *element);
void storeScalar(DType dtype, Scalar value, void *element);

/// `value` rounded to the nearest value of a float dtype, ties to even.
double roundToDType(DType dtype, double value);
/// The low bits of `value` as an element of an integer dtype, sign- or zero-extended.
int64_t wrapToDType(DType dtype, int64_t value);

/// True if the op is defined on the dtype; the rest is refused by inferType.
bool isDefinedOn(OpKind kind, DType dtype);

/// Result of an elementwise op on operands of `dtype`. Float results are rounded to the dtype;
/// comparisons give 0 or 1 in `i`.
Scalar evalUnary(OpKind kind, DType dtype, Scalar x);
Scalar evalBinary(OpKind kind, DType dtype, Scalar x, Scalar y);
Scalar evalCast(DType from, DType to, Scalar x);

/// How scatter joins an update with what is there (its attribute `combine`).
enum class ScatterCombine : uint8_t { None, Add, Mul, Max, Min };
std::optional<ScatterCombine> parseScatterCombine(std::string_view text);
/// The binary op of a combination other than None.
OpKind scatterStep(ScatterCombine combine);

/// The binary op that a reduction (ReduceSum ... ReduceOr) or a scan repeats.
OpKind reductionStep(OpKind kind);
/// Identity element of a reduction (ReduceSum ... ReduceOr) or a scan in a dtype.
Scalar reduceIdentity(OpKind kind, DType dtype);
/// One step of a reduction or a scan. Float steps are not rounded to the dtype: the end of a
/// reduction is.
Scalar reduceStep(OpKind kind, DType dtype, Scalar accumulator, Scalar x);

} // namespace zyxc

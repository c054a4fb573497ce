// Rows of a tensor replaced by, or combined with, rows of updates.
#pragma once
#include "runtime/routines/Routine.h"

namespace zyxc::rt {

/// How an update joins what is there: the first param of `scatter`.
enum class ScatterKind : int64_t { None, Add, Mul, Max, Min };

/// Ports x [N, I], indices [M] (integers), updates [M, I], out [N, I]; params (ScatterKind, dtype
/// of the elements, dtype of the indices): DTypes of the ports' sizes, whatever the ports' types
/// are (those have no sign, bool or 8-bit floats). Row j of updates goes to row indices[j] of out,
/// which begins as x, in the order of j. A negative index counts from the end; an index out of
/// range is skipped. Each step rounds to the elements' type.
std::string checkScatter(std::span<const RoutineArgument> ports, std::span<const int64_t> params);
void runScatter(const RoutinePort *ports, const int64_t *params, int64_t lo, int64_t hi);

} // namespace zyxc::rt

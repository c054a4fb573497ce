// Sorting along the last axis: stable, NaN is the largest value, -0 equals 0.
#pragma once
#include "runtime/routines/Routine.h"

namespace zyxc::rt {

/// Ports x [.., N], values like x, positions i64 [.., N]. Params: nothing, (descending 0 or 1), or
/// (descending, dtype): the DType of the elements, whose size is the port's, where the port's type
/// does not tell it (integers without a sign, bool, 8-bit floats).
std::string checkSort(std::span<const RoutineArgument> ports, std::span<const int64_t> params);
void runSort(const RoutinePort *ports, const int64_t *params, int64_t lo, int64_t hi);

/// Ports x [.., N], values like x; params as for sort.
std::string checkSortValues(std::span<const RoutineArgument> ports,
                            std::span<const int64_t> params);
void runSortValues(const RoutinePort *ports, const int64_t *params, int64_t lo, int64_t hi);

/// Ports x [.., N], positions i64 [.., N]; params as for sort.
std::string checkArgSort(std::span<const RoutineArgument> ports, std::span<const int64_t> params);
void runArgSort(const RoutinePort *ports, const int64_t *params, int64_t lo, int64_t hi);

/// Ports x [.., N], values [.., K], positions i64 [.., K], K <= N: the largest K, falling; of equal
/// elements the first ones. No params.
std::string checkTopK(std::span<const RoutineArgument> ports, std::span<const int64_t> params);
void runTopK(const RoutinePort *ports, const int64_t *params, int64_t lo, int64_t hi);

} // namespace zyxc::rt

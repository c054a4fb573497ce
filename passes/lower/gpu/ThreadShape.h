// Numbers of a launch that follow from a kernel's accesses and the target: lanes of a thread,
// chunks in flight, threads.
#pragma once
#include "dialects/zyxk/target/Target.h"
#include "passes/lower/emit/AccessTable.h"

namespace zyxc {

/// Threads of a workgroup unless a schedule says otherwise; 8 of them fill a multiprocessor.
inline constexpr int64_t defaultThreads = 256;

/// Lanes along `axis` that one thread handles: as many as its narrowest contiguous access holds in
/// 16 bytes, as the target's vectors allow and, unless `ragged`, as divide the extent; 1 if no
/// access is aligned for more. `wanted`: from a schedule, or 0.
int64_t laneWidth(const AccessTable &table, unsigned axis, const Target &target, int64_t wanted,
                  bool ragged = false);

/// The axis of `candidates` along which accesses are cheapest with lanes, and their number. No axis
/// if there is no candidate.
std::pair<std::optional<unsigned>, int64_t> chooseLanes(const AccessTable &table,
                                                        zyxk::AxisSet candidates,
                                                        const Target &target, int64_t wanted);

/// Reductions and free folds, which a team of threads can share; other folds are one thread's.
bool runsOverTeam(mlir::Operation &op);

/// Loads that depend on an axis: what one chunk brings in.
int64_t loadsAlong(const AccessTable &table, unsigned axis);

/// The power of two next to `value`, between 1 and `most`.
int64_t powerOfTwo(int64_t value, int64_t most);

/// Product that stops at the largest number.
int64_t saturatingMul(int64_t a, int64_t b);

} // namespace zyxc

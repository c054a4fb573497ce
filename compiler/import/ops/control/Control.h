// What the operators with subgraphs share. A loop is unrolled where it is short; a long one, or one
// whose end only the run tells, becomes zyx.loop.
#pragma once
#include "compiler/import/node/OnnxOp.h"

namespace zyxc::importer {

/// Loops of at most this many iterations are unrolled: kernels go over several of them then. Longer
/// ones take more time to compile than they gain (docs/benchmarks.md).
inline constexpr int64_t shortLoop = 4;
/// What zyx.loop cannot hold, such as shapes that grow, is unrolled up to here.
inline constexpr int64_t mostUnrolled = 1024;
/// The limit of a loop without a count.
inline constexpr int64_t manyIterations = int64_t(1) << 48;

/// The value of a condition; nothing where it depends on inputs of the run.
Expected<std::optional<bool>> knownCondition(OnnxNode &n, GraphValue condition);

Status importIf(OnnxNode &n);
Status importLoop(OnnxNode &n);
Status importScan(OnnxNode &n);
/// Operator set 8: every value has a batch axis in front, and sequences may have lengths.
Status importBatchedScan(OnnxNode &n);

} // namespace zyxc::importer

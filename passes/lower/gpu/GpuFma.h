// Contractions without a matrix unit: any types and shapes, tiles of both factors in workgroup
// memory, fused multiply-adds of a square of accumulators in each thread.
#pragma once
#include "dialects/zyxk/target/Target.h"
#include "passes/lower/emit/AccessTable.h"

namespace zyxc {

/// True if the kernel is one contraction with rows and columns and an elementwise epilogue.
bool isFmaContraction(AccessTable table);
/// Replaces such a kernel by its gpu.module.
void lowerGpuFma(AccessTable &table, const Target &target);

} // namespace zyxc

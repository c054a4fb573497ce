// Models for targets that neither branch nor loop.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace zyxc {

/// Loops of more iterations, and functions of more ops than these, are not unrolled.
inline constexpr int64_t mostUnrolledIterations = 1024;
inline constexpr int64_t mostUnrolledOps = 1 << 17;

/// Replaces each zyx.if of a function by both branches and selections of their values, and each
/// zyx.loop of a known limit by its iterations; what an iteration after the end would carry is not
/// taken. Regions that write to inputs, and loops beyond the limits above, stay.
void unrollRegions(mlir::func::FuncOp function);

} // namespace zyxc

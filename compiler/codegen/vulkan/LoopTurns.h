// How often a thread goes through loops: llvmpipe ends a thread after 65535 turns of all its loops,
// and what it had to do then is lost without an error.
#pragma once
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace zyxc {

/// A bound of the turns that one thread of a lowered kernel makes in all its loops, nested ones for
/// each turn around them; INT64_MAX if none is known.
int64_t mostLoopTurns(mlir::gpu::GPUFuncOp function);

} // namespace zyxc

// The launch record of a kernel lowered for a GPU.
#pragma once
#include "dialects/zyxk/target/Target.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "runtime/device/GpuKernel.h"
#include "runtime/support/Status.h"

namespace zyxc {

/// Reads the attributes of passes/lower/tile/GpuFunction.h; the record has no image. Unsupported
/// with the limit that it exceeds, if the target cannot launch it.
Expected<rt::GpuKernel> readLaunches(mlir::gpu::GPUModuleOp module, const Target &target);

} // namespace zyxc

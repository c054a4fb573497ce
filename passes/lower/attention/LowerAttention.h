// The attention family for GPUs: contract, expsum over its result, contract; on wgmma where shapes
// and target allow it, else on plain threads.
#pragma once
#include "dialects/zyxk/IR/ZyxkOps.h"
#include "dialects/zyxk/target/Target.h"

namespace zyxc {

/// Whether lowerAttention takes this kernel: one contract over one axis under one expsum over one
/// axis, static sizes, plain stores.
bool isLowerableAttention(zyxk::KernelOp kernel, const Target &target);

/// Replaces the kernel by a gpu.module (GpuFunction.h) for a GPU target. Fails with a diagnostic
/// that says what is not supported.
llvm::LogicalResult lowerAttention(zyxk::KernelOp kernel, const Target &target);

} // namespace zyxc

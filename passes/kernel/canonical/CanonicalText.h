// The two parts of CanonicalForm that walk a kernel: a hash under colors, bytes under a numbering.
#pragma once
#include "dialects/zyxk/IR/ZyxkOps.h"
#include <string>

namespace zyxc {

/// Stands at the begin of the bytes. It counts up when the bytes of some kernel change, so that no
/// cache mistakes what an older compiler wrote; docs/kernels.md says when that may happen.
inline constexpr int canonicalVersion = 2;

/// Numbers that tell axes, dims and ports apart; not necessarily all of them.
struct KernelColors {
  llvm::SmallVector<uint64_t> axes, dims, ports;
};

/// A position for each axis, dim and port.
struct KernelNumbering {
  llvm::SmallVector<unsigned> axes, dims, ports;
};

/// The same on every machine and in every process.
uint64_t mixColors(uint64_t a, uint64_t b);

/// A hash of all that a kernel computes, in which axes, dims and ports count by color only.
uint64_t hashKernel(zyxk::KernelOp kernel, const KernelColors &colors);

/// All that a kernel computes, as bytes: with one numbering equal exactly for equal kernels,
/// whatever the order of their ops and of commutative operands.
std::string writeKernel(zyxk::KernelOp kernel, const KernelNumbering &numbering);

/// Ops that reach a store, operands first.
llvm::SmallVector<mlir::Operation *> liveOps(zyxk::KernelOp kernel);

} // namespace zyxc

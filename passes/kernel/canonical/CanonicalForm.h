// The identity of a kernel for caches: bytes that do not depend on names, nor on the order in which
// axes, dims, ports and ops are written.
#pragma once
#include "dialects/zyxk/IR/ZyxkOps.h"
#include "dialects/zyxk/target/Target.h"
#include <string>

namespace zyxc {

/// Kernels with equal bytes compute the same, up to the order of their ports: the port at
/// `portOrder[i]` of one stands for the port at `portOrder[i]` of the other. The schedule is not
/// part of it. Ops that reach no store are left out.
struct CanonicalForm {
  std::string bytes;
  llvm::SmallVector<unsigned> portOrder; ///< ports of the kernel in canonical order
  bool exact = true; ///< false: too many symmetries; equal kernels may then have other bytes
};

/// The canonical form of a kernel as it stands; `normalize` makes more kernels equal before.
CanonicalForm canonicalForm(zyxk::KernelOp kernel);

/// SHA-256, in hexadecimal, of canonical bytes, schedule, target descriptor and `build`, the
/// identity of the compiler. Two kernels with one key may run the same code.
std::string kernelCacheKey(zyxk::KernelOp kernel, const Target &target, llvm::StringRef build);

} // namespace zyxc

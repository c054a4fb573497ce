// What the checks of all families share: a kernel's sizes and comparisons with a target's limits.
#pragma once
#include "dialects/zyxk/IR/AxisSets.h"
#include "dialects/zyxk/target/Target.h"

namespace zyxc {

class ScheduleLimits {
public:
  ScheduleLimits(zyxk::KernelOp kernel, const Target &target)
      : target(target), sets(kernel), extents(kernel.getBoxExtents()), op(kernel) {}

  bool isGpu() const { return target.kind != TargetKind::Host; }
  zyxk::KernelOp kernel() const { return op; }
  mlir::InFlightDiagnostic error() const { return kernel().emitError() << "its schedule "; }
  /// Fails unless needed <= limit: "its schedule needs 2048 threads, sm_90a has 1024".
  llvm::LogicalResult fits(int64_t needed, uint64_t limit, llvm::StringRef what) const;
  /// A workgroup of this size: a multiple of the subgroup, no more than the target has. 0 is fine.
  llvm::LogicalResult threadsFit(int64_t threads) const;
  /// Accesses of `vec` elements of the widest port. The host splits wide vectors itself.
  llvm::LogicalResult vectorFits(int64_t vec) const;
  /// Registers that a thread may use when a workgroup has this many.
  uint64_t registersPerThread(int64_t threads) const;

  /// Points of a set of axes; 0 if the extents are not known.
  int64_t points(zyxk::AxisSet axes) const;
  /// Bytes of the widest element of the ports.
  int64_t widestBytes() const;

  const Target &target;
  zyxk::AxisSets sets;

private:
  std::optional<llvm::SmallVector<int64_t>> extents;
  zyxk::KernelOp op;
};

/// Registers that a thread needs beside held values and accumulators: addresses, loop counters.
inline constexpr int64_t workingRegisters = 24;

/// Bytes of an element in memory.
inline int64_t bytesOf(mlir::Type type) {
  return (type.getIntOrFloatBitWidth() + 7) / 8;
}

llvm::LogicalResult verifyMma(const ScheduleLimits &limits, const zyxk::MmaFields &mma);
llvm::LogicalResult verifyAttn(const ScheduleLimits &limits, const zyxk::AttnFields &attn);

} // namespace zyxc

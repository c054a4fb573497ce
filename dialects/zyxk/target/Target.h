// What code is made for: the numbers of a machine that schedules are chosen from and verified
// against. No LLVM, no MLIR; names are those of `--target`.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace zyxc {

/// The kind of code.
enum class TargetKind : uint8_t { Host, Ptx, Spirv };

/// The best matrix unit of a GPU target.
enum class MatrixUnit : uint8_t {
  None,
  Mma,   ///< mma.sync with ldmatrix and cp.async (sm_80 and later)
  Wgmma, ///< wgmma with TMA and mbarriers (sm_90a)
};

/// A machine. All sizes are limits of one workgroup (block) unless said otherwise.
struct Target {
  std::string name; ///< "host", "host-avx2", "sm_90a", "vulkan", ...
  TargetKind kind = TargetKind::Host;
  MatrixUnit matrixUnit = MatrixUnit::None;
  unsigned vectorBits = 128;       ///< widest vector of one thread: host SIMD, or a GPU access
  unsigned subgroupSize = 1;       ///< threads that run in step
  unsigned maxThreads = 1;         ///< threads of a workgroup
  uint64_t sharedBytes = 0;        ///< workgroup memory
  unsigned registersPerThread = 0; ///< 0: no limit known
  uint64_t registers = 0;          ///< 32-bit registers of a multiprocessor
  unsigned multiprocessors = 1;    ///< of the machine; decides grids of persistent kernels
  unsigned maxCluster = 1;         ///< workgroups of a cluster
  bool startsEarly = false; ///< a launch may start, and wait, before the one before it has ended
};

/// The target with this name ("host", "host-avx2", "host-avx512", "host-scalar", "sm_75", "sm_80",
/// "sm_86", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_120", "vulkan"), if there is one. "host" has
/// the vectors of this machine only after HostTarget::detect() filled them in.
std::optional<Target> findTarget(std::string_view name);
/// All names that findTarget takes, or those of one kind, for messages: "host, host-avx2, ...".
std::string targetNames(std::optional<TargetKind> kind = {});

} // namespace zyxc

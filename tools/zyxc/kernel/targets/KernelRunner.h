// How `zyxc kernel` runs one kernel on a target, the same for the host, CUDA and Vulkan.
#pragma once
#include "dialects/zyxk/IR/ZyxkOps.h"
#include "dialects/zyxk/target/Target.h"
#include "runtime/support/Status.h"
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace zyxc::tool {

/// The memory of a kernel's ports, in order.
using PortBytes = std::vector<std::vector<std::byte>>;

/// Measured times, in microseconds.
struct KernelTimes {
  std::vector<double> kernel; ///< a sample each
  std::vector<double> copy;   ///< of a copy of `copyBytes` bytes, taken in turns with the kernel
  double peakFlops = 0;       ///< f32 operations a second of the target's units; 0: not measured
};

/// What time() is asked for.
struct TimeRequest {
  int samples = 20;
  uint64_t copyBytes = 0; ///< bytes that the copy reads and writes together
  uint64_t coldBytes = 0; ///< ports rotate through at least as much memory; 0: one set of ports
  bool measurePeak = false;
};

/// A kernel compiled for a target.
class KernelRunner {
public:
  virtual ~KernelRunner() = default;

  /// Runs the kernel once. `ports` are copied to memory with guard bytes around each port, and
  /// back. `variant` changes what must not matter: the order of tasks. `dims`: of a kernel that was
  /// compiled without their sizes, else none. Errors: Device, or Verification where the kernel
  /// wrote outside of its ports or crashed.
  virtual Status run(PortBytes &ports, unsigned variant, std::span<const int64_t> dims) = 0;
  /// A text about the compiled kernel for reports: registers, shared memory; may be empty.
  virtual std::string resources() const { return ""; }
};

/// A launch of what is timed: a kernel of the same target, and the ports that it takes.
struct TimedLaunch {
  KernelRunner *kernel;
  std::vector<unsigned> ports;  ///< of the kernel or program that is timed
  std::vector<bool> isConstant; ///< per port of the launch: no launch writes it
  std::vector<int64_t> dims;    ///< of a kernel that was compiled without their sizes
};

/// A message of a compiler less "@name: " at its front: those who ask for one kernel name it.
inline std::string_view withoutKernel(std::string_view message) {
  size_t end = message.starts_with('@') ? message.find(": ") : message.npos;
  return end == message.npos ? message : message.substr(end + 2);
}

struct TargetOptions {
  int threads = 1;       ///< of the host
  bool validate = false; ///< Vulkan: under the validation layer, whose messages are errors
  bool simulate = false; ///< NVIDIA GPUs: on a simulator
};

/// A target that kernels are compiled for.
class KernelTarget {
public:
  virtual ~KernelTarget() = default;

  /// Opens "host", "host-avx2", a CUDA architecture or "vulkan". A target without a device opens:
  /// it compiles, but deviceMissing() says why it cannot run.
  static Expected<std::unique_ptr<KernelTarget>> open(const std::string &name,
                                                      const TargetOptions &options);

  /// Why kernels cannot be run; empty if they can.
  virtual std::string deviceMissing() const { return ""; }
  /// One line on the machine: processor or device, threads.
  virtual std::string describe() const = 0;
  /// Compiles a module text with one kernel; its dims are bound, but on the host, which takes
  /// others, too. Unsupported where it cannot.
  virtual Expected<std::unique_ptr<KernelRunner>> compile(const std::string &text,
                                                          zyxk::KernelOp kernel) = 0;
  /// Times launches, one after the other, as one: a kernel is one launch. `ports`: of all together.
  virtual Expected<KernelTimes> time(std::span<const TimedLaunch> launches, const PortBytes &ports,
                                     const TimeRequest &request) = 0;
  /// The forms that emit() knows, for messages: "mlir, llvm, asm".
  virtual std::string forms() const = 0;
  /// The text of a module in one form.
  virtual Expected<std::string> emit(const std::string &text, const std::string &form) = 0;
};

/// The kinds of targets behind KernelTarget::open.
Expected<std::unique_ptr<KernelTarget>> openHost(const std::string &name, int threads);
Expected<std::unique_ptr<KernelTarget>> openCuda(const Target &target, bool simulate);
Expected<std::unique_ptr<KernelTarget>> openVulkan(const Target &target, bool validate);

} // namespace zyxc::tool

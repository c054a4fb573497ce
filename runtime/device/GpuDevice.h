// What a GPU does for kernels, the same for CUDA and Vulkan: memory, copies, launches, times.
// Implemented by runtime/devices/{cuda,vulkan}, each of which has a function that opens a device.
// A device is used by one thread at a time. Work runs in the order in which it was enqueued.
#pragma once
#include "runtime/device/GpuKernel.h"
#include "runtime/support/Status.h"
#include <memory>
#include <span>

namespace zyxc::rt {

/// Address in a device's memory. It may lie inside an allocation.
using GpuAddress = uint64_t;

/// What a device says about itself.
struct GpuDeviceInfo {
  std::string name;             ///< as the driver names it
  std::string api;              ///< "CUDA 13.0", "Vulkan 1.3.230"
  std::string target;           ///< name for findTarget: "sm_90a", "vulkan"
  bool isSoftware = false;      ///< runs on the host's processor
  uint64_t memoryBytes = 0;     ///< of the device
  uint64_t sharedBytes = 0;     ///< limit of workgroup memory
  uint32_t maxThreads = 0;      ///< limit of a workgroup
  uint32_t subgroupSize = 0;    ///< threads that run in step
  uint32_t multiprocessors = 0; ///< 0: the driver does not say
  bool runsCubins = false;      ///< takes assembled code beside PTX
  int64_t maxLoopTurns = 0;     ///< of all loops of a thread: it loses what comes after; 0: any
  // What code for Vulkan depends on (dialects and passes know it as SpirvTarget).
  bool float16 = false, float64 = false, int8 = false, int16 = false; ///< arithmetic and storage
  bool preservesInfNan = false;    ///< can promise signed zeros, infinities and NaNs in f32
  bool preservesDenormals = false; ///< can promise denormals in f32
};

/// A kernel that a device has loaded, with its scratch memory. It must be destroyed before its
/// device, and not while a launch of it may run.
class GpuProgram {
public:
  virtual ~GpuProgram() = default;
};

/// A program in a sequence, and its ports in the runs of it.
struct GpuStep {
  GpuProgram *program;
  std::span<const std::vector<GpuAddress>> ports; ///< run i takes those at i modulo their number
};

/// An opened device. Errors are of kind Device, or OutOfMemory where memory is refused.
class GpuDevice {
public:
  virtual ~GpuDevice() = default;

  virtual const GpuDeviceInfo &info() const = 0;

  /// Memory aligned to 256 bytes, contents undefined. `bytes` may be 0: the address is then valid
  /// to pass on, not to read. What is not released is released with the device.
  virtual Expected<GpuAddress> allocate(uint64_t bytes) = 0;
  /// Releases what allocate() returned, after all enqueued work has ended.
  virtual void release(GpuAddress address) = 0;

  /// Copies that have ended when the call returns; they wait for enqueued work.
  virtual Status upload(GpuAddress to, const void *from, uint64_t bytes) = 0;
  virtual Status download(void *to, GpuAddress from, uint64_t bytes) = 0;
  /// Enqueues setting `bytes` bytes to `value`. Address and bytes are multiples of 4.
  virtual Status fill(GpuAddress to, uint8_t value, uint64_t bytes) = 0;

  /// Loads a kernel's image and allocates its scratch memory.
  virtual Expected<std::unique_ptr<GpuProgram>> load(const GpuKernel &kernel) = 0;
  /// Enqueues all launches of a program, each after the one before it has ended. `ports` are the
  /// addresses of the kernel's ports in order; a port's address is aligned to 16 bytes.
  virtual Status launch(GpuProgram &program, std::span<const GpuAddress> ports) = 0;
  /// Waits for enqueued work and returns its error, if it failed.
  virtual Status synchronize() = 0;

  /// Runs all steps, one after the other, `samples` times `runs` times back to back and returns the
  /// device's time of each sample divided by `runs`, in microseconds. Ports differ from run to run,
  /// so that inputs can rotate through more memory than the caches hold.
  virtual Expected<std::vector<double>> time(std::span<const GpuStep> steps, unsigned samples,
                                             unsigned runs) = 0;
  /// The same for the device's own copy of `bytes` bytes: what a memory-bound kernel is measured
  /// by.
  virtual Expected<std::vector<double>> timeCopy(GpuAddress to, GpuAddress from, uint64_t bytes,
                                                 unsigned samples, unsigned runs) = 0;
};

} // namespace zyxc::rt

#include "compiler/codegen/cpu/HostCompiler.h"
#include "compiler/codegen/cuda/CudaToolkit.h"
#include "compiler/codegen/cuda/Nvrtc.h"
#include "runtime/devices/cuda/CudaDevice.h"
#include "runtime/devices/vulkan/VulkanDevice.h"
#include "runtime/support/Memory.h"
#include "tools/zyxc/Commands.h"
#include "llvm/Support/FileSystem.h"
#include <fmt/core.h>
#include <thread>

namespace zyxc::tool {

static void report(bool good, std::string_view what, std::string_view text) {
  fmt::print("{:8} {:18} {}\n", good ? "ok" : "missing", what, text);
}

/// The first NVIDIA GPU, and what of the CUDA toolkit makes code for it better.
static void reportCuda() {
  auto device = rt::openCudaDevice();
  if (device) {
    const rt::GpuDeviceInfo &info = (*device)->info();
    report(true, "NVIDIA GPU",
           fmt::format("{}, {}, {}, {} multiprocessors, {}", info.name, info.api, info.target,
                       info.multiprocessors, formatBytes(info.memoryBytes)));
  } else {
    report(false, "NVIDIA GPU", device.error().message());
  }
  CudaToolkit toolkit = CudaToolkit::find();
  report(!toolkit.ptxas.empty(), "ptxas",
         toolkit.ptxas.empty() ? "the driver assembles PTX when it loads a kernel" : toolkit.ptxas);
  report(!toolkit.libdevice.empty(), "libdevice",
         toolkit.libdevice.empty() ? "kernels for NVIDIA GPUs cannot use sin, pow, and functions "
                                     "of f64"
                                   : toolkit.libdevice);
  report(hasNvrtc(), "NVRTC",
         hasNvrtc() ? "libnvrtc.so" : "custom kernels cannot be written in CUDA C++");
}

/// Vulkan devices, one a line. Only `zyxc kernel --target=vulkan` needs one.
static void reportVulkan() {
  auto devices = rt::listVulkanDevices();
  if (!devices) {
    report(false, "Vulkan device", devices.error().message());
    return;
  }
  for (const rt::GpuDeviceInfo &device : *devices) {
    report(true, "Vulkan device",
           fmt::format("{}, {}, subgroups of {}, {}", device.name, device.api, device.subgroupSize,
                       formatBytes(device.memoryBytes)));
  }
  if (devices->empty()) {
    report(false, "Vulkan device", "no driver is installed");
  }
}

Status doctorCommand(const CommandLine &line) {
  fmt::print("zyxc {}\n", version());
  HostTarget target = HostTarget::detect();
  bool wide = target.vectorBits >= 256;
  report(wide, "vector unit",
         fmt::format("{}, {}-bit vectors{}", target.cpu, target.vectorBits,
                     wide ? "" : ": AVX2 or AVX-512 makes kernels several times faster"));
  report(true, "threads", std::to_string(std::thread::hardware_concurrency()));
  uint64_t memory = availableMemory();
  report(memory >= (1ull << 30), "memory",
         formatBytes(memory) + " available; 1 GiB or more is "
                               "needed for large networks");
  bool writable = !llvm::sys::fs::access(".", llvm::sys::fs::AccessMode::Write);
  report(writable, "current folder",
         writable ? "writable" : "not writable: --output and reproducers need another folder");
  reportCuda();
  reportVulkan();
  return Status::ok();
}

} // namespace zyxc::tool

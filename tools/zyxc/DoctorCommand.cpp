#include "compiler/codegen/cpu/HostCompiler.h"
#include "runtime/support/Memory.h"
#include "tools/zyxc/Commands.h"
#include "llvm/Support/FileSystem.h"
#include <dlfcn.h>
#include <fmt/core.h>
#include <thread>

namespace zyxc::tool {

static void report(bool good, std::string_view what, std::string_view text) {
  fmt::print("{:8} {:18} {}\n", good ? "ok" : "missing", what, text);
}

/// True if the dynamic loader finds a library.
static bool canLoad(const char *library) {
  void *handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
  if (handle) {
    dlclose(handle);
  }
  return handle != nullptr;
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
  report(canLoad("libcuda.so.1"), "NVIDIA driver", "not needed: zyxc runs on the host");
  report(canLoad("libvulkan.so.1"), "Vulkan loader", "not needed: zyxc runs on the host");
  return Status::ok();
}

} // namespace zyxc::tool

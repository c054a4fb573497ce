#include "runtime/exec/Libraries.h"
#include "runtime/exec/OpenLibrary.h"
#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

namespace zyxc::rt {

Expected<Libraries> Libraries::open(std::span<const std::string> paths) {
  Libraries result;
  for (const std::string &path : paths) {
    ZYXC_ASSIGN(std::shared_ptr<void> handle, openLibrary(path));
    result.libraries.push_back({path, std::move(handle)});
  }
  return result;
}

/// dlsym also finds what other libraries define that this one uses: `exp` of the C library.
static bool isDefinedBy(void *handle, const void *address) {
  link_map *own = nullptr;
  void *of = nullptr;
  Dl_info info;
  return ::dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void *>(&own)) == 0 &&
         ::dladdr1(address, &info, &of, RTLD_DL_LINKMAP) != 0 && of == own;
}

KernelFn Libraries::find(const std::string &symbol) const {
  for (const Library &library : libraries) {
    void *address = ::dlsym(library.handle.get(), symbol.c_str());
    if (address && isDefinedBy(library.handle.get(), address)) {
      return reinterpret_cast<KernelFn>(address);
    }
  }
  return nullptr;
}

Status Libraries::resolve(Plan &plan) const {
  for (Plan *part : wholePlan(plan)) {
    for (Kernel &kernel : part->kernels) {
      if (kernel.entry || kernel.symbol.empty() || !kernel.library.empty()) {
        continue;
      }
      kernel.entry = find(kernel.symbol);
      if (!kernel.entry) {
        std::string tried;
        for (const Library &library : libraries) {
          tried += fmt::format("{}{}", tried.empty() ? "" : ", ", library.path);
        }
        return makeError(
            ErrorCode::Usage,
            "kernel {} is the function '{}', which {}: name a library that has it with "
            "--library PATH",
            kernel.name, kernel.symbol,
            tried.empty() ? "no library was given for" : "is not in " + tried);
      }
    }
  }
  return Status::ok();
}

} // namespace zyxc::rt

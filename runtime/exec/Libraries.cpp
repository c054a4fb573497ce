#include "runtime/exec/Libraries.h"
#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

namespace zyxc::rt {

Expected<Libraries> Libraries::open(std::span<const std::string> paths) {
  Libraries result;
  for (const std::string &path : paths) {
    // A name without a slash would be looked for in folders of the system.
    std::string file = path.find('/') == path.npos ? "./" + path : path;
    void *handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
      const char *reason = ::dlerror();
      return makeError(ErrorCode::Input, "cannot open the library '{}': {}", path,
                       reason ? reason : "no reason is known");
    }
    result.libraries.push_back(
        {path, std::shared_ptr<void>(handle, [](void *h) { ::dlclose(h); })});
  }
  return result;
}

/// dlsym also finds what other libraries define that this one uses: `exp` of the C library.
static bool isDefinedBy(void *handle, const void *address) {
  link_map *own = nullptr;
  void *of = nullptr;
  Dl_info info;
  return ::dlinfo(handle, RTLD_DI_LINKMAP, &own) == 0 &&
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
      if (kernel.entry || kernel.symbol.empty()) {
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

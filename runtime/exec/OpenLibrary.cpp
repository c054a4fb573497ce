#include "runtime/exec/OpenLibrary.h"
#include <dlfcn.h>

namespace zyxc::rt {

std::shared_ptr<void> sharedLibrary(void *handle) {
  return {handle, [](void *library) { ::dlclose(library); }};
}

Expected<std::shared_ptr<void>> openLibrary(const std::string &path) {
  // A name without a slash would be looked for in folders of the system.
  std::string file = path.find('/') == path.npos ? "./" + path : path;
  void *handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *reason = ::dlerror();
    return makeError(ErrorCode::Input, "cannot open the library '{}': {}", path,
                     reason ? reason : "no reason is known");
  }
  return sharedLibrary(handle);
}

} // namespace zyxc::rt

// Shared libraries that the user names.
#pragma once
#include "runtime/support/Status.h"
#include <memory>
#include <string>

namespace zyxc::rt {

/// Opens a library by its path. Input errors say which one and why.
Expected<std::shared_ptr<void>> openLibrary(const std::string &path);

/// Closes a library of dlopen with its last owner.
std::shared_ptr<void> sharedLibrary(void *handle);

} // namespace zyxc::rt

// The validator of SPIRV-Tools, in this process, where it was installed when zyxc was built.
#pragma once
#include "runtime/support/Status.h"
#include <cstdint>
#include <span>

namespace zyxc {

/// True if zyxc was built with the validator.
bool hasSpirvValidator();

/// Checks a module by the rules of Vulkan 1.1. Ok without the validator. The error is Internal.
Status validateSpirv(std::span<const uint32_t> words);

} // namespace zyxc

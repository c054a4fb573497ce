// The validator and the disassembler of SPIRV-Tools, in this process, where they were installed
// when zyxc was built.
#pragma once
#include "runtime/support/Status.h"
#include <cstdint>
#include <span>
#include <string>

namespace zyxc {

/// True if zyxc was built with the validator.
bool hasSpirvValidator();

/// Checks a module by the rules of Vulkan 1.1. Ok without the validator. The error is Internal.
Status validateSpirv(std::span<const uint32_t> words);

/// The words of a module, as bytes, from its assembly text. Input, with the first error and its
/// place, if the text is refused. Unsupported without SPIRV-Tools.
Expected<std::string> assembleSpirv(const std::string &text);

/// The assembly text of a module (its words as bytes). Unsupported without SPIRV-Tools.
Expected<std::string> disassembleSpirv(const std::string &image);

} // namespace zyxc

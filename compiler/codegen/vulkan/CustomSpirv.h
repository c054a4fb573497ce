// SPIR-V that the user gives, as words or as assembly text: checked by SPIRV-Tools where they are.
#pragma once
#include "compiler/codegen/vulkan/SpirvNeeds.h"
#include "dialects/zyx/semantics/CustomSource.h"
#include "runtime/device/GpuCode.h"

namespace zyxc {

/// A custom kernel for Vulkan.
struct CustomSpirv {
  rt::GpuCode code;
  SpirvNeeds needs;
};

/// The code of a custom kernel with a source in SPIR-V. It finds its addresses and sizes in push
/// constants. Input, naming kernel and entry: the module is refused, or has no such entry.
Expected<CustomSpirv> compileCustomSpirv(const CustomSource &source);

} // namespace zyxc

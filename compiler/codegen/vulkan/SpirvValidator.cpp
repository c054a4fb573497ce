#include "compiler/codegen/vulkan/SpirvValidator.h"
#ifdef ZYXC_HAS_SPIRV_TOOLS
#include <spirv-tools/libspirv.h>
#endif

namespace zyxc {

#ifdef ZYXC_HAS_SPIRV_TOOLS

bool hasSpirvValidator() {
  return true;
}

Status validateSpirv(std::span<const uint32_t> words) {
  spv_context context = spvContextCreate(SPV_ENV_VULKAN_1_1);
  spv_const_binary_t binary = {words.data(), words.size()};
  spv_diagnostic diagnostic = nullptr;
  spv_result_t result = spvValidate(context, &binary, &diagnostic);
  Status status = Status::ok();
  if (result != SPV_SUCCESS) {
    status = makeError(ErrorCode::Internal, "SPIR-V is not valid: {}",
                       diagnostic ? diagnostic->error : "no reason given");
  }
  spvDiagnosticDestroy(diagnostic);
  spvContextDestroy(context);
  return status;
}

#else

bool hasSpirvValidator() {
  return false;
}

Status validateSpirv(std::span<const uint32_t>) {
  return Status::ok();
}

#endif

} // namespace zyxc

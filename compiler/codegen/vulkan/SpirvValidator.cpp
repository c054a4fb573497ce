#include "compiler/codegen/vulkan/SpirvValidator.h"
#ifdef ZYXC_HAS_SPIRV_TOOLS
#include <cstring>
#include <spirv-tools/libspirv.h>
#include <vector>
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

Expected<std::string> disassembleSpirv(const std::string &image) {
  std::vector<uint32_t> words(image.size() / sizeof(uint32_t));
  std::memcpy(words.data(), image.data(), words.size() * sizeof(uint32_t));
  spv_context context = spvContextCreate(SPV_ENV_VULKAN_1_1);
  spv_text text = nullptr;
  spv_result_t result = spvBinaryToText(
      context, words.data(), words.size(),
      SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES | SPV_BINARY_TO_TEXT_OPTION_INDENT, &text, nullptr);
  std::string assembly = result == SPV_SUCCESS ? std::string(text->str, text->length) : "";
  spvTextDestroy(text);
  spvContextDestroy(context);
  if (result != SPV_SUCCESS) {
    return makeError(ErrorCode::Internal, "SPIR-V cannot be disassembled");
  }
  return assembly;
}

Expected<std::string> assembleSpirv(const std::string &text) {
  spv_context context = spvContextCreate(SPV_ENV_VULKAN_1_1);
  spv_binary binary = nullptr;
  spv_diagnostic diagnostic = nullptr;
  spv_result_t result = spvTextToBinary(context, text.data(), text.size(), &binary, &diagnostic);
  Expected<std::string> image =
      result == SPV_SUCCESS
          ? Expected<std::string>(std::string(reinterpret_cast<const char *>(binary->code),
                                              binary->wordCount * sizeof(uint32_t)))
          : makeError(ErrorCode::Input, "its assembly is refused at line {}: {}",
                      diagnostic ? diagnostic->position.line + 1 : 0,
                      diagnostic ? diagnostic->error : "no reason given");
  spvBinaryDestroy(binary);
  spvDiagnosticDestroy(diagnostic);
  spvContextDestroy(context);
  return image;
}

#else

bool hasSpirvValidator() {
  return false;
}

Status validateSpirv(std::span<const uint32_t>) {
  return Status::ok();
}

Expected<std::string> assembleSpirv(const std::string &) {
  return makeError(
      ErrorCode::Unsupported,
      "zyxc was built without SPIRV-Tools, which assemble text: give words (spirv-as)");
}

Expected<std::string> disassembleSpirv(const std::string &) {
  return makeError(ErrorCode::Unsupported, "zyxc was built without SPIRV-Tools (spirv-tools)");
}

#endif

} // namespace zyxc

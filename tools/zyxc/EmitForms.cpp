#include "tools/zyxc/EmitForms.h"
#include <algorithm>

namespace zyxc::tool {

static constexpr EmitForm forms[] = {
    {"zyx", "import", nullptr, "//"},
    {"egraph", "rules", nullptr, "//"},
    {"zyxk", "kernels", nullptr, "//"},
    {"mlir", "codegen", &KernelTexts::mlir, "//"},
    {"llvm", "codegen", &KernelTexts::llvm, ";"},
    {"asm", "codegen", &KernelTexts::assembly, "#"},
    {"plan", "codegen", nullptr, "//"},
};

/// Forms of single kernels for GPUs (`zyxc kernel emit`).
static constexpr std::string_view gpuForms[] = {"ptx", "sass", "spirv"};

const EmitForm *findForm(std::string_view name) {
  const auto *found = std::find_if(std::begin(forms), std::end(forms),
                                   [&](const EmitForm &form) { return form.name == name; });
  return found == std::end(forms) ? nullptr : found;
}

std::string formNames() {
  std::string names;
  for (const EmitForm &form : forms) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", form.name);
  }
  return names;
}

std::string noSuchForm(std::string_view name) {
  bool ofGpu = std::find(std::begin(gpuForms), std::end(gpuForms), name) != std::end(gpuForms);
  return ofGpu ? fmt::format("code for cpu has no such form: it has {}", formNames())
               : fmt::format("use {}", formNames());
}

} // namespace zyxc::tool

// The forms that `zyxc compile --emit` prints: one table.
#pragma once
#include "compiler/driver/Compile.h"
#include <string_view>

namespace zyxc::tool {

/// A form of a program on its way to machine code.
struct EmitForm {
  std::string_view name;
  std::string_view step;                      ///< whose text it is
  std::string KernelTexts::*kernel = nullptr; ///< else the text of each kernel that codegen keeps
  std::string_view comment;                   ///< starts a comment in the form
};

/// The form of this name that targets of models have, or null.
const EmitForm *findForm(std::string_view name);
/// "zyx, egraph, ..".
std::string formNames();
/// The message where there is no such form: one that only GPUs have is named as such.
std::string noSuchForm(std::string_view name);

} // namespace zyxc::tool

// A look at JSON before LLVM's parser reads it: the parser recurs once per level, and keeps the
// last of several values with one key.
#pragma once
#include "runtime/support/Status.h"
#include <string_view>

namespace zyxc::tool {

/// Input, with the byte, at nesting of more than 100 and at a key that its object has already. Text
/// that is no JSON is no error here.
Status checkJson(std::string_view text);

} // namespace zyxc::tool

// Whether bytes are text that can be printed in an answer and written as JSON.
#pragma once
#include <cstddef>
#include <string_view>

namespace zyxc {

/// The number of bytes in front of the first that is not text: neither UTF-8 (RFC 3629) nor free of
/// control characters other than tab, line feed and carriage return. `text.size()` if all of it is
/// text.
size_t plainTextPrefix(std::string_view text);

} // namespace zyxc

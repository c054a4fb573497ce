// Values of command-line options from their texts.
#pragma once
#include "runtime/support/Status.h"
#include <charconv>
#include <string_view>

namespace zyxc::tool {

/// The number that the whole text is, from `least` to `most`; else a Usage error.
template <class T> Status setNumber(T &out, std::string_view text, T least, T most) {
  T value{};
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() ||
      !(value >= least && value <= most)) {
    return makeError(ErrorCode::Usage, "give a number from {} to {}", least, most);
  }
  out = value;
  return Status::ok();
}

} // namespace zyxc::tool

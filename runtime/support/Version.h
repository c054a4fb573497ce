// The version of zyxc, as its programs print it and its files name it.
#pragma once
#include <string_view>

namespace zyxc {

inline constexpr std::string_view versionNumber = "0.1.0";

} // namespace zyxc

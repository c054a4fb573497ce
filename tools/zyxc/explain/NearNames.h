// Names that a mistyped one may stand for.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace zyxc::tool {

/// At most `most` of the names, the nearest first: those that differ by few insertions, deletions
/// and replacements of characters (Levenshtein distance, case aside), and those that contain the
/// text. Ties keep their order.
std::vector<std::string> nearNames(const std::vector<std::string> &names, std::string_view text,
                                   size_t most);

} // namespace zyxc::tool

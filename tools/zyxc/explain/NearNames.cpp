#include "tools/zyxc/explain/NearNames.h"
#include <algorithm>
#include <cctype>
#include <numeric>

namespace zyxc::tool {

static std::string lowerCase(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

/// Row by row of the table of prefixes.
static size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t(0));
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

std::vector<std::string> nearNames(const std::vector<std::string> &names, std::string_view text,
                                   size_t most) {
  constexpr size_t longest = 256; // longer names are compared by their beginning
  std::string wanted = lowerCase(text.substr(0, longest));
  size_t allowed = std::max<size_t>(2, wanted.size() / 3);
  std::vector<std::pair<size_t, size_t>> found; // distance, number
  for (size_t i = 0; i < names.size(); ++i) {
    std::string name = lowerCase(std::string_view(names[i]).substr(0, longest));
    size_t far = distance(wanted, name);
    bool contains = !wanted.empty() && name.find(wanted) != name.npos;
    if (far <= allowed || contains) {
      found.emplace_back(contains ? std::min(far, allowed) : far, i);
    }
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> result;
  for (size_t i = 0; i < std::min(most, found.size()); ++i) {
    result.push_back(names[found[i].second]);
  }
  return result;
}

} // namespace zyxc::tool

// Exact constants of the text language: rational numbers of 64-bit integers.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace zyxc::egraph {

/// numerator / denominator in lowest terms, denominator positive.
struct Number {
  int64_t numerator = 0;
  int64_t denominator = 1;

  bool operator==(const Number &) const = default;
  /// "3", "-1/2"
  std::string toText() const;
};

/// Text that begins like a number: a digit, perhaps after a sign or a point.
bool looksLikeNumber(std::string_view text);

/// "12", "-3", "1/3", "0.25", read exactly. Nothing if it is malformed, its denominator is 0, or it
/// does not fit.
std::optional<Number> parseNumber(std::string_view text);

} // namespace zyxc::egraph

#include "compiler/egraph/pattern/Number.h"
#include <fmt/format.h>
#include <numeric>

namespace zyxc::egraph {

std::string Number::toText() const {
  return denominator == 1 ? fmt::format("{}", numerator)
                          : fmt::format("{}/{}", numerator, denominator);
}

static bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

bool looksLikeNumber(std::string_view text) {
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    text.remove_prefix(1);
  }
  if (!text.empty() && text[0] == '.') {
    text.remove_prefix(1);
  }
  return !text.empty() && isDigit(text[0]);
}

/// Takes digits from the front of `text` and appends them to `value`; counts them in `count`.
static bool takeDigits(std::string_view &text, int64_t &value, int &count) {
  for (count = 0; !text.empty() && isDigit(text[0]); ++count) {
    if (__builtin_mul_overflow(value, int64_t{10}, &value) ||
        __builtin_add_overflow(value, int64_t{text[0] - '0'}, &value)) {
      return false;
    }
    text.remove_prefix(1);
  }
  return true;
}

std::optional<Number> parseNumber(std::string_view text) {
  bool isNegative = !text.empty() && text[0] == '-';
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    text.remove_prefix(1);
  }
  Number number;
  int whole = 0;
  int digits = 0;
  if (!takeDigits(text, number.numerator, whole)) {
    return std::nullopt;
  }
  if (!text.empty() && text[0] == '.') {
    text.remove_prefix(1);
    if (!takeDigits(text, number.numerator, digits)) {
      return std::nullopt;
    }
    for (int i = 0; i < digits; ++i) {
      if (__builtin_mul_overflow(number.denominator, int64_t{10}, &number.denominator)) {
        return std::nullopt;
      }
    }
  } else if (whole > 0 && !text.empty() && text[0] == '/') {
    text.remove_prefix(1);
    number.denominator = 0;
    if (!takeDigits(text, number.denominator, digits) || digits == 0) {
      return std::nullopt;
    }
  }
  if (!text.empty() || whole + digits == 0 || number.denominator == 0) {
    return std::nullopt;
  }
  int64_t divisor = std::gcd(number.numerator, number.denominator);
  number.numerator /= isNegative ? -divisor : divisor;
  number.denominator /= divisor;
  return number;
}

} // namespace zyxc::egraph

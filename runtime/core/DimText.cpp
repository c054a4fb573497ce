#include "runtime/core/DimStore.h"

namespace zyxc::dim {

std::string toString(int64_t size) {
  return toString(size, {});
}

std::string toString(int64_t size, const std::function<std::string(const std::string &)> &rename) {
  if (!isSymbolic(size)) {
    return size == invalid ? "invalid" : std::to_string(size);
  }
  return textOf(polynomialOf(size), rename);
}

namespace {

/// A recursive-descent parser of sums, products and calls.
class Parser {
public:
  explicit Parser(std::string_view text) : text(text) {}

  Expected<int64_t> run() {
    if (text.size() > maxLength) {
      return makeError(ErrorCode::Input, "a size of more than {} characters", maxLength);
    }
    ZYXC_ASSIGN(int64_t size, sum(0));
    skipSpace();
    if (at != text.size()) {
      return error("an operator is expected");
    }
    if (size == invalid) {
      return makeError(ErrorCode::Input, "size '{}' divides by zero or exceeds 2^58", text);
    }
    return size;
  }

private:
  static constexpr size_t maxLength = 4096;
  static constexpr int maxDepth = 64;

  Status error(std::string_view what) const {
    return makeError(ErrorCode::Input, "size '{}': {} at character {}", text, what, at + 1);
  }
  void skipSpace() {
    while (at < text.size() && text[at] == ' ') {
      ++at;
    }
  }
  bool take(char c) {
    skipSpace();
    if (at < text.size() && text[at] == c) {
      ++at;
      return true;
    }
    return false;
  }

  Expected<int64_t> sum(int depth) {
    if (depth > maxDepth) {
      return error("too deep nesting");
    }
    bool negative = take('-');
    ZYXC_ASSIGN(int64_t result, product(depth));
    result = negative ? mul(result, -1) : result;
    while (true) {
      if (take('+')) {
        ZYXC_ASSIGN(int64_t next, product(depth));
        result = add(result, next);
      } else if (take('-')) {
        ZYXC_ASSIGN(int64_t next, product(depth));
        result = sub(result, next);
      } else {
        return result;
      }
    }
  }

  Expected<int64_t> product(int depth) {
    ZYXC_ASSIGN(int64_t result, atom(depth));
    while (take('*')) {
      ZYXC_ASSIGN(int64_t next, atom(depth));
      result = mul(result, next);
    }
    return result;
  }

  Expected<int64_t> number() {
    int64_t value = 0;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
      value = value * 10 + (text[at] - '0');
      if (value > limit) {
        return error("a number over 2^58");
      }
    }
    return value;
  }

  Expected<int64_t> call(std::string_view name, int depth) {
    ZYXC_ASSIGN(int64_t a, sum(depth + 1));
    if (!take(',')) {
      return error("',' is expected");
    }
    ZYXC_ASSIGN(int64_t b, sum(depth + 1));
    if (!take(')')) {
      return error("')' is expected");
    }
    if (name == "floordiv") {
      return floorDiv(a, b);
    }
    if (name == "mod") {
      return mod(a, b);
    }
    if (name == "min") {
      return min(a, b);
    }
    if (name == "max") {
      return max(a, b);
    }
    return error("only floordiv, mod, min and max can be called");
  }

  Expected<int64_t> atom(int depth) {
    if (take('(')) {
      ZYXC_ASSIGN(int64_t inside, sum(depth + 1));
      if (!take(')')) {
        return error("')' is expected");
      }
      return inside;
    }
    skipSpace();
    if (at < text.size() && text[at] >= '0' && text[at] <= '9') {
      return number();
    }
    size_t begin = at;
    while (at < text.size() && isVariableName(text.substr(begin, at + 1 - begin))) {
      ++at;
    }
    std::string_view name = text.substr(begin, at - begin);
    if (name.empty()) {
      return error("a number, a name or '(' is expected");
    }
    return take('(') ? call(name, depth) : variable(name);
  }

  std::string_view text;
  size_t at = 0;
};

} // namespace

Expected<int64_t> parse(std::string_view text) {
  return Parser(text).run();
}

} // namespace zyxc::dim

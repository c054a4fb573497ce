#include "compiler/egraph/pattern/SExpr.h"
#include "runtime/support/PlainText.h"

namespace zyxc::egraph {

static constexpr size_t mostNesting = 200;

Status errorAt(const SExpr &place, std::string_view message) {
  return makeError(ErrorCode::Input, "line {}, column {}: {}", place.line, place.column, message);
}

std::string toText(const SExpr &text) {
  if (!text.isList()) {
    return std::string(text.word);
  }
  std::string result;
  for (const SExpr &item : text.items) {
    result += result.empty() ? "(" : " ";
    result += toText(item);
  }
  return result + ")";
}

namespace {

class Reader {
public:
  explicit Reader(std::string_view text) : text(text) {}
  Expected<std::vector<SExpr>> read();

private:
  void advance(size_t count);
  void skipSpace();
  SExpr here() const {
    SExpr place;
    place.line = line;
    place.column = column;
    return place;
  }
  std::string_view takeWord();

  std::string_view text;
  uint32_t line = 1;
  uint32_t column = 1;
};

bool isSpace(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool endsWord(char c) {
  return isSpace(c) || c == '(' || c == ')' || c == ',' || c == '#' || c == ';';
}

void Reader::advance(size_t count) {
  for (char c : text.substr(0, count)) {
    if (c == '\n') {
      ++line;
      column = 1;
    } else {
      column += (c & 0xc0) != 0x80; // a character of several bytes is one column
    }
  }
  text.remove_prefix(count);
}

void Reader::skipSpace() {
  while (!text.empty()) {
    if (text[0] == '#' || text[0] == ';') {
      advance(std::min(text.find('\n'), text.size()));
    } else if (isSpace(text[0])) {
      advance(1);
    } else {
      return;
    }
  }
}

std::string_view Reader::takeWord() {
  size_t size = 1;
  if (text[0] != ',') {
    while (size < text.size() && !endsWord(text[size])) {
      ++size;
    }
    if (size > 1 && text[size - 1] == ':') {
      --size;
    }
  }
  std::string_view word = text.substr(0, size);
  advance(size);
  return word;
}

Expected<std::vector<SExpr>> Reader::read() {
  if (text.starts_with("\xef\xbb\xbf")) {
    text.remove_prefix(3); // the byte order mark that some editors write
  }
  if (size_t size = plainTextPrefix(text); size < text.size()) {
    auto byte = static_cast<unsigned char>(text[size]);
    advance(size);
    return errorAt(here(), fmt::format("byte {:#04x} is no text: write UTF-8 without control "
                                       "characters",
                                       byte));
  }
  std::vector<SExpr> open(1); // the lists that have begun, the whole text first
  for (skipSpace(); !text.empty(); skipSpace()) {
    SExpr place = here();
    if (text[0] == '(') {
      if (open.size() > mostNesting) {
        return errorAt(place, fmt::format("nested more than {} deep", mostNesting));
      }
      advance(1);
      open.push_back(std::move(place));
    } else if (text[0] == ')') {
      if (open.size() == 1) {
        return errorAt(place, "`)` without a `(` before it");
      }
      advance(1);
      SExpr list = std::move(open.back());
      open.pop_back();
      if (list.items.empty()) {
        return errorAt(list, "an empty list is no term: write (OP OPERANDS..)");
      }
      open.back().items.push_back(std::move(list));
    } else {
      place.word = takeWord();
      open.back().items.push_back(std::move(place));
    }
  }
  if (open.size() > 1) {
    return errorAt(open.back(), "`(` without a `)` behind it");
  }
  return std::move(open[0].items);
}

} // namespace

Expected<std::vector<SExpr>> readSExprs(std::string_view text) {
  return Reader(text).read();
}

} // namespace zyxc::egraph

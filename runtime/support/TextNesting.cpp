#include "runtime/support/TextNesting.h"
#include <algorithm>
#include <fmt/core.h>
#include <map>
#include <string>
#include <vector>

namespace zyxc {

namespace {

class NestingScan {
public:
  NestingScan(std::string_view text, std::string_view name) : text(text), name(name) {}
  Status run();

private:
  /// A bracket that is open.
  struct Level {
    char open;
    unsigned signs = 0; ///< since it was opened, or the last comma in it
  };

  void skipString();
  void skipComment();
  void open(char bracket);
  void close(char bracket);
  void countSign();
  void readAlias();
  void note(unsigned depth) { deepest = std::max(deepest, depth); }
  unsigned depth() const { return static_cast<unsigned>(levels.size()) + signsInRow; }
  Status error(std::string_view what) const;

  std::string_view text;
  std::string_view name;
  size_t at = 0;
  std::vector<Level> levels;
  unsigned signsInRow = 0;
  unsigned mostSigns = 0;
  unsigned deepest = 0;                                 ///< of the current line or alias
  std::string alias;                                    ///< that is being defined; empty: none
  std::map<std::string, unsigned, std::less<>> aliases; ///< levels of each
};

} // namespace

static bool isNamePart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '$' || c == '.';
}

void NestingScan::skipString() {
  for (++at; at < text.size() && text[at] != '"' && text[at] != '\n'; ++at) {
    at += text[at] == '\\' ? 1 : 0;
  }
}

void NestingScan::skipComment() {
  at = std::min(text.find('\n', at), text.size()) - 1;
}

void NestingScan::open(char bracket) {
  // `a < b` is a comparison, `tensor<` a bracket.
  if (bracket != '<' || (at > 0 && isNamePart(text[at - 1]))) {
    levels.push_back({bracket});
    note(depth());
  }
}

/// Closes the innermost bracket of its kind. Comparisons that look like brackets end with what is
/// around them; one that closes nothing is left to the parser.
void NestingScan::close(char bracket) {
  char wanted = bracket == ')' ? '(' : bracket == ']' ? '[' : bracket == '}' ? '{' : '<';
  if (wanted == '<') {
    bool isArrow = at > 0 && text[at - 1] == '-';
    if (!isArrow && !levels.empty() && levels.back().open == '<') {
      levels.pop_back();
    }
    return;
  }
  while (!levels.empty()) {
    char top = levels.back().open;
    levels.pop_back();
    if (top == wanted || top != '<') {
      return;
    }
  }
}

void NestingScan::countSign() {
  if (at + 1 < text.size() && text[at] == '-' && text[at + 1] == '>') {
    return;
  }
  signsInRow += text[at] == '-' ? 1 : 0;
  note(depth());
  if (!levels.empty() && levels.back().open != '{') {
    mostSigns = std::max(mostSigns, ++levels.back().signs);
  }
}

/// `#name` or `!name`: a use, or at the start of a line its definition.
void NestingScan::readAlias() {
  size_t begin = at;
  while (at + 1 < text.size() && isNamePart(text[at + 1])) {
    ++at;
  }
  std::string_view word = text.substr(begin, at + 1 - begin);
  size_t next = text.find_first_not_of(" \t", at + 1);
  bool starts = begin == 0 || text[begin - 1] == '\n';
  if (starts && levels.empty() && next != text.npos && text[next] == '=') {
    alias = word;
    deepest = 0;
    return;
  }
  if (auto known = aliases.find(word); known != aliases.end()) {
    note(depth() + known->second);
  }
}

Status NestingScan::error(std::string_view what) const {
  std::string_view before = text.substr(0, at);
  size_t line = std::count(before.begin(), before.end(), '\n') + 1;
  size_t column = before.size() - std::min(before.rfind('\n') + 1, before.size()) + 1;
  return makeError(ErrorCode::Input, "{}:{}:{}: {}", name, line, column, what);
}

Status NestingScan::run() {
  for (; at < text.size(); ++at) {
    char c = text[at];
    if (c == ' ' || c == '\t') {
      continue;
    }
    if (c != '-') {
      signsInRow = 0;
    }
    switch (c) {
    case '"': skipString(); break;
    case '/':
      if (at + 1 < text.size() && text[at + 1] == '/') {
        skipComment();
      }
      break;
    case '(':
    case '[':
    case '{':
    case '<': open(c); break;
    case ')':
    case ']':
    case '}':
    case '>': close(c); break;
    case '+':
    case '-':
    case '*': countSign(); break;
    case ',':
      if (!levels.empty()) {
        levels.back().signs = 0;
      }
      break;
    case '#':
    case '!': readAlias(); break;
    case '\n':
      if (levels.empty()) {
        if (!alias.empty()) {
          aliases[alias] = deepest;
          alias.clear();
        }
        deepest = 0;
      }
      break;
    default: break;
    }
    if (deepest > mostTextNesting) {
      return error(fmt::format("nests deeper than {} levels", mostTextNesting));
    }
    if (mostSigns > mostTextSigns) {
      return error(fmt::format("an expression has more than {} signs", mostTextSigns));
    }
  }
  return Status::ok();
}

Status checkTextNesting(std::string_view text, std::string_view name) {
  return NestingScan(text, name).run();
}

} // namespace zyxc

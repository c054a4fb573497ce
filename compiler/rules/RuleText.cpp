#include "compiler/rules/RuleText.h"
#include "runtime/support/PlainText.h"
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace zyxc::rules {

namespace {

constexpr std::array<std::string_view, 4> levelNames = {"exact", "reorder", "approx", "algebra"};
constexpr std::array<std::string_view, 3> stratumNames = {"simplify", "enable", "explore"};
/// Deeper terms are refused, so that recursion over them is bounded.
constexpr int maxNesting = 64;

template <size_t n> std::string listed(const std::array<std::string_view, n> &names) {
  std::string text;
  for (std::string_view name : names) {
    text += text.empty() ? "" : ", ";
    text += name;
  }
  return text;
}

bool isNameStart(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_';
}
bool isNameChar(char c) {
  return isNameStart(c) || std::isdigit(static_cast<unsigned char>(c));
}

class Parser {
public:
  Parser(std::string_view text, std::string_view file) : text(text), file(file) {}

  Expected<std::vector<RuleSyntax>> run() {
    if (size_t size = plainTextPrefix(text); size < text.size()) {
      while (at < size) {
        advance();
      }
      return error(fmt::format("byte {:#04x} is no text: write UTF-8 without control characters",
                               static_cast<unsigned char>(text[at])));
    }
    std::vector<RuleSyntax> rules;
    skipSpace();
    while (at < text.size()) {
      ZYXC_ASSIGN(RuleSyntax rule, parseRule());
      rules.push_back(std::move(rule));
    }
    return rules;
  }

private:
  Status error(std::string_view message) const { return errorAt(file, place, message); }
  Status expected(std::string_view what) const {
    if (at >= text.size()) {
      return error(fmt::format("expected {}, but the file ends", what));
    }
    if (text[at] == '\n') {
      return error(fmt::format("expected {} before the end of the line", what));
    }
    auto byte = static_cast<unsigned char>(text[at]);
    return byte < ' ' || byte > '~'
               ? error(fmt::format("expected {} before byte {:#x}", what, byte))
               : error(fmt::format("expected {} before '{}'", what, text[at]));
  }

  void advance() {
    if (text[at] == '\n') {
      ++place.line;
      place.column = 1;
    } else {
      ++place.column;
    }
    ++at;
  }
  void skipSpace() {
    tokenEnd = at;
    while (at < text.size()) {
      if (text[at] == '#') {
        while (at < text.size() && text[at] != '\n') {
          advance();
        }
      } else if (std::isspace(static_cast<unsigned char>(text[at]))) {
        advance();
      } else {
        return;
      }
    }
  }
  bool accept(std::string_view token) {
    if (text.substr(at, token.size()) != token) {
      return false;
    }
    for (size_t i = 0; i < token.size(); ++i) {
      advance();
    }
    skipSpace();
    return true;
  }
  bool acceptWord(std::string_view word) {
    size_t end = at + word.size();
    bool ends = end >= text.size() || !isNameChar(text[end]);
    return ends && accept(word);
  }

  /// A name; with `hyphens` for names of rules.
  Expected<std::string> parseName(std::string_view what, bool hyphens = false) {
    if (at >= text.size() || !isNameStart(text[at])) {
      return expected(what);
    }
    size_t start = at;
    while (at < text.size() && (isNameChar(text[at]) || (hyphens && text[at] == '-'))) {
      advance();
    }
    std::string name(text.substr(start, at - start));
    skipSpace();
    return name;
  }

  template <class Enum, size_t n>
  Expected<Enum> parseWord(std::string_view what, const std::array<std::string_view, n> &names) {
    Position start = place;
    ZYXC_ASSIGN(std::string word, parseName(what));
    auto found = std::ranges::find(names, word);
    if (found == names.end()) {
      return errorAt(file, start,
                     fmt::format("'{}' is no {}: use one of {}", word, what, listed(names)));
    }
    return static_cast<Enum>(found - names.begin());
  }

  Expected<std::string> parseString() {
    advance();
    size_t start = at;
    while (at < text.size() && text[at] != '"' && text[at] != '\n') {
      advance();
    }
    if (at >= text.size() || text[at] == '\n') {
      return expected("a closing quote");
    }
    std::string content(text.substr(start, at - start));
    advance();
    skipSpace();
    return content;
  }

  Expected<RuleSyntax> parseRule() {
    RuleSyntax rule;
    size_t start = at;
    if (!acceptWord("rule")) {
      return expected("'rule'");
    }
    rule.at = place;
    ZYXC_ASSIGN(rule.name, parseName("the name of a rule", true));
    ZYXC_ASSIGN(rule.level, parseWord<Numerics>("numerics level", levelNames));
    ZYXC_ASSIGN(rule.stratum, parseWord<Stratum>("stratum", stratumNames));
    if (at < text.size() && text[at] == '"') {
      ZYXC_ASSIGN(rule.reason, parseString());
    }
    if (!accept(":")) {
      return expected("':'");
    }
    do {
      ZYXC_ASSIGN(PremiseSyntax premise, parsePremise());
      rule.premises.push_back(std::move(premise));
    } while (accept(","));
    if (!accept("=>")) {
      return expected("'=>'");
    }
    do {
      ZYXC_ASSIGN(ConclusionSyntax conclusion, parseConclusion());
      rule.conclusions.push_back(std::move(conclusion));
    } while (accept(","));
    if (acceptWord("if")) {
      do {
        ZYXC_ASSIGN(Syntax condition, parseTerm(0));
        rule.conditions.push_back(std::move(condition));
      } while (accept(","));
    }
    rule.text = text.substr(start, tokenEnd - start);
    return rule;
  }

  Expected<PremiseSyntax> parsePremise() {
    PremiseSyntax premise;
    ZYXC_ASSIGN(premise.pattern, parseTerm(0));
    if (acceptWord("as")) {
      premise.nameAt = place;
      if (!accept("?")) {
        return expected("the name of a premise, such as ?p,");
      }
      ZYXC_ASSIGN(premise.name, parseName("the name of a premise"));
      premise.name.insert(0, "?");
    }
    return premise;
  }

  Expected<ConclusionSyntax> parseConclusion() {
    ConclusionSyntax conclusion;
    ZYXC_ASSIGN(conclusion.term, parseTerm(0));
    bool isName = conclusion.term.kind == Syntax::Kind::Variable &&
                  conclusion.term.constraint.empty() && text.substr(at, 2) != "=>";
    if (isName && accept("=")) {
      conclusion.premise = conclusion.term.text;
      conclusion.premiseAt = conclusion.term.at;
      ZYXC_ASSIGN(conclusion.term, parseTerm(0));
    }
    return conclusion;
  }

  Expected<Syntax> parseTerm(int depth) {
    if (depth > maxNesting) {
      return error(fmt::format("terms nest deeper than {}", maxNesting));
    }
    if (at >= text.size()) {
      return expected("a term");
    }
    char c = text[at];
    if (c == '?') {
      return parseVariable(depth);
    }
    if (c == '[') {
      return parseList(depth);
    }
    if (c == '-' || std::isdigit(static_cast<unsigned char>(c)) ||
        (text.substr(at, 3) == "inf" && !(at + 3 < text.size() && isNameChar(text[at + 3])))) {
      return parseNumber();
    }
    Syntax term = {Syntax::Kind::Name, place, {}, {}, 0, false, {}, {}};
    ZYXC_ASSIGN(term.text, parseName("a term"));
    if (accept("(")) {
      term.kind = Syntax::Kind::Call;
      ZYXC_RETURN_IF_ERROR(parseArguments(term, depth));
    }
    return term;
  }

  Expected<Syntax> parseVariable(int depth) {
    Syntax term = {Syntax::Kind::Variable, place, {}, {}, 0, false, {}, {}};
    advance();
    ZYXC_ASSIGN(term.text, parseName("the name of a variable"));
    term.text.insert(0, "?");
    // A colon after a variable always starts a constraint: rules end without one.
    if (accept(":")) {
      ZYXC_ASSIGN(term.constraint, parseName("a constraint"));
    }
    if (accept("...")) {
      term.kind = Syntax::Kind::Sequence;
    } else if (accept("(")) {
      term.kind = Syntax::Kind::Call;
      ZYXC_RETURN_IF_ERROR(parseArguments(term, depth));
    }
    return term;
  }

  Expected<Syntax> parseList(int depth) {
    Syntax list = {Syntax::Kind::List, place, {}, {}, 0, false, {}, {}};
    accept("[");
    while (!accept("]")) {
      if (!list.operands.empty() && !accept(",")) {
        return expected("',' or ']'");
      }
      ZYXC_ASSIGN(Syntax element, parseTerm(depth + 1));
      list.operands.push_back(std::move(element));
    }
    return list;
  }

  Expected<Syntax> parseNumber() {
    Syntax term = {Syntax::Kind::Number, place, {}, {}, 0, true, {}, {}};
    size_t start = at;
    size_t end = at + (text[at] == '-');
    if (text.substr(end, 3) == "inf") {
      term.isInteger = false;
      end += 3;
    } else {
      while (end < text.size() &&
             (std::isdigit(static_cast<unsigned char>(text[end])) || text[end] == '.' ||
              text[end] == 'e' || (text[end] == '-' && text[end - 1] == 'e'))) {
        term.isInteger = term.isInteger && std::isdigit(static_cast<unsigned char>(text[end]));
        ++end;
      }
    }
    std::string digits(text.substr(start, end - start));
    char *parsed = nullptr;
    term.number = std::strtod(digits.c_str(), &parsed);
    if (digits.empty() || *parsed != '\0') {
      return error(fmt::format("'{}' is no number", digits));
    }
    if (term.isInteger && std::abs(term.number) > 0x1p53) {
      return error(fmt::format("the integer {} is too large", digits));
    }
    while (at < end) {
      advance();
    }
    skipSpace();
    return term;
  }

  /// What follows "(": operands, then name=value pairs, then ")".
  Status parseArguments(Syntax &call, int depth) {
    bool isFirst = true;
    while (!accept(")")) {
      if (!isFirst && !accept(",")) {
        return expected("',' or ')'");
      }
      isFirst = false;
      ZYXC_ASSIGN(Syntax argument, parseTerm(depth + 1));
      bool isNamed = argument.kind == Syntax::Kind::Name && text.substr(at, 2) != "=>";
      if (isNamed && accept("=")) {
        ZYXC_ASSIGN(Syntax value, parseTerm(depth + 1));
        call.named.push_back({argument.text, std::move(value)});
      } else if (!call.named.empty()) {
        return errorAt(file, argument.at, "operands stand before name=value pairs");
      } else {
        call.operands.push_back(std::move(argument));
      }
    }
    return Status::ok();
  }

  std::string_view text;
  std::string_view file;
  size_t at = 0;
  size_t tokenEnd = 0; ///< of the last token
  Position place;
};

} // namespace

const char *toString(Numerics level) {
  return levelNames[static_cast<size_t>(level)].data();
}
const char *toString(Stratum stratum) {
  return stratumNames[static_cast<size_t>(stratum)].data();
}

Expected<Numerics> parseNumerics(std::string_view name) {
  auto found = std::ranges::find(levelNames, name);
  if (found == levelNames.end()) {
    return makeError(ErrorCode::Usage, "'{}' is no numerics level: use one of {}", name,
                     listed(levelNames));
  }
  return static_cast<Numerics>(found - levelNames.begin());
}

Status errorAt(std::string_view file, Position at, std::string_view message) {
  return makeError(ErrorCode::Input, "{}:{}:{}: {}", file, at.line, at.column, message);
}

Expected<std::vector<RuleSyntax>> parseRules(std::string_view text, std::string_view file) {
  return Parser(text, file).run();
}

} // namespace zyxc::rules

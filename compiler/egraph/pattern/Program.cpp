#include "compiler/egraph/pattern/Program.h"
#include "compiler/egraph/pattern/SExpr.h"
#include <algorithm>

namespace zyxc::egraph {

namespace {

/// Reads the statements of a text, one after the other.
class ProgramReader {
public:
  ProgramReader(Program &program, std::span<const SExpr> items) : program(program), items(items) {}

  Status read(bool onlyRules);

private:
  struct PremiseText {
    const SExpr *term;
    const SExpr *name; ///< behind `as`, or null
  };

  bool isWord(std::string_view word) const { return at < items.size() && items[at].word == word; }
  /// The next item, which is to be a term; `after` is what stands before it.
  Expected<const SExpr *> takeTerm(const SExpr &after);
  Status readRule(std::string name);
  Expected<std::vector<PremiseText>> readPremises();
  Status readOneWay(std::string name, std::span<const PremiseText> premises);
  Status readBothWays(const std::string &name, const SExpr &left, const SExpr &right);
  Status readConclusions(Rule &rule, const SExpr &arrow);
  void finish(Rule rule);

  /// A term. Words are atoms if `isRule` is false; else variables, new ones if `mayBind` is true.
  Expected<Pattern> pattern(const SExpr &text, bool isRule, bool mayBind);
  Status addTerm(Pattern &pattern, const SExpr &text, bool isRule, bool mayBind, uint32_t &place);
  Status readWord(PatternTerm &term, const SExpr &text, bool isRule, bool mayBind);
  Expected<uint32_t> variable(const SExpr &text, bool mayBind);
  uint32_t addVariable(std::string name) {
    variables.push_back(std::move(name));
    return static_cast<uint32_t>(variables.size() - 1);
  }

  Program &program;
  std::span<const SExpr> items;
  size_t at = 0;
  std::vector<std::string> variables; ///< of the rule that is read; "" for classes without a name
};

constexpr uint32_t mostOperands = 30;
const std::string_view keywords[] = {"=>", "=", ",", "as", ":"};

bool isKeyword(const SExpr &text) {
  return std::ranges::find(keywords, text.word) != std::end(keywords);
}

Status ProgramReader::read(bool onlyRules) {
  while (at < items.size()) {
    const SExpr &first = items[at];
    if (isKeyword(first)) {
      return errorAt(first, fmt::format("`{}` without a term before it", first.word));
    }
    bool isRule = at + 1 < items.size() && isKeyword(items[at + 1]);
    if (isRule && items[at + 1].word == ":" && !first.isList()) {
      at += 2;
      ZYXC_RETURN_IF_ERROR(readRule(std::string(first.word)));
    } else if (isRule) {
      ZYXC_RETURN_IF_ERROR(readRule(""));
    } else if (onlyRules) {
      return errorAt(first, "a term, but only rules are expected here: LEFT => RIGHT");
    } else {
      ZYXC_ASSIGN(Pattern start, pattern(first, false, false));
      program.starts.push_back(std::move(start));
      ++at;
    }
  }
  return Status::ok();
}

Expected<const SExpr *> ProgramReader::takeTerm(const SExpr &after) {
  if (at == items.size() || isKeyword(items[at])) {
    return errorAt(after, fmt::format("no term behind `{}`", toText(after)));
  }
  return &items[at++];
}

Status ProgramReader::readRule(std::string name) {
  variables.clear();
  ZYXC_ASSIGN(std::vector<PremiseText> premises, readPremises());
  if (isWord("=>")) {
    return readOneWay(std::move(name), premises);
  }
  if (!isWord("=")) {
    return errorAt(*premises.back().term, "no `=>` or `=` behind the premises of a rule");
  }
  const SExpr &sign = items[at++];
  if (premises.size() > 1 || premises[0].name) {
    return errorAt(sign,
                   "`=` joins two terms: write `=>` behind several premises, and behind `as`");
  }
  ZYXC_ASSIGN(const SExpr *right, takeTerm(sign));
  return readBothWays(name, *premises[0].term, *right);
}

Expected<std::vector<ProgramReader::PremiseText>> ProgramReader::readPremises() {
  std::vector<PremiseText> premises;
  const SExpr *before = &items[at - (at > 0)];
  while (true) {
    ZYXC_ASSIGN(const SExpr *term, takeTerm(*before));
    PremiseText premise = {term, nullptr};
    if (isWord("as")) {
      const SExpr &as = items[at++];
      ZYXC_ASSIGN(premise.name, takeTerm(as));
    }
    premises.push_back(premise);
    if (!isWord(",")) {
      return premises;
    }
    before = &items[at++];
  }
}

Status ProgramReader::readOneWay(std::string name, std::span<const PremiseText> premises) {
  Rule rule;
  for (const PremiseText &text : premises) {
    if (!text.term->isList()) {
      return errorAt(*text.term,
                     "a premise is a term (OP OPERANDS..): a word alone is every class");
    }
    ZYXC_ASSIGN(Pattern left, pattern(*text.term, true, true));
    uint32_t cls = 0;
    if (text.name) {
      ZYXC_ASSIGN(cls, variable(*text.name, true));
    } else {
      cls = addVariable("");
    }
    rule.premises.push_back({std::move(left), cls});
  }
  const SExpr &arrow = items[at++];
  ZYXC_RETURN_IF_ERROR(readConclusions(rule, arrow));
  rule.name = name.empty()
                  ? fmt::format("{} => {}", toText(*premises[0].term), toText(items[at - 1]))
                  : std::move(name);
  finish(std::move(rule));
  return Status::ok();
}

Status ProgramReader::readConclusions(Rule &rule, const SExpr &arrow) {
  const SExpr *before = &arrow;
  while (true) {
    ZYXC_ASSIGN(const SExpr *term, takeTerm(*before));
    uint32_t cls = rule.premises[0].cls;
    if (isWord("=")) {
      const SExpr &sign = items[at++];
      if (term->isList()) {
        return errorAt(*term, "the left side of a conclusion is the name of a class");
      }
      ZYXC_ASSIGN(cls, variable(*term, false));
      ZYXC_ASSIGN(term, takeTerm(sign));
    } else if (rule.premises.size() > 1) {
      return errorAt(*term, "which class is it equal to? With several premises write NAME = TERM");
    }
    ZYXC_ASSIGN(Pattern right, pattern(*term, true, false));
    rule.conclusions.push_back({cls, std::move(right)});
    if (!isWord(",")) {
      return Status::ok();
    }
    before = &items[at++];
  }
}

bool sameTerms(const Pattern &a, const Pattern &b) {
  return std::ranges::equal(a.terms, b.terms, [](const PatternTerm &x, const PatternTerm &y) {
    return x.variable == y.variable && x.op == y.op && x.payload == y.payload &&
           x.children == y.children;
  });
}

Status ProgramReader::readBothWays(const std::string &name, const SExpr &left, const SExpr &right) {
  const SExpr *sides[2] = {&left, &right};
  for (int back = 0; back < 2; ++back) {
    const SExpr &from = *sides[back];
    if (!from.isList()) {
      return errorAt(from,
                     "both sides of `=` are terms (OP OPERANDS..): a word alone is every class");
    }
    variables.clear();
    Rule rule;
    rule.name = name.empty() ? fmt::format("{} => {}", toText(from), toText(*sides[1 - back]))
                             : name + (back ? " back" : "");
    ZYXC_ASSIGN(Pattern premise, pattern(from, true, true));
    ZYXC_ASSIGN(Pattern conclusion, pattern(*sides[1 - back], true, false));
    uint32_t cls = addVariable("");
    rule.premises.push_back({std::move(premise), cls});
    rule.conclusions.push_back({cls, std::move(conclusion)});
    // (+ a b) = (+ b a) says the same in both directions. Variables are numbered as they occur.
    bool isMirrored =
        back == 1 &&
        sameTerms(rule.premises[0].pattern, program.rules.back().premises[0].pattern) &&
        sameTerms(rule.conclusions[0].pattern, program.rules.back().conclusions[0].pattern);
    if (!isMirrored) {
      finish(std::move(rule));
    }
  }
  return Status::ok();
}

void ProgramReader::finish(Rule rule) {
  rule.numVariables = static_cast<uint32_t>(variables.size());
  program.rules.push_back(std::move(rule));
}

Expected<Pattern> ProgramReader::pattern(const SExpr &text, bool isRule, bool mayBind) {
  Pattern result;
  uint32_t root = 0;
  ZYXC_RETURN_IF_ERROR(addTerm(result, text, isRule, mayBind, root));
  return result;
}

Status ProgramReader::addTerm(Pattern &pattern, const SExpr &text, bool isRule, bool mayBind,
                              uint32_t &place) {
  place = pattern.add({});
  if (!text.isList()) {
    return readWord(pattern.terms[place], text, isRule, mayBind);
  }
  const SExpr &head = text.items[0];
  if (head.isList() || looksLikeNumber(head.word)) {
    return errorAt(head, "a list begins with the name of an op");
  }
  for (const SExpr &operand : text.items) {
    if (operand.word == "," || operand.word == ":") {
      return errorAt(operand, fmt::format("`{}` inside of a term", operand.word));
    }
  }
  uint32_t arity = static_cast<uint32_t>(text.items.size() - 1);
  if (arity > mostOperands) {
    return errorAt(head, fmt::format("`{}` has {} operands; at most {} are handled", head.word,
                                     arity, mostOperands));
  }
  pattern.terms[place].op = program.language.op(head.word, arity);
  for (const SExpr &operand : std::span(text.items).subspan(1)) {
    uint32_t child = 0;
    ZYXC_RETURN_IF_ERROR(addTerm(pattern, operand, isRule, mayBind, child));
    pattern.terms[place].children.push_back(child);
  }
  return Status::ok();
}

Status ProgramReader::readWord(PatternTerm &term, const SExpr &text, bool isRule, bool mayBind) {
  if (looksLikeNumber(text.word)) {
    std::optional<Number> number = parseNumber(text.word);
    if (!number) {
      return errorAt(text, fmt::format("`{}` is no number that fits two 64-bit integers: write 3, "
                                       "-1/2 or 0.25",
                                       text.word));
    }
    term.op = Language::numberOp;
    term.payload = program.language.number(*number);
    return Status::ok();
  }
  bool isQuoted = text.word[0] == '\'';
  if (isRule && !isQuoted) {
    ZYXC_ASSIGN(term.variable, variable(text, mayBind));
    return Status::ok();
  }
  std::string_view name = text.word.substr(isQuoted);
  if (name.empty()) {
    return errorAt(text, "no name behind the quote");
  }
  term.op = Language::atomOp;
  term.payload = program.language.atom(name);
  return Status::ok();
}

Expected<uint32_t> ProgramReader::variable(const SExpr &text, bool mayBind) {
  if (text.isList() || text.word[0] == '\'' || looksLikeNumber(text.word)) {
    return errorAt(text, "the name of a class is expected here");
  }
  auto found = std::ranges::find(variables, text.word);
  if (found != variables.end()) {
    return static_cast<uint32_t>(found - variables.begin());
  }
  if (!mayBind) {
    return errorAt(text, fmt::format("variable `{0}` is not bound by a premise (an atom is quoted: "
                                     "'{0})",
                                     text.word));
  }
  return addVariable(std::string(text.word));
}

} // namespace

Status Program::add(std::string_view text, bool onlyRules) {
  ZYXC_ASSIGN(std::vector<SExpr> items, readSExprs(text));
  return ProgramReader(*this, items).read(onlyRules);
}

Id addTerm(EGraph &graph, const Pattern &pattern) {
  std::vector<Id> classes(pattern.terms.size());
  std::vector<Id> operands;
  for (size_t place = pattern.terms.size(); place-- > 0;) { // children stand behind
    const PatternTerm &term = pattern.terms[place];
    operands.clear();
    for (uint32_t child : term.children) {
      operands.push_back(classes[child]);
    }
    classes[place] = graph.add(term.op, term.payload, operands);
  }
  return classes[0];
}

std::vector<Id> Program::addStarts(EGraph &graph) const {
  std::vector<Id> classes;
  classes.reserve(starts.size());
  for (const Pattern &start : starts) {
    classes.push_back(addTerm(graph, start));
  }
  return classes;
}

} // namespace zyxc::egraph

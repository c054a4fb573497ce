#include "runtime/devices/ptxsim/PtxText.h"
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string_view>

namespace zyxc::rt::ptxsim {

namespace {

bool isWord(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%' ||
         c == '.';
}

std::string_view trim(std::string_view text) {
  size_t begin = text.find_first_not_of(" \t\n\r");
  if (begin == text.npos) {
    return {};
  }
  return text.substr(begin, text.find_last_not_of(" \t\n\r") - begin + 1);
}

/// The parts between `separator`, outside of brackets.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  size_t begin = 0;
  int depth = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == separator && depth == 0)) {
      if (std::string_view part = trim(text.substr(begin, i - begin)); !part.empty()) {
        parts.push_back(part);
      }
      begin = i + 1;
    } else {
      depth += (text[i] == '{' || text[i] == '[') - (text[i] == '}' || text[i] == ']');
    }
  }
  return parts;
}

/// Without comments.
std::string withoutComments(const std::string &text) {
  std::string clean;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "//") == 0) {
      i = std::min(text.find('\n', i), text.size() - 1);
    }
    clean += text[i];
  }
  return clean;
}

/// The number behind a word such as ".align".
uint32_t numberAfter(std::string_view text, std::string_view word, uint32_t missing) {
  size_t at = text.find(word);
  return at == text.npos ? missing
                         : static_cast<uint32_t>(std::atoi(text.data() + at + word.size()));
}

/// Bytes of a type such as ".u64" or ".b8".
uint32_t typeBytes(std::string_view text) {
  for (std::string_view type : {"64", "32", "16", "8"}) {
    for (const char *kind : {".b", ".u", ".s", ".f"}) {
      if (text.find(std::string(kind) + std::string(type)) != text.npos) {
        return static_cast<uint32_t>(std::atoi(type.data())) / 8;
      }
    }
  }
  return 0;
}

/// A declared name with its array size: "x[128]" or "x".
struct Declared {
  std::string name;
  uint32_t count = 1;
};

Declared declared(std::string_view text) {
  text = trim(text);
  size_t bracket = text.rfind('[');
  Declared result;
  if (bracket != text.npos) {
    result.count = static_cast<uint32_t>(std::atoi(text.data() + bracket + 1));
    text = text.substr(0, bracket);
  }
  result.name = text.substr(text.find_last_of(" \t\n") + 1);
  return result;
}

SharedVariable sharedVariable(std::string_view text) {
  Declared what = declared(text);
  return {what.name, what.count * typeBytes(text), numberAfter(text, ".align", 1)};
}

/// Reads the body of one function.
class BodyParser {
public:
  BodyParser(PtxModule &module, Entry &entry) : module(module), entry(entry), scopes(1) {}

  Status parse(std::string_view body);

private:
  Status statement(std::string_view text);
  void declareRegisters(std::string_view text);
  Expected<Operand> operand(std::string_view text);
  Expected<Operand> address(std::string_view text);
  Status resolve();

  PtxModule &module;
  Entry &entry;
  std::vector<std::map<std::string, uint32_t, std::less<>>> scopes;
  std::vector<uint32_t> widths = {0}; ///< bits of each register
  std::map<std::string, uint32_t> labels;
  std::vector<std::pair<size_t, std::string>> branches;
};

} // namespace

Status BodyParser::parse(std::string_view body) {
  for (size_t i = 0; i < body.size();) {
    char c = body[i];
    if (std::isspace(static_cast<unsigned char>(c))) {
      ++i;
    } else if (c == '{' || c == '}') {
      if (c == '{') {
        scopes.emplace_back();
      } else if (scopes.size() == 1) {
        return makeError(ErrorCode::Unsupported, "not simulated: a block ends that did not begin");
      } else {
        scopes.pop_back();
      }
      ++i;
    } else {
      size_t word = i;
      while (word < body.size() && isWord(body[word])) {
        ++word;
      }
      if (word < body.size() && body[word] == ':' && body.substr(word, 2) != "::") {
        labels[std::string(body.substr(i, word - i))] =
            static_cast<uint32_t>(entry.statements.size());
        i = word + 1;
        continue;
      }
      size_t end = std::min(body.find(';', i), body.size());
      ZYXC_RETURN_IF_ERROR(statement(trim(body.substr(i, end - i))));
      i = end + 1;
    }
  }
  return resolve();
}

/// ".reg .b32 %r<8>" or ".reg .pred P, Q".
void BodyParser::declareRegisters(std::string_view text) {
  size_t type = text.find('.', 1);
  bool isPredicate = text.substr(type).starts_with(".pred");
  uint32_t width = isPredicate ? 1 : static_cast<uint32_t>(std::atoi(text.data() + type + 2));
  text.remove_prefix(text.find_first_of(" \t", type));
  for (std::string_view name : split(text, ',')) {
    size_t bracket = name.find('<');
    if (bracket == name.npos) {
      scopes.back()[std::string(name)] = entry.numRegisters++;
      continue;
    }
    int count = std::atoi(name.data() + bracket + 1);
    for (int i = 0; i < count; ++i) {
      scopes.back()[std::string(name.substr(0, bracket)) + std::to_string(i)] =
          entry.numRegisters++;
    }
  }
  widths.resize(entry.numRegisters, width);
}

/// The inside of brackets: "base+offset" or "map, {c0, c1}".
Expected<Operand> BodyParser::address(std::string_view text) {
  Operand result;
  std::vector<std::string_view> parts = split(text, ',');
  if (parts.size() == 2) {
    result.kind = Operand::Kind::Tensor;
    for (std::string_view part : {parts[0], parts[1]}) {
      ZYXC_ASSIGN(Operand inner, operand(part));
      if (inner.kind == Operand::Kind::List) {
        result.parts.insert(result.parts.end(), inner.parts.begin(), inner.parts.end());
      } else {
        result.parts.push_back(std::move(inner));
      }
    }
    return result;
  }
  result.kind = Operand::Kind::Address;
  size_t plus = text.find('+');
  ZYXC_ASSIGN(Operand base, operand(trim(text.substr(0, plus))));
  result.parts.push_back(std::move(base));
  if (plus != text.npos) {
    result.bits = static_cast<uint64_t>(std::atoll(text.data() + plus + 1));
  }
  return result;
}

Expected<Operand> BodyParser::operand(std::string_view text) {
  Operand result;
  if (text.empty()) {
    return makeError(ErrorCode::Unsupported, "not simulated: an operand without text");
  }
  if (text.front() == '[') {
    return address(trim(text.substr(1, text.size() - 2)));
  }
  if (text.front() == '{') {
    result.kind = Operand::Kind::List;
    for (std::string_view part : split(text.substr(1, text.size() - 2), ',')) {
      ZYXC_ASSIGN(Operand inner, operand(part));
      result.parts.push_back(std::move(inner));
    }
    return result;
  }
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
    if (auto found = scope->find(text); found != scope->end()) {
      result.kind = Operand::Kind::Register;
      result.number = found->second;
      result.width = widths[result.number];
      return result;
    }
  }
  std::string word(text);
  result.name = word;
  if (word == "_") {
    result.kind = Operand::Kind::Sink;
  } else if (word[0] == '%') {
    result.kind = Operand::Kind::Special;
  } else if (word.starts_with("0f") || word.starts_with("0F") || word.starts_with("0d") ||
             word.starts_with("0D")) {
    result.bits = std::strtoull(word.c_str() + 2, nullptr, 16);
  } else if (std::isdigit(static_cast<unsigned char>(word[0])) || word[0] == '-') {
    result.bits = static_cast<uint64_t>(
        word[0] == '-' ? std::strtoll(word.c_str(), nullptr, 0)
                       : static_cast<long long>(std::strtoull(word.c_str(), nullptr, 0)));
  } else {
    result.kind = Operand::Kind::Symbol;
  }
  return result;
}

Status BodyParser::statement(std::string_view text) {
  if (text.starts_with(".reg")) {
    declareRegisters(text);
    return Status::ok();
  }
  if (text.starts_with(".shared")) {
    module.shared.push_back(sharedVariable(text));
    return Status::ok();
  }
  if (text.starts_with(".local")) {
    entry.locals.push_back(sharedVariable(text));
    return Status::ok();
  }
  if (text == ".pragma \"nounroll\"") { // a word to ptxas
    return Status::ok();
  }
  if (text.starts_with(".")) {
    return makeError(ErrorCode::Unsupported, "not simulated: {}", text);
  }
  Statement made;
  made.text = text;
  if (text.front() == '@') {
    made.negated = text[1] == '!';
    size_t end = text.find_first_of(" \t");
    ZYXC_ASSIGN(Operand predicate, operand(text.substr(1 + made.negated, end - 1 - made.negated)));
    made.predicate = predicate.number;
    text = trim(text.substr(end));
  }
  size_t end = std::min(text.find_first_of(" \t\n"), text.size());
  for (std::string_view part : split(text.substr(0, end), '.')) {
    made.opcode.emplace_back(part);
  }
  for (std::string_view part : split(text.substr(end), ',')) {
    if (made.opcode[0] == "bra") {
      branches.emplace_back(entry.statements.size(), part);
      break;
    }
    // "%r1|%p1": a result with a predicate.
    for (std::string_view one : split(part, '|')) {
      ZYXC_ASSIGN(Operand parsed, operand(one));
      made.operands.push_back(std::move(parsed));
    }
  }
  entry.statements.push_back(std::move(made));
  return Status::ok();
}

Status BodyParser::resolve() {
  for (const auto &[statement, label] : branches) {
    auto found = labels.find(label);
    if (found == labels.end()) {
      return makeError(ErrorCode::Unsupported, "not simulated: no label {}", label);
    }
    entry.statements[statement].target = found->second;
  }
  return Status::ok();
}

/// The parameters in "(..)" of an entry.
static void parseParameters(Entry &entry, std::string_view text) {
  uint32_t offset = 0;
  for (std::string_view part : split(text, ',')) {
    Declared what = declared(part);
    bool isArray = part.find('[') != part.npos;
    uint32_t alignment =
        std::max<uint32_t>(isArray ? numberAfter(part, ".align", 1) : typeBytes(part), 1);
    offset = (offset + alignment - 1) / alignment * alignment;
    uint32_t bytes = what.count * typeBytes(part);
    entry.parameters.push_back({what.name, bytes, offset});
    offset += bytes;
  }
}

/// Reads ".global .align 4 .b8 NAME[2] = {1, 2}" and its like at the start of a module.
static void parseGlobals(PtxModule &module, std::string_view text) {
  text = text.substr(0, text.find(".entry"));
  for (size_t at; (at = text.find(".global")) != text.npos;) {
    text.remove_prefix(at);
    size_t equals = text.find('='), open = text.find('{'), close = text.find('}');
    if (close == text.npos || equals > open || text.find(".b8") > equals) {
      return; // what is not known is missed where it is used
    }
    GlobalVariable variable{declared(text.substr(0, equals)).name, {}};
    for (std::string_view byte : split(text.substr(open + 1, close - open - 1), ',')) {
      variable.bytes.push_back(static_cast<uint8_t>(std::atoi(byte.data())));
    }
    module.globals.push_back(std::move(variable));
    text.remove_prefix(close);
  }
}

Expected<PtxModule> parsePtx(const std::string &text) {
  PtxModule module;
  std::string clean = withoutComments(text);
  std::string_view rest = clean;
  parseGlobals(module, rest);
  for (size_t at = 0; (at = rest.find(".shared")) < rest.find(".entry"); rest.remove_prefix(at)) {
    size_t end = rest.find(';', at);
    module.shared.push_back(sharedVariable(rest.substr(at, end - at)));
    at = end;
  }
  for (size_t at; (at = rest.find(".entry")) != rest.npos;) {
    rest.remove_prefix(at + 6);
    size_t open = rest.find('('), close = rest.find(')'), body = rest.find('{');
    if (body == rest.npos || (open < body && close > body)) {
      return makeError(ErrorCode::Unsupported, "not simulated: an entry without a body");
    }
    Entry entry;
    entry.name = trim(rest.substr(0, std::min(open, body)));
    if (open < body) {
      parseParameters(entry, rest.substr(open + 1, close - open - 1));
    }
    size_t end = body + 1;
    for (int depth = 1; depth > 0 && end < rest.size(); ++end) {
      depth += (rest[end] == '{') - (rest[end] == '}');
    }
    Status status = BodyParser(module, entry).parse(rest.substr(body + 1, end - body - 2));
    if (!status.isOk()) {
      return std::move(status).withContext(entry.name);
    }
    module.entries[entry.name] = std::move(entry);
    rest.remove_prefix(end);
  }
  return module;
}

} // namespace zyxc::rt::ptxsim

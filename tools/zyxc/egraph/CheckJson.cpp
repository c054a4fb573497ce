#include "tools/zyxc/egraph/CheckJson.h"
#include "llvm/Support/JSON.h"
#include <algorithm>
#include <vector>

namespace zyxc::tool {

namespace {

class Scanner {
public:
  explicit Scanner(std::string_view text) : text(text) {}

  Status scan();

private:
  struct Key {
    std::string_view text; ///< between the quotes
    size_t byte;
  };
  struct Level {
    bool isObject;
    size_t firstKey; ///< in `keys`
  };

  void readString();
  Status close();

  std::string_view text;
  size_t at = 0;
  bool isKeyNext = false; ///< a string here is a key
  std::vector<Level> levels;
  std::vector<Key> keys; ///< of all open objects
};

} // namespace

Status Scanner::scan() {
  constexpr size_t most = 100;
  for (; at < text.size(); ++at) {
    switch (text[at]) {
    case '"': readString(); break;
    case ',': isKeyNext = !levels.empty() && levels.back().isObject; break;
    case '[':
    case '{':
      if (levels.size() == most) {
        return makeError(ErrorCode::Input, "malformed JSON: byte {}: nested more than {} deep", at,
                         most);
      }
      isKeyNext = text[at] == '{';
      levels.push_back({isKeyNext, keys.size()});
      break;
    case ']':
    case '}': ZYXC_RETURN_IF_ERROR(close()); break;
    default: break;
    }
  }
  return Status::ok();
}

void Scanner::readString() {
  size_t begin = ++at;
  while (at < text.size() && text[at] != '"') {
    at += text[at] == '\\' ? 2 : 1;
  }
  if (isKeyNext && at < text.size()) {
    keys.push_back({text.substr(begin, at - begin), begin});
  }
  isKeyNext = false;
}

/// What a key says: "\u0061" is "a".
static std::string unescaped(std::string_view key) {
  if (key.find('\\') == key.npos) {
    return std::string(key);
  }
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(fmt::format("\"{}\"", key));
  if (!value) {
    llvm::consumeError(value.takeError());
    return std::string(key);
  }
  return value->getAsString()->str();
}

/// The end of an object or a list: its keys are all known.
Status Scanner::close() {
  isKeyNext = false;
  if (levels.empty()) {
    return Status::ok();
  }
  auto first = keys.begin() + static_cast<std::ptrdiff_t>(levels.back().firstKey);
  bool hasEscapes = std::any_of(
      first, keys.end(), [](const Key &key) { return key.text.find('\\') != key.text.npos; });
  std::vector<std::string> plain; // owns texts without escapes
  if (hasEscapes) {
    plain.reserve(static_cast<size_t>(keys.end() - first));
    for (auto key = first; key != keys.end(); ++key) {
      key->text = plain.emplace_back(unescaped(key->text));
    }
  }
  std::sort(first, keys.end(), [](const Key &a, const Key &b) {
    return a.text != b.text ? a.text < b.text : a.byte < b.byte;
  });
  auto twin = std::adjacent_find(first, keys.end(),
                                 [](const Key &a, const Key &b) { return a.text == b.text; });
  if (twin != keys.end()) {
    return makeError(ErrorCode::Input, "malformed JSON: byte {}: the key '{}' is there twice",
                     twin[1].byte, twin->text);
  }
  keys.erase(first, keys.end());
  levels.pop_back();
  return Status::ok();
}

Status checkJson(std::string_view text) {
  return Scanner(text).scan();
}

} // namespace zyxc::tool

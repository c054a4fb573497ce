#include "runtime/support/PlainText.h"
#include <cstdint>

namespace zyxc {

/// The bytes of the character that `text` begins with; 0 if it begins with none. The ranges of a
/// second byte leave out surrogates, what is beyond U+10FFFF, and forms that are longer than
/// needed.
static size_t characterSize(std::string_view text) {
  auto byte = [&](size_t i) {
    return static_cast<uint8_t>(text[i]);
  };
  uint8_t first = byte(0);
  if (first < 0x80) {
    bool isControl =
        (first < 0x20 && first != '\t' && first != '\n' && first != '\r') || first == 0x7f;
    return isControl ? 0 : 1;
  }
  if (first < 0xc2 || first > 0xf4) {
    return 0;
  }
  size_t size = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  uint8_t least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  uint8_t most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  if (text.size() < size || byte(1) < least || byte(1) > most) {
    return 0;
  }
  for (size_t i = 2; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) {
      return 0;
    }
  }
  return size;
}

size_t plainTextPrefix(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    size_t size = characterSize(text.substr(at));
    if (size == 0) {
      break;
    }
    at += size;
  }
  return at;
}

} // namespace zyxc

// What is text: RFC 3629, without control characters.
#include "runtime/support/PlainText.h"
#include <catch2/catch.hpp>
#include <string>

using namespace zyxc;

/// The bytes of a code point by the rule for its size, surrogates included.
static std::string encoded(uint32_t code, int size) {
  if (size == 1) {
    return std::string(1, static_cast<char>(code));
  }
  const uint32_t marks[] = {0, 0, 0xc0, 0xe0, 0xf0};
  std::string bytes(1, static_cast<char>(marks[size] | (code >> (6 * (size - 1)))));
  for (int i = size - 2; i >= 0; --i) {
    bytes += static_cast<char>(0x80 | ((code >> (6 * i)) & 0x3f));
  }
  return bytes;
}

TEST_CASE("every code point is text in its shortest form only", "[text]") {
  int wrong = 0;
  for (uint32_t code = 0; code < 0x1fffff; code += code < 0x12000 ? 1 : 61) {
    int least = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    bool isControl = code == 0x7f || (code < 0x20 && code != '\t' && code != '\n' && code != '\r');
    bool isText = !isControl && !(code >= 0xd800 && code < 0xe000) && code <= 0x10ffff;
    for (int size = least; size <= 4; ++size) {
      std::string text = "a" + encoded(code, size) + "b";
      wrong += plainTextPrefix(text) != (isText && size == least ? text.size() : 1);
      text.resize(text.size() - 2); // the last byte is missing, and what is behind it
      wrong += plainTextPrefix(text) != 1;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("text ends before the first byte that is none", "[text]") {
  CHECK(plainTextPrefix("") == 0);
  CHECK(plainTextPrefix("tab\tline\r\n") == 10);
  CHECK(plainTextPrefix(std::string_view("nul\0", 4)) == 3);
  CHECK(plainTextPrefix("\x80") == 0);
  CHECK(plainTextPrefix("ab\xff") == 2);
}

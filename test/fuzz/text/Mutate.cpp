#include "test/fuzz/text/Mutate.h"
#include <algorithm>
#include <cctype>

namespace zyxc::fuzz {

static size_t below(std::mt19937_64 &random, size_t count) {
  return count == 0 ? 0 : random() % count;
}

/// Replaces the digits at or after a random place by another number.
static void replaceNumber(std::string &text, std::mt19937_64 &random) {
  static constexpr const char *numbers[] = {"0",
                                            "1",
                                            "-1",
                                            "2",
                                            "64",
                                            "65536",
                                            "4294967296",
                                            "9223372036854775807",
                                            "-9223372036854775808",
                                            "18446744073709551616",
                                            "1e400",
                                            "nan",
                                            "1099511627776"};
  auto isDigit = [](char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
  };
  auto first = std::find_if(text.begin() + static_cast<std::ptrdiff_t>(below(random, text.size())),
                            text.end(), isDigit);
  auto last = std::find_if_not(first, text.end(), isDigit);
  if (first != last) {
    text.replace(first, last, numbers[below(random, std::size(numbers))]);
  }
}

/// Swaps two words: names of ops, types and values end up where they do not belong.
static void swapWords(std::string &text, std::mt19937_64 &random) {
  auto wordAt = [&](size_t place) {
    auto isWord = [&](size_t i) {
      return std::isalnum(static_cast<unsigned char>(text[i])) != 0 ||
             std::string_view("_%.").find(text[i]) != std::string_view::npos;
    };
    size_t first = place;
    while (first < text.size() && !isWord(first)) {
      ++first;
    }
    size_t last = first;
    while (last < text.size() && isWord(last)) {
      ++last;
    }
    return std::pair(first, last - first);
  };
  auto [from, fromLength] = wordAt(below(random, text.size()));
  auto [to, toLength] = wordAt(below(random, text.size()));
  std::string word = text.substr(from, fromLength);
  text.replace(to, toLength, word);
}

static void mutateOnce(std::string &text, std::mt19937_64 &random) {
  size_t place = below(random, text.size());
  size_t length = below(random, std::min<size_t>(text.size() - place, 40) + 1);
  switch (random() % 9) {
  case 0: text[place] = static_cast<char>(random()); break;
  case 1: text[place] = static_cast<char>(text[place] ^ (1 << random() % 8)); break;
  case 2: text.erase(place, length); break;
  case 3: text.insert(place, text.substr(place, length)); break;
  case 4: text.insert(place, text.substr(below(random, text.size()), length)); break;
  case 5:
  case 6: replaceNumber(text, random); break;
  case 7: swapWords(text, random); break;
  default:
    if (random() % 4 == 0) {
      text.resize(place);
    } else {
      swapWords(text, random);
    }
  }
}

std::string mutated(std::string text, std::mt19937_64 &random) {
  for (size_t edits = 1 + random() % 3; edits > 0 && !text.empty(); --edits) {
    mutateOnce(text, random);
  }
  return text;
}

} // namespace zyxc::fuzz

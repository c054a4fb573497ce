// Random programs of the text language, for tests of saturation and of proofs.
#pragma once
#include <fmt/format.h>
#include <iterator>
#include <random>
#include <string>

namespace zyxc::egraph {

/// Rules of which random programs take some: plain, non-linear, with ground terms, with terms that
/// are known when they are reached, deep, and with several premises.
inline const char *const randomRules[] = {
    "(f a b) = (f b a)",
    "(f a (f b c)) => (f (f a b) c)",
    "(f (f a b) c) => (f a (f b c))",
    "(f a a) => (g a)",
    "(f a (g a)) => a",
    "(g (g a)) => a",
    "(f a 'x) => (g a)",
    "(f (g 'x) a) => (f a 1)",
    "(h a b (g (f a b))) => (f b a)",
    "(h a b c) => (h b c a)",
    "(f (g a) (g b)) => (g (f a b))",
    "(f a b) as p, (g p) as q => q = (h a b p)",
    "(f a b) as p, (f b a) as q => p = q",
    "(g a) as p, (f p b), (g b) as q => p = q",
    "(g (g a)) as p, (h p b c) => p = (f b c)",
    "(h a b c) as p, (g a) as q => p = (f a q), q = (f b a)",
    "(f p a) as p => p = (g a)",
    "(g p) as q, (f q p) as p => q = (h p q p), p = q",
    "(g a), (g b) as q => q = (f a a)",
};

inline std::string randomTerm(std::mt19937 &random, int depth) {
  const char *atoms[] = {"x", "y", "z", "1"};
  if (depth == 0 || random() % 4 == 0) {
    return atoms[random() % 4];
  }
  switch (random() % 4) {
  case 0: return fmt::format("(g {})", randomTerm(random, depth - 1));
  case 1:
    return fmt::format("(h {} {} {})", randomTerm(random, depth - 1), randomTerm(random, depth - 1),
                       randomTerm(random, depth - 1));
  default:
    return fmt::format("(f {} {})", randomTerm(random, depth - 1), randomTerm(random, depth - 1));
  }
}

/// Some of the rules and a few start terms.
inline std::string randomProgram(std::mt19937 &random) {
  std::string text;
  for (uint32_t count = 1 + random() % 4; count > 0; --count) {
    text += fmt::format("{}\n", randomRules[random() % std::size(randomRules)]);
  }
  for (uint32_t count = 1 + random() % 3; count > 0; --count) {
    text += randomTerm(random, 3) + "\n";
  }
  return text;
}

} // namespace zyxc::egraph

// Compiled rules for tests. Test code only.
#pragma once
#include "compiler/rules/BuiltinRules.h"
#include "compiler/rules/Rule.h"
#include <catch2/catch.hpp>

namespace zyxc::rules {

/// Fails the test where the rules do not compile.
inline std::vector<Rule> required(Expected<std::vector<Rule>> rules) {
  INFO((rules ? "" : rules.error().message()));
  REQUIRE(rules);
  return *std::move(rules);
}

inline std::vector<Rule> compiled(std::string_view text) {
  return required(compileRules(text, "test.rules"));
}

inline std::vector<Rule> builtin() {
  return required(builtinRules());
}

} // namespace zyxc::rules

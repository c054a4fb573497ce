// The test of rules finds mistakes: of 100 mutants of the built-in rules, at least 98.
#include "compiler/rules/check/Soundness.h"
#include "test/unit/fixtures/RuleTexts.h"
#include "test/unit/rules/HarmlessMutants.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>

using namespace zyxc;
using namespace zyxc::rules;

static bool isOf(const HarmlessMutants &harmless, const Mutant &mutant) {
  return (harmless.rule.empty() || harmless.rule == mutant.rule) &&
         mutant.change.starts_with(harmless.change) &&
         mutant.text.find(harmless.part) != mutant.text.npos;
}

/// All mutants that load.
static std::vector<Mutant> allMutants() {
  std::vector<Mutant> mutants;
  for (const Rule &rule : builtin()) {
    Expected<std::vector<RuleSyntax>> syntax = parseRules(rule.text, "test.rules");
    REQUIRE(syntax);
    for (Mutant &mutant : mutantsOf((*syntax)[0])) {
      if (compileRules(mutant.text, "test.rules")) {
        mutants.push_back(std::move(mutant));
      }
    }
  }
  return mutants;
}

TEST_CASE("a mutant is the rule with one change", "[rules]") {
  std::vector<RuleSyntax> rules = *parseRules(
      "rule a algebra explore: sub(?x:int, 0) => ?x if same(dtype(?x), ?d)", "test.rules");
  CHECK(toText(rules[0]) == "rule a algebra explore: sub(?x:int, 0) => ?x if same(dtype(?x), ?d)");
  std::vector<Mutant> mutants = mutantsOf(rules[0]);
  auto has = [&](std::string_view change, std::string_view text) {
    return std::ranges::any_of(mutants, [&](const Mutant &mutant) {
      return mutant.change == change && mutant.text == text;
    });
  };
  CHECK(has("swap operands 0 and 1 of sub",
            "rule a algebra explore: sub(0, ?x:int) => ?x if same(dtype(?x), ?d)"));
  CHECK(has("drop :int of ?x", "rule a algebra explore: sub(?x, 0) => ?x if same(dtype(?x), ?d)"));
  CHECK(has("drop if same(dtype(?x), ?d)", "rule a algebra explore: sub(?x:int, 0) => ?x"));
  CHECK(has("level exact", "rule a exact explore: sub(?x:int, 0) => ?x if same(dtype(?x), ?d)"));
  CHECK(
      has("number 1 for 0", "rule a algebra explore: sub(?x:int, 1) => ?x if same(dtype(?x), ?d)"));
  CHECK(
      has("op add for sub", "rule a algebra explore: add(?x:int, 0) => ?x if same(dtype(?x), ?d)"));
}

TEST_CASE("each reason of the table of harmless mutants is needed", "[rules]") {
  std::vector<Mutant> mutants = allMutants();
  for (const HarmlessMutants &harmless : harmlessMutants) {
    INFO(harmless.rule << ": " << harmless.change);
    CHECK(
        std::ranges::any_of(mutants, [&](const Mutant &mutant) { return isOf(harmless, mutant); }));
  }
}

TEST_CASE("at least 98 of 100 mutants of the built-in rules are caught", "[rules]") {
  std::vector<Mutant> mutants = allMutants();
  std::erase_if(mutants, [](const Mutant &mutant) {
    return std::ranges::any_of(harmlessMutants, [&](const auto &h) { return isOf(h, mutant); });
  });
  std::ranges::shuffle(mutants, std::mt19937_64(5));
  size_t wanted = std::getenv("ZYXC_LONG_TESTS") ? mutants.size() : 100;
  size_t tested = 0, caught = 0, idle = 0;
  std::string missed;
  for (const Mutant &mutant : mutants) {
    if (tested == wanted) {
      break;
    }
    Rule rule = compiled(mutant.text)[0];
    Expected<CheckResult> result =
        checkRule(rule, {.instances = 200, .maxShrinks = 0, .prove = false});
    REQUIRE(result);
    if (!(*result).isTested() && (*result).holds()) {
      ++idle; // it never does anything, for which it is refused, too
      continue;
    }
    ++tested;
    caught += !(*result).holds();
    missed += (*result).holds() ? "missed: " + mutant.change + ": " + mutant.text + "\n" : "";
  }
  std::printf("%zu of %zu mutants of the built-in rules are caught; %zu more never apply\n%s",
              caught, tested, idle, missed.c_str());
  CHECK(tested >= 100);
  CHECK(caught * 100 >= tested * 98);
}

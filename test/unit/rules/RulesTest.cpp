// The rule language, and the soundness of rules.
#include "compiler/rules/check/Soundness.h"
#include "test/unit/fixtures/RuleTexts.h"
#include <catch2/catch.hpp>

using namespace zyxc;
using namespace zyxc::rules;

static std::string errorOf(std::string_view text) {
  Expected<std::vector<Rule>> rules = compileRules(text, "test.rules");
  return rules ? "" : rules.error().message();
}

TEST_CASE("rules are read with level, stratum, reason and conditions", "[rules]") {
  std::vector<Rule> rules = compiled(R"(
# a comment
rule mul-one exact simplify "why": mul(?x, 1) => ?x
rule casts reorder explore: cast(cast(?x, dtype=?d), dtype=f32) => cast(?x, dtype=f32)
  if same(dtype(?x), ?d), lossless_via(dtype(?x), ?d, f32)
rule joined exact enable: concat(?a..., concat(?b..., axis=?k), axis=?k) => concat(?a..., ?b..., axis=?k)
rule op-variable exact enable: ?f:unary(?f:unary(?x:i32)) => ?f(?x)
)");
  REQUIRE(rules.size() == 4);
  CHECK(rules[0].name == "mul-one");
  CHECK(rules[0].reason == "why");
  CHECK(rules[1].level == Numerics::Reorder);
  CHECK(rules[1].stratum == Stratum::Explore);
  CHECK(rules[1].conditions.size() == 2);
  CHECK(rules[1].slotNames == std::vector<std::string>{"?x", "?d"});
}

TEST_CASE("errors in rule files name line and column", "[rules]") {
  CHECK(errorOf("rule a exact simplify: foo(?x) => ?x") ==
        "test.rules:1:24: rule a: there is no op 'foo'");
  CHECK(errorOf("\nrule a exact simplify: neg(?x) => ?y") ==
        "test.rules:2:35: rule a: ?y does not occur in the pattern");
  CHECK(errorOf("rule a wrong simplify: neg(?x) => ?x") ==
        "test.rules:1:8: 'wrong' is no numerics level: use one of exact, reorder, approx, algebra");
  CHECK_THAT(errorOf("rule a exact now: neg(?x) => ?x"), Catch::Contains("'now' is no stratum"));
  CHECK_THAT(errorOf("rule a exact simplify: neg(?x) = ?x"), Catch::Contains("expected '=>'"));
  CHECK_THAT(errorOf("rule a exact simplify: neg(?x"), Catch::Contains("but the file ends"));
  CHECK_THAT(errorOf("rule a exact simplify: add(?x) => ?x"),
             Catch::Contains("'add' takes 2 operands"));
  CHECK_THAT(errorOf("rule a exact simplify: ?x => ?x"), Catch::Contains("must be an op"));
  CHECK_THAT(errorOf("rule a exact simplify: neg(?x:frog) => ?x"),
             Catch::Contains("'frog' is no constraint"));
  CHECK_THAT(errorOf("rule a exact simplify: reduce_sum(?x, axis=?a) => ?x"),
             Catch::Contains("has no attribute 'axis'"));
  CHECK_THAT(errorOf("rule a exact simplify: neg(?x) => reduce_sum(?x)"),
             Catch::Contains("lacks its attribute 'axes'"));
  CHECK_THAT(errorOf("rule a exact simplify: neg(?x) => ?x if foo(?x)"),
             Catch::Contains("there is no function 'foo'"));
  CHECK_THAT(errorOf("rule a exact simplify: neg(?x) => ?x if same(?x, 1)"),
             Catch::Contains("takes an attribute here, not a tensor"));
  CHECK_THAT(errorOf("rule a exact simplify: neg(?x) => neg(1)"),
             Catch::Contains("a number must stand beside a tensor"));
  CHECK_THAT(errorOf("rule a exact simplify: reduce_sum(?x, axes=?x) => ?x"),
             Catch::Contains("?x is a tensor elsewhere"));
  CHECK_THAT(errorOf("rule a exact simplify: cast(?x, dtype=?d) => cast(?x, dtype=?x)"),
             Catch::Contains("this takes an attribute, and ?x is a tensor"));
  CHECK_THAT(errorOf("rule a exact simplify: reduce_sum(?x, axes=?a) => cast(?x, dtype=?a)"),
             Catch::Contains("this takes a dtype, not a list of integers"));
  CHECK_THAT(errorOf("rule a exact simplify: cast(?x, dtype=?d) => ?x if all_equal(?d, 1)"),
             Catch::Contains("this takes a list of integers, not a dtype"));
  CHECK_THAT(errorOf("rule a exact simplify: cast(?x, dtype=[1]) => ?x"),
             Catch::Contains("this takes a dtype, not a list of integers"));
  CHECK_THAT(errorOf("rule a exact simplify: neg(?x) => ?x if dtype(?x)"),
             Catch::Contains("this takes an integer, not a dtype"));
  CHECK_THAT(errorOf("rule a exact simplify \"open: neg(?x) => ?x\n"),
             Catch::Contains("a closing quote"));
  CHECK_THAT(errorOf("rule a exact simplify: neg(?x) => ?x rule a exact simplify: neg(?x) => ?x"),
             Catch::Contains("exists already"));
  CHECK_THAT(errorOf("rule a exact simplify: neg(?x) => add(?x, 1e)"),
             Catch::Contains("'1e' is no number"));
  std::string deep = "rule a exact simplify: ";
  for (int i = 0; i < 100'000; ++i) {
    deep += "neg(";
  }
  CHECK_THAT(errorOf(deep), Catch::Contains("nest deeper than"));
  CHECK_THAT(loadRules("does/not/exist.rules").error().message(),
             Catch::Contains("does/not/exist.rules"));
}

TEST_CASE("the built-in rules have reasons", "[rules]") {
  std::vector<Rule> rules = builtin();
  CHECK(rules.size() >= 30);
  for (const Rule &rule : rules) {
    INFO(rule.name);
    CHECK_FALSE(rule.reason.empty());
  }
}

TEST_CASE("every built-in rule is sound on random tensors", "[rules]") {
  for (const Rule &rule : builtin()) {
    Expected<CheckResult> result = checkRule(rule, {});
    INFO(rule.name << ": " << (result ? "" : result.error().message()));
    REQUIRE(result);
    INFO(((*result).holds() ? "" : (*result).counterexample->toText()));
    CHECK((*result).holds());
    CHECK((*result).instances == 100);
  }
}

TEST_CASE("the soundness test finds rules that do not hold", "[rules]") {
  const char *wrong[] = {
      "rule w exact simplify: mul(?x:float, 0) => 0",
      "rule w exact simplify: add(?x:float, 0) => ?x",
      "rule w exact simplify: sub(?x:float, ?x) => 0",
      "rule w exact simplify: sub(?x, -0.0) => ?x",
      "rule w algebra simplify: sub(?x, ?y) => sub(?y, ?x)",
      "rule w exact simplify: add(add(?x:float, ?y), ?z) => add(?x, add(?y, ?z))",
      "rule w reorder simplify: abs(?x) => ?x",
      "rule w exact simplify: select(?c, ?x, ?y) => ?x",
      "rule w exact simplify: cast(cast(?x, dtype=?d), dtype=?e) => cast(?x, dtype=?e)",
      "rule w exact simplify: recip(recip(?x)) => ?x",
      "rule w exact simplify: concat(?a..., ?b..., axis=?k) => concat(?b..., ?a..., axis=?k)",
      "rule w exact simplify: reduce_max(?x, axes=?a) => reduce_min(?x, axes=?a)",
      "rule w approx simplify: div(?x:float, ?y) => mul(?x, ?y)",
  };
  for (const char *text : wrong) {
    INFO(text);
    std::vector<Rule> rules = compiled(text);
    Expected<CheckResult> result = checkRule(rules[0], {.maxAttempts = 5000});
    REQUIRE(result);
    CHECK_FALSE((*result).holds());
    if (!(*result).holds()) {
      CHECK_FALSE((*result).counterexample->difference.empty());
    }
  }
}

TEST_CASE("a counterexample is small, and the same for the same seed", "[rules]") {
  Rule rule =
      compiled("rule w algebra simplify: mul(add(?x:float, ?y), ?z) => add(?x, mul(?y, ?z))")[0];
  Expected<CheckResult> result = checkRule(rule, {});
  REQUIRE(result);
  REQUIRE_FALSE((*result).holds());
  const Counterexample &example = *(*result).counterexample;
  CHECK(example.left.size() < 40);
  CHECK(example.type == "f64[]");
  CHECK(example.arithmetic == "modulo 2147483647");
  Expected<CheckResult> again = checkRule(rule, {});
  REQUIRE(again);
  CHECK((*again).counterexample->toText() == example.toText());
}

TEST_CASE("the finite field finds what a tolerance hides", "[rules]") {
  // Off by one part in 2^20: within the rounding of f16 and bf16, and of f32 beside larger terms.
  Rule rule =
      compiled("rule w algebra simplify: mul(?x:float, 1) => mul(?x, 1.00000095367431640625)")[0];
  Expected<CheckResult> result = checkRule(rule, {});
  REQUIRE(result);
  REQUIRE_FALSE((*result).holds());
  CHECK((*result).counterexample->arithmetic == "modulo 2147483647");
}

TEST_CASE("a constraint counts at each place of its variable", "[rules]") {
  // The second operand is met before what is below the first.
  Rule rule = compiled("rule w exact simplify: add(neg(?x:int), ?x) => 0")[0];
  Expected<CheckResult> result = checkRule(rule, {});
  REQUIRE(result);
  INFO(((*result).holds() ? "" : (*result).counterexample->toText()));
  CHECK((*result).holds());
  CHECK((*result).floats == 0);
}

TEST_CASE("functions refuse attributes that do not fit their tensors", "[rules]") {
  const char *rules[] = {
      "rule w exact simplify: concat(?x..., axis=?k) => flat_concat(?x, 7)",
      "rule w exact simplify: concat(?x..., axis=?k) => join_slices(?x, -1)",
      "rule w exact simplify: reduce_max(?x, axes=?a) => reshape(?x, shape=[1]) if unit_axes(?x, "
      "[9])",
      "rule w exact simplify: view(concat(?x..., axis=?k), map=?m, shape=?s) => "
      "slice_of_concat(?x, 5, ?m, [2])",
      "rule w exact simplify: mul(contract(?x, ?w, lhs=?l, rhs=?r, out=?o, accumulate=?t, "
      "dtype=?d), ?s) "
      "=> scale_contract(?x, ?w, [7], [0, 1, 2, 3], [4, 4], ?t, ?d, ?s)",
  };
  for (const char *text : rules) {
    INFO(text);
    Expected<CheckResult> result = checkRule(compiled(text)[0], {.maxAttempts = 2000});
    REQUIRE(result);
    CHECK_FALSE((*result).isTested());
  }
}

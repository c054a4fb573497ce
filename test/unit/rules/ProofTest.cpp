// Proofs of rules about scalar integers by Z3. What is proved must also hold in the interpreter,
// so that the two say the same of every op.
#include "compiler/rules/check/Soundness.h"
#include "test/unit/fixtures/RuleTexts.h"
#include <algorithm>

using namespace zyxc;
using namespace zyxc::rules;

using Outcome = ProofResult::Outcome;

static bool hasSolver() {
  bool has = proveRule(compiled("rule a exact simplify: neg(neg(?x)) => ?x")[0]).outcome !=
             Outcome::NoSolver;
  if (!has) {
    WARN("skipped: zyxc was built without Z3 (package libz3-dev)");
  }
  return has;
}

TEST_CASE("laws of integers at their edges are proved, and hold in the interpreter", "[rules]") {
  if (!hasSolver()) {
    return;
  }
  const std::pair<const char *, const char *> laws[] = {
      {"add(mul(div(?x:int, ?y), ?y), rem(?x, ?y)) => ?x", "i8, u8"},
      {"div(?x:int, 0) => 0", "i8, u8"},
      {"rem(?x:int, 0) => ?x", "i8, u8"},
      {"mod(?x:int, 0) => ?x", "i8, u8"},
      {"div(?x:i8, -1) => neg(?x)", "i8"},
      {"rem(?x:i8, -1) => 0", "i8"},
      {"mod(?x:i8, -1) => 0", "i8"},
      {"mod(mod(?x:int, ?y), ?y) => mod(?x, ?y)", "i8, u8"},
      {"shl(?x:u8, 8) => 0", "u8"},
      {"shr(?x:u8, 8) => 0", "u8"},
      {"shr(?x:i8, 100) => shr(?x, 7)", "i8"},
      {"shr(?x:i8, -1) => shr(?x, 7)", "i8"},
      {"abs(neg(?x:i8)) => abs(?x)", "i8"},
      {"mul(sign(?x:i8), abs(?x)) => ?x", "i8"},
      {"max(?x:int, min(?x, ?y)) => ?x", "i8, u8"},
      {"xor(and(?x:int, ?y), or(?x, ?y)) => xor(?x, ?y)", "i8, u8"},
      {"not(lt(?x:i8, ?y)) => ge(?x, ?y)", "bool"},
      {"select(lt(?x:u8, ?y), ?y, ?x) => max(?x, ?y)", "u8"},
      {"sub(0, ?x:int) => neg(?x)", "i8, u8"},
  };
  for (const auto &[law, dtypes] : laws) {
    INFO(law);
    Rule rule = compiled(std::string("rule a exact simplify: ") + law)[0];
    Expected<CheckResult> result = checkRule(rule, {.instances = 50});
    REQUIRE(result);
    INFO(((*result).holds() ? "" : (*result).counterexample->toText()));
    CHECK((*result).holds());
    CHECK((*result).isTested());
    CHECK((*result).proof.outcome == Outcome::Proved);
    CHECK((*result).proof.dtypes == dtypes);
  }
}

TEST_CASE("what one pair of numbers in 65536 refutes is refuted", "[rules]") {
  if (!hasSolver()) {
    return;
  }
  // Holds for all but x = 77, y = -3.
  Rule rule = compiled("rule a exact simplify: and(and(eq(?x:i8, 77), eq(?y:i8, -3)), ?b:bool)"
                       " => and(and(ne(?x, ?x), eq(?y, -3)), ?b)")[0];
  ProofResult proof = proveRule(rule);
  CHECK(proof.outcome == Outcome::Refuted);
  CHECK_THAT(proof.counterexample, Catch::Contains("x = 77") && Catch::Contains("y = -3"));
}

TEST_CASE("rules that are not about scalar integers are not proved", "[rules]") {
  if (!hasSolver()) {
    return;
  }
  for (const char *law :
       {"add(?x:float, -0.0) => ?x", "floor(floor(?x)) => floor(?x)",
        "reduce_sum(?x:int, axes=?a) => reduce_sum(?x, axes=?a)", "cast(?x:int, dtype=?d) => ?x"}) {
    INFO(law);
    Rule rule = compiled(std::string("rule a exact simplify: ") + law)[0];
    CHECK(proveRule(rule).outcome == Outcome::NotScalar);
  }
  // A condition is not assumed, so that what holds under it alone stays open.
  Rule rule = compiled("rule a exact simplify: sub(?x:int, ?y) => sub(?y, ?x) if parameter(?x)")[0];
  CHECK(proveRule(rule).outcome == Outcome::Unknown);
}

TEST_CASE("every built-in rule about integers alone is proved", "[rules]") {
  if (!hasSolver()) {
    return;
  }
  auto proved = std::ranges::count_if(
      builtin(), [](const Rule &rule) { return proveRule(rule).outcome == Outcome::Proved; });
  CHECK(proved >= 28);
  for (const Rule &rule : builtin()) {
    INFO(rule.name);
    CHECK(proveRule(rule).outcome != Outcome::Refuted);
    CHECK(proveRule(rule).outcome != Outcome::Unknown);
  }
}

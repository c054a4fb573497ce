// Rules of several premises: their text, how they are joined, and how they are tested.
#include "compiler/graph/Choice.h"
#include "compiler/rules/ExplainRules.h"
#include "compiler/rules/Runner.h"
#include "compiler/rules/check/Soundness.h"
#include "test/unit/GraphTerms.h"
#include "test/unit/fixtures/RuleTexts.h"
#include <algorithm>
#include <chrono>

using namespace zyxc;
using namespace zyxc::graph;
using namespace zyxc::rules;

namespace {

std::string errorOf(std::string_view text) {
  Expected<std::vector<Rule>> rules = compileRules(text, "test.rules");
  return rules ? "" : rules.error().message();
}

RunReport run(TensorGraph &graph, std::span<const Rule> rules) {
  RunOptions options;
  options.numerics = Numerics::Algebra;
  options.verify = true;
  RunReport report = runRules(graph, rules, options);
  INFO(report.conflict.message());
  REQUIRE(report.conflict.isOk());
  return report;
}

size_t numMatches(const TensorGraph &graph, const Rule &rule) {
  size_t count = 0;
  matchRule(graph, rule, [&](const Match &) { return ++count > 0; });
  return count;
}

bool hasKind(const TensorGraph &graph, ClassId cls, OpKind kind) {
  return std::ranges::any_of(graph.nodes(cls),
                             [&](NodeId node) { return graph.kind(node) == kind; });
}

/// x + y and x - y, each from the other.
constexpr const char *sumAndDifference =
    "rule r algebra explore: add(?x, ?y) as ?p, sub(?x, ?y) as ?q\n"
    "  => ?p = add(?q, add(?y, ?y)), ?q = sub(?p, add(?y, ?y))";

} // namespace

TEST_CASE("rules of several premises are read", "[rules]") {
  Rule rule = compiled(sumAndDifference)[0];
  REQUIRE(rule.premises.size() == 2);
  REQUIRE(rule.conclusions.size() == 2);
  CHECK(rule.conclusions[0].premise == 0);
  CHECK(rule.conclusions[1].premise == 1);
  CHECK(rule.slotNames == std::vector<std::string>{"?x", "?y", "?p", "?q"});
  // One premise may have a name, and one that nothing is said of needs none.
  compiled("rule r exact simplify: neg(neg(?x)) as ?p => ?p = ?x");
  compiled("rule r exact explore: neg(?x) as ?p, neg(neg(?x)) => ?p = neg(?x)");
}

TEST_CASE("premises are joined where they share a class", "[rules]") {
  // The third one joins the second to the first.
  Rule rule = compiled("rule r exact explore: neg(?x) as ?p, abs(?y) as ?q, sub(?x, ?y) as ?d\n"
                       "  => ?p = add(?p, ?d)")[0];
  REQUIRE(rule.premises.size() == 3);
  auto nameOf = [&](size_t premise) {
    return rule.slotNames[*rule.premises[premise].name];
  };
  CHECK(nameOf(0) == "?p");
  CHECK(nameOf(1) == "?d");
  CHECK(nameOf(2) == "?q");
  CHECK(rule.slotNames[rule.premises[2].shared] == "?y");
  // The shortest way from a class in common: through one op, not through two.
  rule = compiled("rule r exact explore: add(?x, ?y) as ?p, mul(neg(?x), ?y) as ?q => ?p = ?p")[0];
  CHECK(rule.slotNames[rule.premises[1].shared] == "?y");
  CHECK(rule.premises[1].aboveIt.size() == 1);
}

TEST_CASE("errors in premises and conclusions name line and column", "[rules]") {
  CHECK(errorOf("rule a exact simplify: neg(?x) as ?p,\n  abs(?y) as ?q => ?p = ?q") ==
        "test.rules:2:3: rule a: this premise has no tensor variable in common with the others");
  CHECK(errorOf("rule a exact simplify: neg(?x) as ?p, abs(?x) as ?q => ?p = ?z") ==
        "test.rules:1:61: rule a: ?z does not occur in the pattern");
  CHECK(errorOf("rule a exact simplify: neg(?x) as ?p, abs(?x) as ?q => ?x") ==
        "test.rules:1:56: rule a: say which premise this is equal to: ?p = TERM");
  CHECK(errorOf("rule a exact simplify: neg(?x) => ?x, ?x") ==
        "test.rules:1:35: rule a: say which premise this is equal to: ?p = TERM");
  CHECK(errorOf("rule a exact simplify: neg(?x) as ?p, abs(?x) => ?x = ?p") ==
        "test.rules:1:50: rule a: ?x names no premise: PATTERN as ?x");
  CHECK(errorOf("rule a exact simplify: neg(?x) as ?p, abs(?x) as ?p => ?p = ?x") ==
        "test.rules:1:50: rule a: ?p stands for something else before");
  CHECK(errorOf("rule a exact simplify: neg(?x) as ?p, ?x as ?q => ?p = ?x") ==
        "test.rules:1:39: rule a: the pattern must be an op");
  CHECK_THAT(errorOf("rule a exact simplify: neg(?x) as p => ?x"),
             Catch::Contains("1:35: expected the name of a premise, such as ?p, before 'p'"));
  CHECK_THAT(errorOf("rule a exact simplify: neg(?x) as ?p, => ?x"),
             Catch::Contains("1:39: expected a term before '='"));
  CHECK_THAT(errorOf("rule a exact simplify: reduce_sum(?x, axes=?a) as ?p, "
                     "reduce_max(?y, axes=?a) as ?q => ?p = ?q"),
             Catch::Contains("1:55: rule a: this premise has no tensor variable in common"));
}

TEST_CASE("premises match where they share classes, in all orders of operands", "[rules]") {
  TensorGraph graph;
  ClassId x = leaf(graph, "x", {2});
  ClassId y = leaf(graph, "y", {2});
  ClassId z = leaf(graph, "z", {2});
  ClassId sum = addOp(graph, OpKind::Add, {y, x});
  ClassId difference = addOp(graph, OpKind::Sub, {x, y});
  addOp(graph, OpKind::Sub, {x, z});
  REQUIRE(graph.rebuild().isOk());
  Rule rule = compiled(sumAndDifference)[0];
  std::vector<std::vector<NodeId>> roots;
  matchRule(graph, rule, [&](const Match &match) {
    roots.push_back(match.roots);
    return true;
  });
  CHECK(roots == std::vector<std::vector<NodeId>>{{sum, difference}});
  RunReport report = run(graph, std::span(&rule, 1));
  CHECK(report.rules[0].unions >= 2); // one for each conclusion
}

TEST_CASE("a join goes through inner terms and classes of premises", "[rules]") {
  TensorGraph graph;
  ClassId x = leaf(graph, "x", {2});
  ClassId y = leaf(graph, "y", {2});
  ClassId inner = addOp(graph, OpKind::Neg, {addOp(graph, OpKind::Abs, {x})});
  ClassId outer = addOp(graph, OpKind::Mul, {y, inner});
  addOp(graph, OpKind::Mul, {y, y});
  ClassId start = addOp(graph, OpKind::Exp, {x});
  ClassId square = addOp(graph, OpKind::Exp, {y});
  REQUIRE(graph.rebuild().isOk());
  struct Case {
    const char *text;
    std::vector<NodeId> roots; ///< of the only match, in the order of the join
  };
  const Case cases[] = {
      {"exp(?x) as ?p, mul(neg(abs(?x)), ?y) as ?q => ?p = ?p", {start, outer}},
      {"neg(abs(?x)) as ?p, mul(?p, ?y) as ?q => ?q = ?q", {inner, outer}},
      // The class of the second premise is met in the third one first.
      {"exp(?y), neg(?z) as ?p, mul(?p, ?y) as ?q => ?q = ?q", {square, outer, inner}},
  };
  for (const Case &rule : cases) {
    INFO(rule.text);
    std::vector<std::vector<NodeId>> found;
    matchRule(graph, compiled(std::string("rule r exact explore: ") + rule.text)[0],
              [&](const Match &match) {
                found.push_back(match.roots);
                return true;
              });
    CHECK(found == std::vector<std::vector<NodeId>>{rule.roots});
  }
}

TEST_CASE("a condition can ask for each pair once", "[rules]") {
  TensorGraph graph;
  ClassId x = leaf(graph, "x", {2});
  constexpr int count = 6;
  for (int i = 0; i < count; ++i) {
    graph.outputs.push_back(
        {"y" + std::to_string(i),
         addOp(graph, OpKind::Pow, {x, leaf(graph, "w" + std::to_string(i), {2})})});
  }
  REQUIRE(graph.rebuild().isOk());
  std::vector<Rule> rules =
      compiled("rule all exact explore: pow(?x, ?v) as ?p, pow(?x, ?w) as ?q => ?p = sub(?p, ?q)\n"
               "rule once exact explore: pow(?x, ?v) as ?p, pow(?x, ?w) as ?q => ?p = sub(?p, ?q)\n"
               "  if before(?p, ?q)");
  CHECK(numMatches(graph, rules[0]) == count * count);
  size_t applied = 0;
  matchRule(graph, rules[1], [&](const Match &match) {
    applied += buildResults(graph, rules[1], match).has_value();
    return true;
  });
  CHECK(applied == count * (count - 1) / 2);
}

TEST_CASE("premises are not tried in all pairs", "[rules]") {
  TensorGraph graph;
  constexpr int count = 20'000;
  for (int i = 0; i < count; ++i) {
    ClassId x = leaf(graph, "x", {2});
    addOp(graph, OpKind::Exp, {x});
    addOp(graph, OpKind::Abs, {x});
  }
  REQUIRE(graph.rebuild().isOk());
  Rule rule = compiled("rule r exact explore: exp(?x) as ?p, abs(?x) as ?q => ?p = add(?p, ?q)")[0];
  auto start = std::chrono::steady_clock::now();
  CHECK(numMatches(graph, rule) == count);
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  CHECK(seconds.count() < 2); // 400 million pairs take far longer
}

TEST_CASE("rules of several premises are tested like others", "[rules]") {
  auto check = [](const char *text) {
    INFO(text);
    Expected<CheckResult> result = checkRule(compiled(text)[0], {});
    REQUIRE(result);
    INFO(((*result).holds() ? "" : (*result).counterexample->toText()));
    return *result;
  };
  CheckResult right = check(sumAndDifference);
  CHECK(right.holds());
  CHECK(right.instances == 100);
  CHECK(right.field == 100);
  CheckResult scalar = check("rule r exact explore: and(?x:int, ?y) as ?p, or(?x, ?y) as ?q\n"
                             "  => ?p = sub(add(?x, ?y), ?q), ?q = sub(add(?x, ?y), ?p)");
  CHECK(scalar.holds());
  CHECK((scalar.proof.outcome == ProofResult::Outcome::Proved ||
         scalar.proof.outcome == ProofResult::Outcome::NoSolver));
  // The mistake is in the second conclusion only.
  CheckResult wrong = check("rule r algebra explore: add(?x, ?y) as ?p, sub(?x, ?y) as ?q\n"
                            "  => ?p = add(?q, add(?y, ?y)), ?q = sub(add(?y, ?y), ?p)");
  CHECK_FALSE(wrong.holds());
  wrong = check("rule r algebra explore: add(?x, ?y) as ?p, sub(?x, ?z) as ?q => ?p = ?q");
  CHECK_FALSE(wrong.holds());
}

TEST_CASE("explanations name all classes of a rule with several premises", "[rules]") {
  TensorGraph graph;
  ClassId x = leaf(graph, "x", {2});
  ClassId y = leaf(graph, "y", {2});
  ClassId first = addOp(graph, OpKind::Exp, {addOp(graph, OpKind::Max, {x, y})});
  graph.outputs.push_back({"a", first});
  graph.outputs.push_back({"b", addOp(graph, OpKind::Min, {x, y})});
  REQUIRE(graph.rebuild().isOk());
  std::vector<Rule> rules =
      compiled("rule pair exact explore: exp(max(?x, ?y)) as ?p, min(?x, ?y) as ?q\n"
               "  => ?p = exp(?q) if before(?p, ?q)");
  run(graph, rules);
  CHECK(hasKind(graph, first, OpKind::Exp));
  Choice choice = smallestChoice(graph);
  for (NodeId node : graph.nodes(first)) {
    choice[graph.find(first)] = node; // the last, which the rule has made
  }
  std::string text = explainChoice(graph, rules, choice);
  CHECK_THAT(text, Catch::Contains("by pair, ?x = ") && Catch::Contains(", ?q = min("));
}

// The matcher, the runner, and what the built-in rules do to graphs.
#include "compiler/graph/Choice.h"
#include "compiler/graph/Evaluator.h"
#include "compiler/rules/Runner.h"
#include "test/unit/GraphTerms.h"
#include "test/unit/fixtures/RuleTexts.h"
#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>

using namespace zyxc;
using namespace zyxc::graph;
using namespace zyxc::rules;

namespace {

ClassId weights(TensorGraph &graph, Shape shape, double start) {
  Tensor tensor = Tensor::allocate({DType::F32, std::move(shape)});
  for (int64_t i = 0; i < tensor.numElements(); ++i) {
    tensor.setDouble(i, start + 0.25 * static_cast<double>(i % 7));
  }
  return constant(graph, std::move(tensor));
}

RunReport run(TensorGraph &graph, std::span<const Rule> rules,
              Numerics numerics = Numerics::Approx) {
  RunOptions options;
  options.numerics = numerics;
  options.verify = true;
  RunReport report = runRules(graph, rules, options);
  INFO(report.conflict.message());
  REQUIRE(report.conflict.isOk());
  return report;
}

bool hasKind(const TensorGraph &graph, ClassId cls, OpKind kind) {
  return std::ranges::any_of(graph.nodes(cls),
                             [&](NodeId node) { return graph.kind(node) == kind; });
}

/// Convolution [1,C,H,W] with a 3x3 filter, padding 1.
ClassId conv(TensorGraph &graph, ClassId x, ClassId w, int64_t groups = 1) {
  std::vector<int64_t> ones = {1, 1};
  return addOp(
      graph, OpKind::Conv, {x, w},
      {{"strides", ones}, {"low", ones}, {"high", ones}, {"dilations", ones}, {"groups", groups}});
}

ClassId batchNorm(TensorGraph &graph, ClassId x, int64_t channels) {
  return addOp(graph, OpKind::BatchNorm,
               {x, weights(graph, {channels}, 0.5), weights(graph, {channels}, -1),
                weights(graph, {channels}, 0.25), weights(graph, {channels}, 1)},
               {{"epsilon", 1e-5}});
}

} // namespace

TEST_CASE("commutative patterns match both orders", "[rules]") {
  for (bool swapped : {false, true}) {
    TensorGraph graph;
    ClassId x = leaf(graph, "x", {2});
    ClassId y = leaf(graph, "y", {2});
    ClassId negX = addOp(graph, OpKind::Neg, {swapped ? x : y});
    ClassId sum = addOp(graph, OpKind::Add, {swapped ? y : x, negX});
    RunReport report =
        run(graph, compiled("rule add-neg exact simplify: add(?x, neg(?y)) => sub(?x, ?y)"));
    CHECK(hasKind(graph, sum, OpKind::Sub));
    CHECK(report.rules[0].unions == 1);
  }
}

TEST_CASE("a number matches by value and sign of zero, in the dtype", "[rules]") {
  std::vector<Rule> rules = compiled("rule r exact simplify: add(?x, -0.0) => ?x\n"
                                     "rule s exact simplify: add(?x, 300) => ?x");
  for (double number : {0.0, -0.0}) {
    TensorGraph graph;
    ClassId x = leaf(graph, "x", {3});
    ClassId sum =
        addOp(graph, OpKind::Add, {x, graph.addSplat(Tensor::scalar(DType::F32, number), {3})});
    run(graph, rules);
    CHECK((graph.find(sum) == graph.find(x)) == std::signbit(number));
  }
  TensorGraph graph; // 300 is 44 modulo 2^8
  ClassId x = leaf(graph, "x", {3}, DType::U8);
  ClassId sum =
      addOp(graph, OpKind::Add, {x, graph.addSplat(Tensor::scalarInt(DType::U8, 44), {3})});
  run(graph, rules);
  CHECK(graph.find(sum) != graph.find(x));
}

TEST_CASE("the numerics level decides which rules run", "[rules]") {
  for (Numerics level : {Numerics::Exact, Numerics::Reorder, Numerics::Algebra}) {
    TensorGraph graph;
    ClassId x = leaf(graph, "x", {4});
    ClassId sum =
        addOp(graph, OpKind::Add,
              {addOp(graph, OpKind::Add, {x, weights(graph, {4}, 1)}), weights(graph, {4}, 2)});
    ClassId difference = addOp(graph, OpKind::Sub, {x, x});
    run(graph, builtin(), level);
    CHECK((graph.nodes(sum).size() > 1) == (level != Numerics::Exact));
    CHECK(graph.isConstant(difference) == (level == Numerics::Algebra));
  }
}

TEST_CASE("budgets end a run and are reported", "[rules]") {
  // A rule without end: its result holds a new match.
  std::vector<Rule> rules = compiled("rule grow exact explore: exp(?x) => neg(exp(neg(?x)))");
  struct Case {
    egraph::Budget budget;
    egraph::StopReason stop;
    const char *text;
  };
  const Case cases[] = {
      {{.maxNodes = 50, .maxMatches = 1000, .maxIterations = 1000},
       egraph::StopReason::NodeLimit,
       "node limit: "},
      {{.maxNodes = 1000, .maxMatches = 7, .maxIterations = 1000},
       egraph::StopReason::MatchLimit,
       "match limit: "},
      {{.maxNodes = 1000, .maxMatches = 1000, .maxIterations = 3},
       egraph::StopReason::IterationLimit,
       "iteration limit: 3 iterations"},
  };
  for (const Case &limits : cases) {
    TensorGraph graph;
    addOp(graph, OpKind::Exp, {leaf(graph, "x", {})});
    RunOptions options;
    options.budget = limits.budget;
    options.verify = true;
    RunReport report = runRules(graph, rules, options);
    CHECK(report.stop == limits.stop);
    CHECK_THAT(report.toText(), Catch::StartsWith(limits.text));
    CHECK(graph.engine().numNodes() < 60);
    CHECK(report.matches <= limits.budget.maxMatches);
  }
}

TEST_CASE("a conflict stops the run and names its rule", "[rules]") {
  TensorGraph graph;
  ClassId one = graph.addSplat(Tensor::scalar(DType::F32, 1), {});
  ClassId x = addOp(graph, OpKind::Exp, {leaf(graph, "x", {})});
  addOp(graph, OpKind::Abs, {addOp(graph, OpKind::Abs, {x})});
  graph.unite(x, one, egraph::Reason::client());
  ClassId y = leaf(graph, "y", {});
  addOp(graph, OpKind::Neg, {addOp(graph, OpKind::Add, {y, y})});
  RunReport report = runRules(graph,
                              compiled("rule two exact simplify: add(?x, ?x) => 2\n"
                                       "rule three exact simplify: add(?x, ?x) => 3\n"
                                       "rule twice exact simplify: abs(abs(?x)) => abs(?x)"),
                              {});
  CHECK(report.stop == egraph::StopReason::Conflict);
  // The chain from one constant to the other, and no rule that had no part in it.
  CHECK_THAT(report.conflict.message(), Catch::Contains("two different constants in one class: "));
  CHECK_THAT(report.conflict.message(), Catch::Contains(" = add(y, y) by two backwards = ") ||
                                            Catch::Contains(" = add(y, y) by three backwards = "));
  CHECK_THAT(report.conflict.message(), Catch::Contains(" by three"));
  CHECK_THAT(report.conflict.message(), !Catch::Contains("twice"));
}

TEST_CASE("a result of another type is not united", "[rules]") {
  TensorGraph graph;
  ClassId x = leaf(graph, "x", {2, 3});
  ClassId y = addOp(graph, OpKind::ReduceSum, {x}, {{"axes", std::vector<int64_t>{1}}});
  run(graph, compiled("rule bad exact simplify: reduce_sum(?x, axes=?a) => ?x\n"
                      "rule bad2 exact simplify: reduce_sum(?x, axes=?a) => "
                      "reduce_max(?x, axes=[7])"));
  CHECK(graph.nodes(y).size() == 1);
}

TEST_CASE("batch normalization folds into the weights of a convolution", "[rules]") {
  for (int64_t groups : {1, 2, 4}) {
    INFO("groups " << groups);
    TensorGraph graph;
    ClassId x = leaf(graph, "x", {1, 4, 5, 5});
    ClassId w = weights(graph, {4, 4 / groups, 3, 3}, -0.5);
    ClassId y = batchNorm(graph, conv(graph, x, w, groups), 4);
    graph.outputs.push_back({"y", y});
    REQUIRE(graph.rebuild().isOk());

    Tensor input = Tensor::allocate({DType::F32, {1, 4, 5, 5}});
    for (int64_t i = 0; i < input.numElements(); ++i) {
      input.setDouble(i, 0.1 * static_cast<double>(i % 11) - 0.5);
    }
    auto value = [&](const Choice &choice) {
      Evaluator evaluator(graph, choice);
      evaluator.setLeaf(graph.inputs[0].cls, input);
      Expected<Tensor> result = evaluator.evaluate(y);
      REQUIRE(result);
      return *result;
    };
    Tensor before = value(smallestChoice(graph));
    run(graph, builtin(), Numerics::Reorder);
    // y = contraction with scaled weights (perhaps under a view), plus the shift.
    bool isFolded = false;
    for (NodeId sum : graph.nodes(y)) {
      if (graph.kind(sum) != OpKind::Add) {
        continue;
      }
      for (ClassId operand : graph.operands(sum)) {
        std::vector<ClassId> below = {operand};
        for (NodeId node : graph.nodes(operand)) {
          if (graph.kind(node) == OpKind::View) {
            below.push_back(graph.operands(node)[0]);
          }
        }
        for (ClassId cls : below) {
          isFolded = isFolded || (!graph.isParameter(cls) && hasKind(graph, cls, OpKind::Contract));
        }
      }
    }
    CHECK(isFolded);
    Choice choice = smallestChoice(graph);
    Tensor after = value(choice);
    for (int64_t i = 0; i < before.numElements(); ++i) {
      REQUIRE(after.asDouble(i) == Approx(before.asDouble(i)).epsilon(1e-4).margin(1e-4));
    }
  }
}

TEST_CASE("a sum of products over broadcast operands is a contraction", "[rules]") {
  TensorGraph graph;
  ClassId a = leaf(graph, "a", {3, 4});
  ClassId b = leaf(graph, "b", {4, 5});
  auto spread = [&](ClassId x, Shape aligned) {
    return addOp(graph, OpKind::Expand,
                 {addOp(graph, OpKind::Reshape, {x}, {{"shape", std::move(aligned)}})},
                 {{"shape", Shape{3, 4, 5}}});
  };
  ClassId product = addOp(graph, OpKind::Mul, {spread(a, {3, 4, 1}), spread(b, {1, 4, 5})});
  ClassId sum = addOp(graph, OpKind::ReduceSum, {product}, {{"axes", std::vector<int64_t>{1}}});
  run(graph, builtin(), Numerics::Reorder);
  bool isPlain = false;
  for (NodeId node : graph.nodes(sum)) {
    std::vector<ClassId> operands = graph.operands(node);
    std::ranges::sort(operands);
    isPlain = isPlain || (graph.kind(node) == OpKind::Contract &&
                          operands == std::vector<ClassId>{graph.find(a), graph.find(b)});
  }
  CHECK(isPlain);
  // A sum of squares is no product of matrices.
  TensorGraph squares;
  ClassId x = leaf(squares, "x", {3, 4});
  ClassId norm = addOp(squares, OpKind::ReduceSum, {addOp(squares, OpKind::Mul, {x, x})},
                       {{"axes", std::vector<int64_t>{1}}});
  run(squares, builtin(), Numerics::Reorder);
  CHECK_FALSE(hasKind(squares, norm, OpKind::Contract));
}

TEST_CASE("slices of a concatenation, and back", "[rules]") {
  TensorGraph graph;
  ClassId x = leaf(graph, "x", {2, 3});
  ClassId y = leaf(graph, "y", {2, 4});
  ClassId joined = addOp(graph, OpKind::Concat, {x, y}, {{"axis", int64_t(1)}});
  auto slice = [&](int64_t start, int64_t size) {
    return addOp(graph, OpKind::Narrow, {joined},
                 {{"starts", std::vector<int64_t>{0, start}},
                  {"sizes", std::vector<int64_t>{2, size}},
                  {"steps", std::vector<int64_t>{1, 1}}});
  };
  ClassId first = slice(0, 3);
  ClassId second = slice(3, 4);
  ClassId across = slice(2, 2);
  ClassId again = addOp(graph, OpKind::Concat, {first, second}, {{"axis", int64_t(1)}});
  run(graph, builtin(), Numerics::Exact);
  CHECK(graph.find(first) == graph.find(x));
  CHECK(graph.find(second) == graph.find(y));
  CHECK(graph.find(again) == graph.find(joined));
  CHECK(graph.nodes(across).size() == 1);
}

TEST_CASE("a residual network saturates quickly and always in the same way", "[rules]") {
  std::vector<Rule> rules = builtin();
  auto build = [&](int blocks) {
    TensorGraph graph;
    ClassId x = leaf(graph, "x", {1, 16, 14, 14});
    ClassId zero = graph.addSplat(Tensor::scalar(DType::F32, 0), {1, 16, 14, 14});
    for (int i = 0; i < blocks; ++i) {
      ClassId w = weights(graph, {16, 16, 3, 3}, 0.01 * i);
      ClassId y = batchNorm(graph, conv(graph, x, w), 16);
      y = addOp(graph, OpKind::Max, {y, zero});
      x = addOp(graph, OpKind::Add, {x, y});
    }
    graph.outputs.push_back({"y", x});
    return graph;
  };
  auto start = std::chrono::steady_clock::now();
  TensorGraph graph = build(200);
  RunOptions options;
  RunReport report = runRules(graph, rules, options);
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  INFO(report.toText());
  CHECK(report.stop == egraph::StopReason::Saturated);
  CHECK(report.nodesAfter > 2000);
  CHECK(seconds.count() < 2); // a guard against quadratic work, not a benchmark
  TensorGraph again = build(200);
  CHECK(runRules(again, rules, options).toText() == report.toText());
  CHECK(again.toDot() == graph.toDot());
}

// The order of chains of contractions, and products with an operand in common.
#include "compiler/graph/Choice.h"
#include "compiler/graph/Evaluator.h"
#include "compiler/rules/Runner.h"
#include "test/unit/GraphTerms.h"
#include "test/unit/fixtures/RuleTexts.h"
#include <algorithm>
#include <limits>
#include <random>

using namespace zyxc;
using namespace zyxc::graph;
using namespace zyxc::rules;

namespace {

using Ints = std::vector<int64_t>;

RunReport run(TensorGraph &graph, Numerics numerics) {
  RunOptions options;
  options.numerics = numerics;
  options.verify = true;
  RunReport report = runRules(graph, builtin(), options);
  INFO(report.toText() << report.conflict.message());
  REQUIRE(report.conflict.isOk());
  CHECK(report.stop == egraph::StopReason::Saturated);
  return report;
}

/// x y with the labels of matrices.
ClassId product(TensorGraph &graph, ClassId x, ClassId y, DType dtype = DType::F32) {
  return addOp(graph, OpKind::Contract, {x, y},
               {{"lhs", Ints{0, 1}},
                {"rhs", Ints{1, 2}},
                {"out", Ints{0, 2}},
                {"accumulate", dtype},
                {"dtype", dtype}});
}

ClassId parameter(TensorGraph &graph, Shape shape, double start) {
  Tensor tensor = Tensor::allocate({DType::F32, std::move(shape)});
  for (int64_t i = 0; i < tensor.numElements(); ++i) {
    tensor.setDouble(i, start + 0.125 * static_cast<double>(i % 5));
  }
  return constant(graph, std::move(tensor));
}

/// Multiply-adds of the cheapest way to compute a class by the contractions in the graph, where no
/// class is used twice.
double cheapest(const TensorGraph &graph, ClassId cls) {
  double best = std::numeric_limits<double>::infinity();
  for (NodeId node : graph.nodes(cls)) {
    if (graph.kind(node) == OpKind::Leaf) {
      return 0;
    }
    if (graph.kind(node) == OpKind::Contract) {
      std::vector<ClassId> operands = graph.operands(node);
      const Shape &a = graph.type(operands[0]).shape;
      const Shape &b = graph.type(operands[1]).shape;
      double work = static_cast<double>(a[0] * a[1] * b[1]);
      best = std::min(best, cheapest(graph, operands[0]) + cheapest(graph, operands[1]) + work);
    }
  }
  return best;
}

/// The textbook's recurrence over sizes[i] x sizes[i + 1].
double dynamicProgramming(const std::vector<int64_t> &sizes) {
  size_t count = sizes.size() - 1;
  std::vector<std::vector<double>> best(count, std::vector<double>(count, 0));
  for (size_t length = 2; length <= count; ++length) {
    for (size_t i = 0; i + length <= count; ++i) {
      size_t j = i + length - 1;
      best[i][j] = std::numeric_limits<double>::infinity();
      for (size_t k = i; k < j; ++k) {
        auto own = static_cast<double>(sizes[i] * sizes[k + 1] * sizes[j + 1]);
        best[i][j] = std::min(best[i][j], best[i][k] + best[k + 1][j] + own);
      }
    }
  }
  return best[0][count - 1];
}

size_t numKinds(const TensorGraph &graph, OpKind kind) {
  std::span<const NodeId> nodes = graph.engine().nodesWithOp(static_cast<uint32_t>(kind));
  return std::ranges::count_if(nodes, [&](NodeId node) { return graph.engine().isLive(node); });
}

/// True if a class is a view, of views perhaps, of a tensor of this shape.
bool isViewOf(const TensorGraph &graph, ClassId cls, const Shape &shape) {
  return std::ranges::any_of(graph.nodes(cls), [&](NodeId node) {
    bool isView = graph.kind(node) == OpKind::View;
    ClassId source = isView ? graph.operands(node)[0] : cls;
    return isView && (graph.type(source).shape == shape || isViewOf(graph, source, shape));
  });
}

/// Contractions with x as left operand.
size_t numProductsOf(const TensorGraph &graph, ClassId x) {
  size_t count = 0;
  for (NodeId node : graph.engine().nodesWithOp(static_cast<uint32_t>(OpKind::Contract))) {
    count += graph.engine().isLive(node) && graph.operands(node)[0] == graph.find(x);
  }
  return count;
}

} // namespace

TEST_CASE("chains of matrices find the order of dynamic programming", "[rules]") {
  std::mt19937 random(3);
  for (int round = 0; round < 60; ++round) {
    size_t count = 3 + static_cast<size_t>(round % 8);
    std::vector<int64_t> sizes;
    for (size_t i = 0; i <= count; ++i) {
      sizes.push_back(1 + static_cast<int64_t>(random() % 30));
    }
    // Written from the left, from the right, or at random.
    TensorGraph graph;
    std::vector<ClassId> parts;
    parts.reserve(count);
    for (size_t i = 0; i < count; ++i) {
      parts.push_back(leaf(graph, "a" + std::to_string(i), {sizes[i], sizes[i + 1]}));
    }
    while (parts.size() > 1) {
      size_t at = round % 3 == 0   ? 0
                  : round % 3 == 1 ? parts.size() - 2
                                   : random() % (parts.size() - 1);
      parts[at] = product(graph, parts[at], parts[at + 1]);
      parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    }
    graph.outputs.push_back({"y", parts[0]});
    REQUIRE(graph.rebuild().isOk());
    uint32_t before = graph.engine().numNodes();
    run(graph, Numerics::Algebra);
    INFO("round " << round << ", " << count << " factors");
    CHECK(cheapest(graph, parts[0]) == dynamicProgramming(sizes));
    CHECK(graph.engine().numNodes() <= before + count * count); // one order for each product
  }
}

TEST_CASE("the order of a chain is kept below algebra, and changed for integers", "[rules]") {
  for (DType dtype : {DType::F32, DType::I32}) {
    TensorGraph graph;
    ClassId a = leaf(graph, "a", {40, 2}, dtype);
    ClassId b = leaf(graph, "b", {2, 40}, dtype);
    ClassId c = leaf(graph, "c", {40, 1}, dtype);
    ClassId y = product(graph, product(graph, a, b, dtype), c, dtype);
    graph.outputs.push_back({"y", y});
    REQUIRE(graph.rebuild().isOk());
    run(graph, Numerics::Approx);
    CHECK((graph.nodes(y).size() > 1) == (dtype == DType::I32));
  }
}

TEST_CASE("a chain goes through transposed products, and products of constants cost nothing",
          "[rules]") {
  TensorGraph graph;
  ClassId a = leaf(graph, "a", {40, 2});
  ClassId b = leaf(graph, "b", {2, 40});
  ClassId c = leaf(graph, "c", {50, 40});
  ClassId d = leaf(graph, "d", {40, 1});
  ClassId transposed =
      addOp(graph, OpKind::Permute, {product(graph, a, b)}, {{"perm", Ints{1, 0}}});
  ClassId y = product(graph, product(graph, c, transposed), d); // c (a b)^T d = c (b^T (a^T d))
  graph.outputs.push_back({"y", y});
  ClassId x = leaf(graph, "x", {30, 30});
  ClassId v = parameter(graph, {30, 30}, 1);
  ClassId w = parameter(graph, {30, 30}, 2);
  ClassId z = product(graph, product(graph, x, v), w); // x (v w): v w is computed at load
  graph.outputs.push_back({"z", z});
  REQUIRE(graph.rebuild().isOk());
  run(graph, Numerics::Algebra);
  bool beginsWithTheVector = false; // a^T d or d a^T
  for (NodeId node : graph.engine().nodesWithOp(static_cast<uint32_t>(OpKind::Contract))) {
    std::vector<ClassId> operands = graph.operands(node);
    beginsWithTheVector |= std::ranges::count(operands, graph.find(a)) > 0 &&
                           std::ranges::count(operands, graph.find(d)) > 0;
  }
  CHECK(beginsWithTheVector);
  bool usesProductOfConstants = std::ranges::any_of(graph.nodes(z), [&](NodeId node) {
    return graph.operands(node)[0] == graph.find(x) && graph.isParameter(graph.operands(node)[1]);
  });
  CHECK(usesProductOfConstants);
}

TEST_CASE("products that share an operand become one", "[rules]") {
  for (int count : {2, 3, 4, 8}) {
    TensorGraph graph;
    graph.setOrigin("model");
    ClassId x = leaf(graph, "x", {8, 16});
    std::vector<ClassId> products;
    int64_t columns = 0;
    for (int i = 0; i < count; ++i) {
      products.push_back(product(graph, x, parameter(graph, {16, 9 + i}, i)));
      columns += 9 + i;
      graph.outputs.push_back({"y" + std::to_string(i), products.back()});
    }
    REQUIRE(graph.rebuild().isOk());
    RunReport report = run(graph, Numerics::Exact);
    INFO(report.toText());
    // No subsets: one product more, and each is a slice of it.
    CHECK(numProductsOf(graph, x) == static_cast<size_t>(count + 1));
    for (ClassId cls : products) {
      CHECK(isViewOf(graph, cls, {8, columns}));
    }
    // The values stay.
    Tensor input = Tensor::allocate({DType::F32, {8, 16}});
    for (int64_t i = 0; i < input.numElements(); ++i) {
      input.setDouble(i, 0.25 * static_cast<double>(i % 13) - 1);
    }
    Choice choice = smallestChoice(graph);
    Evaluator evaluator(graph, choice);
    evaluator.setLeaf(graph.inputs[0].cls, input);
    for (ClassId cls : products) {
      std::optional<Tensor> first;
      for (NodeId node : graph.nodes(cls)) {
        Expected<Tensor> value = evaluator.evaluateNode(node);
        REQUIRE(value);
        first = first ? first : *value;
        CHECK(first->identical(*value));
      }
    }
  }
}

TEST_CASE("many products are joined in groups of 8, in few iterations", "[rules]") {
  TensorGraph graph;
  graph.setOrigin("model");
  ClassId x = leaf(graph, "x", {8, 16});
  constexpr int count = 60;
  for (int i = 0; i < count; ++i) {
    graph.outputs.push_back(
        {"y" + std::to_string(i), product(graph, x, parameter(graph, {16, 3}, i))});
  }
  REQUIRE(graph.rebuild().isOk());
  RunReport report = run(graph, Numerics::Exact);
  CHECK(numProductsOf(graph, x) == count + 8);
  CHECK(report.iterations < 8);
}

TEST_CASE("only parameters of like products are joined", "[rules]") {
  TensorGraph graph;
  graph.setOrigin("model");
  ClassId x = leaf(graph, "x", {8, 16});
  graph.outputs.push_back({"p", product(graph, x, parameter(graph, {16, 4}, 0))});
  graph.outputs.push_back({"q", product(graph, x, leaf(graph, "w", {16, 4}))});
  // The weights of the other side: another form of product.
  graph.outputs.push_back({"r", addOp(graph, OpKind::Contract, {x, parameter(graph, {4, 16}, 1)},
                                      {{"lhs", Ints{0, 1}},
                                       {"rhs", Ints{2, 1}},
                                       {"out", Ints{0, 2}},
                                       {"accumulate", DType::F32},
                                       {"dtype", DType::F32}})});
  // Products that are larger than what they share.
  ClassId y = leaf(graph, "y", {8, 2});
  graph.outputs.push_back({"s", product(graph, y, parameter(graph, {2, 3}, 0))});
  graph.outputs.push_back({"t", product(graph, y, parameter(graph, {2, 3}, 1))});
  REQUIRE(graph.rebuild().isOk());
  run(graph, Numerics::Exact);
  CHECK(numKinds(graph, OpKind::Concat) == 0);
}

TEST_CASE("products that nothing needs any more are not joined", "[rules]") {
  TensorGraph graph;
  graph.setOrigin("model");
  ClassId x = leaf(graph, "x", {8, 16});
  for (int i = 0; i < 3; ++i) {
    ClassId scaled = addOp(graph, OpKind::Mul,
                           {product(graph, x, parameter(graph, {16, 4}, i)),
                            graph.addSplat(Tensor::scalar(DType::F32, 0.5 + i), {8, 4})});
    graph.outputs.push_back({"y" + std::to_string(i), scaled});
  }
  REQUIRE(graph.rebuild().isOk());
  run(graph, Numerics::Reorder);
  CHECK(numProductsOf(graph, x) == 6); // as written, and scaled: no program needs them joined
  CHECK(numKinds(graph, OpKind::Concat) == 0);
}

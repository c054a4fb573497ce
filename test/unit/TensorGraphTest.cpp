// The tensor e-graph: identity of leaves, value of constants, folding, views, decompositions.
#include "compiler/graph/Choice.h"
#include "compiler/graph/Evaluator.h"
#include "test/unit/GraphTerms.h"
#include <array>
#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>

using namespace zyxc;
using namespace zyxc::graph;

namespace {

Tensor range(Shape shape, double start = 0) {
  Tensor tensor = Tensor::allocate({DType::F32, std::move(shape)});
  for (int64_t i = 0; i < tensor.numElements(); ++i) {
    tensor.setDouble(i, start + static_cast<double>(i));
  }
  return tensor;
}

void requireSound(TensorGraph &graph) {
  Status status = graph.rebuild();
  INFO(status.message());
  REQUIRE(status.isOk());
  status = graph.engine().verify();
  INFO(status.message());
  REQUIRE(status.isOk());
}

size_t countNodes(const TensorGraph &graph, OpKind kind) {
  return graph.engine().nodesWithOp(static_cast<uint32_t>(kind)).size();
}

Tensor evaluate(const TensorGraph &graph, ClassId cls, std::span<const Tensor> inputs) {
  Choice choice = smallestChoice(graph);
  Evaluator evaluator(graph, choice);
  for (size_t i = 0; i < inputs.size(); ++i) {
    evaluator.setLeaf(graph.inputs[i].cls, inputs[i]);
  }
  Expected<Tensor> value = evaluator.evaluate(cls);
  INFO((value ? "" : value.error().message()));
  REQUIRE(value);
  return *value;
}

} // namespace

// KZ-T-H2, KZ-B1
TEST_CASE("leaves of one dtype and shape stay two buffers", "[graph]") {
  TensorGraph graph;
  ClassId a = leaf(graph, "x", {2, 3});
  ClassId b = leaf(graph, "x", {2, 3});
  CHECK(a != b);
  CHECK(addOp(graph, OpKind::Exp, {a}) != addOp(graph, OpKind::Exp, {b}));
  requireSound(graph);
  CHECK(graph.find(a) != graph.find(b));
  graph.unite(a, b, egraph::Reason::rule(0));
  Status status = graph.rebuild();
  REQUIRE_FALSE(status.isOk());
  CHECK_THAT(status.message(), Catch::Contains("two inputs in one class"));
  CHECK_THAT(status.message(), Catch::Contains("rule 0"));
}

// KZ-T-H3
TEST_CASE("equal constants are one class, by bits", "[graph]") {
  TensorGraph graph;
  CHECK(constant(graph, range({3})) == constant(graph, range({3})));
  CHECK(constant(graph, range({3})) != constant(graph, range({3, 1})));
  CHECK(constant(graph, Tensor::scalar(DType::F32, 0.0)) !=
        constant(graph, Tensor::scalar(DType::F32, -0.0)));
  CHECK(constant(graph, Tensor::scalar(DType::F32, NAN)) ==
        constant(graph, Tensor::scalar(DType::F32, NAN)));
  CHECK(constant(graph, Tensor::scalar(DType::I32, 1)) !=
        constant(graph, Tensor::scalar(DType::I64, 1)));
  CHECK(constant(graph, Tensor::scalar(DType::F32, 1)) !=
        constant(graph, Tensor::scalar(DType::I32, 1)));
  requireSound(graph);
}

// KZ-B2
TEST_CASE("one constant serves two users", "[graph]") {
  // A constant has no home: both users see its value, whoever is built first.
  TensorGraph graph;
  ClassId x = leaf(graph, "x", {});
  ClassId y = leaf(graph, "y", {});
  ClassId two = constant(graph, Tensor::scalar(DType::F32, 2));
  ClassId a = addOp(graph, OpKind::Mul, {x, two});
  ClassId b = addOp(graph, OpKind::Mul, {y, constant(graph, Tensor::scalar(DType::F32, 2))});
  requireSound(graph);
  std::array inputs = {Tensor::scalar(DType::F32, 3), Tensor::scalar(DType::F32, 5)};
  CHECK(evaluate(graph, a, inputs).asDouble(0) == 6);
  CHECK(evaluate(graph, b, inputs).asDouble(0) == 10);
  CHECK(countNodes(graph, OpKind::Constant) == 1);
}

TEST_CASE("ops over constants are folded, also when a fact comes late", "[graph]") {
  TensorGraph graph;
  ClassId a = constant(graph, range({2, 2}));
  ClassId sum = addOp(graph, OpKind::ReduceSum, {addOp(graph, OpKind::Mul, {a, a})},
                      {{"axes", std::vector<int64_t>{1}}});
  REQUIRE(graph.constant(sum));
  CHECK(graph.constant(sum)->asDouble(1) == 13);
  // v op f(v): a walk in a wrong order fails here.
  ClassId four = constant(graph, Tensor::scalar(DType::I32, 4));
  ClassId two = constant(graph, Tensor::scalar(DType::I32, 2));
  ClassId late = addOp(graph, OpKind::Sub, {four, addOp(graph, OpKind::Div, {four, two})});
  REQUIRE(graph.constant(late));
  CHECK(graph.constant(late)->asInt(0) == 2);
  requireSound(graph);
  CHECK(graph.find(late) == graph.find(two));
  // KZ-T-S5: a cast on the way, and the shared number on the other side.
  auto number = [&](ClassId cls) {
    return graph.constant(cls)->asInt(0);
  };
  ClassId wide = addOp(graph, OpKind::Cast, {four}, {{"dtype", DType::I64}});
  ClassId back = addOp(graph, OpKind::Cast, {wide}, {{"dtype", DType::I32}});
  CHECK(number(addOp(graph, OpKind::Add, {four, back})) == 8);
  CHECK(number(addOp(graph, OpKind::Sub, {addOp(graph, OpKind::Div, {four, two}), four})) == -2);
  // KZ-T-S6: e = e * e, 40 times: work in the number of terms, not in that of paths.
  ClassId e = constant(graph, Tensor::scalar(DType::I64, 3));
  uint32_t nodes = graph.engine().numNodes();
  uint64_t expected = 3;
  for (int level = 0; level < 40; ++level) {
    e = addOp(graph, OpKind::Mul, {e, e});
    expected *= expected;
  }
  CHECK(static_cast<uint64_t>(number(e)) == expected);
  CHECK(graph.engine().numNodes() <= nodes + 80);

  ClassId x = leaf(graph, "x", {});
  ClassId y = addOp(graph, OpKind::Abs, {x});
  ClassId z = addOp(graph, OpKind::Add, {y, constant(graph, Tensor::scalar(DType::F32, 1))});
  requireSound(graph);
  CHECK_FALSE(graph.isConstant(z));
  graph.unite(y, constant(graph, Tensor::scalar(DType::F32, 6)), egraph::Reason::client());
  requireSound(graph);
  REQUIRE(graph.constant(z));
  CHECK(graph.constant(z)->asDouble(0) == 7);
}

TEST_CASE("large results are not written out, splats stay known", "[graph]") {
  TensorGraph graph;
  ClassId big = graph.addSplat(Tensor::scalar(DType::F32, 3), {512, 512});
  ClassId sum = addOp(graph, OpKind::Add, {big, big});
  CHECK_FALSE(graph.constant(sum));
  REQUIRE(graph.splat(sum));
  CHECK(graph.splat(sum)->asDouble(0) == 6);
  requireSound(graph);
  CHECK(graph.find(sum) == graph.find(graph.addSplat(Tensor::scalar(DType::F32, 6), {512, 512})));
  ClassId small = graph.addSplat(Tensor::scalar(DType::F32, 3), {2});
  REQUIRE(graph.constant(small));
  CHECK(graph.constant(small)->asDouble(1) == 3);
}

TEST_CASE("different constants in one class are a conflict", "[graph]") {
  TensorGraph graph;
  ClassId x = leaf(graph, "x", {});
  ClassId y = addOp(graph, OpKind::Exp, {x});
  graph.unite(y, constant(graph, Tensor::scalar(DType::F32, 1)), egraph::Reason::rule(6));
  requireSound(graph);
  graph.unite(y, constant(graph, Tensor::scalar(DType::F32, 2)), egraph::Reason::rule(9));
  Status status = graph.rebuild();
  REQUIRE_FALSE(status.isOk());
  CHECK_THAT(status.message(), Catch::Contains("two different constants"));
  CHECK_THAT(status.message(), Catch::Contains("rule 6, rule 9"));
}

TEST_CASE("constants may differ by rounding when rules may round", "[graph]") {
  for (bool exact : {true, false}) {
    TensorGraph graph;
    graph.setExactConstants(exact);
    ClassId y = addOp(graph, OpKind::Exp, {leaf(graph, "x", {})});
    graph.unite(y, constant(graph, Tensor::scalar(DType::F32, 1)), egraph::Reason::rule(1));
    float next = std::nextafter(1.0f, 2.0f);
    graph.unite(y, constant(graph, Tensor::scalar(DType::F32, next)), egraph::Reason::rule(1));
    CHECK(graph.rebuild().isOk() == !exact);
  }
}

TEST_CASE("parameters are what follows from constants alone", "[graph]") {
  TensorGraph graph;
  ClassId x = leaf(graph, "x", {300, 300});
  ClassId w = constant(graph, range({300, 300}));
  ClassId scaled = addOp(graph, OpKind::Mul, {w, addOp(graph, OpKind::Exp, {w})});
  CHECK(graph.isParameter(scaled));
  CHECK_FALSE(graph.isConstant(scaled)); // too large to fold
  CHECK_FALSE(graph.isParameter(addOp(graph, OpKind::Mul, {x, w})));
}

TEST_CASE("chains of movement are one view", "[graph]") {
  TensorGraph graph;
  ClassId x = leaf(graph, "x", {2, 3, 4});
  ClassId a = addOp(graph, OpKind::Permute, {x}, {{"perm", std::vector<int64_t>{2, 0, 1}}});
  ClassId b = addOp(graph, OpKind::Reshape, {a}, {{"shape", Shape{4, 6}}});
  ClassId c = addOp(graph, OpKind::Flip, {b}, {{"axes", std::vector<int64_t>{0}}});
  REQUIRE(graph.nodes(c).size() == 1);
  NodeId node = graph.nodes(c)[0];
  CHECK(graph.kind(node) == OpKind::View);
  CHECK(graph.operands(node) == std::vector<ClassId>{x});
  Tensor input = range({2, 3, 4});
  Tensor value = evaluate(graph, c, std::array{input});
  for (int64_t i = 0; i < 4; ++i) {
    for (int64_t j = 0; j < 6; ++j) {
      CHECK(value.asDouble(i * 6 + j) == static_cast<double>(j * 4 + (3 - i)));
    }
  }
}

// KZ-T-H5
TEST_CASE("movement that changes nothing is its operand", "[graph]") {
  TensorGraph graph;
  ClassId x = leaf(graph, "x", {2, 1, 3});
  std::vector<int64_t> swap = {2, 1, 0};
  ClassId there = addOp(graph, OpKind::Permute, {x}, {{"perm", swap}});
  CHECK(there != x);
  CHECK(addOp(graph, OpKind::Permute, {there}, {{"perm", swap}}) == x);
  ClassId flat = addOp(graph, OpKind::Reshape, {x}, {{"shape", Shape{6}}});
  CHECK(addOp(graph, OpKind::Reshape, {flat}, {{"shape", Shape{2, 1, 3}}}) == x);
  // A permutation of an axis of extent 1 is a reshape: one class.
  CHECK(addOp(graph, OpKind::Permute, {x}, {{"perm", std::vector<int64_t>{1, 0, 2}}}) ==
        addOp(graph, OpKind::Reshape, {x}, {{"shape", Shape{1, 2, 3}}}));
  ClassId value = constant(graph, Tensor::scalar(DType::F32, 0));
  std::vector<int64_t> none(3, 0);
  CHECK(addOp(graph, OpKind::Pad, {x, value}, {{"low", none}, {"high", none}}) == x);
}

TEST_CASE("a reshape that does not normalize keeps two links", "[graph]") {
  TensorGraph graph;
  ClassId x = leaf(graph, "x", {6, 35});
  ClassId turned = addOp(graph, OpKind::Permute,
                         {addOp(graph, OpKind::Reshape, {x}, {{"shape", Shape{14, 15}}})},
                         {{"perm", std::vector<int64_t>{1, 0}}});
  ClassId y = addOp(graph, OpKind::Reshape, {turned}, {{"shape", Shape{21, 10}}});
  requireSound(graph);
  Tensor input = range({6, 35});
  Tensor value = evaluate(graph, y, std::array{input});
  for (int64_t i = 0; i < 210; ++i) {
    int64_t row = i / 14;
    REQUIRE(value.asDouble(i) == static_cast<double>((i % 14) * 15 + row));
  }
}

TEST_CASE("results without elements are constants", "[graph]") {
  TensorGraph graph;
  ClassId x = leaf(graph, "x", {0, 3});
  ClassId y = addOp(graph, OpKind::Exp, {x});
  ClassId z = addOp(graph, OpKind::Reshape, {x}, {{"shape", Shape{3, 0, 5}}});
  requireSound(graph);
  CHECK(graph.constant(y));
  CHECK(graph.constant(z));
  ClassId sum = addOp(graph, OpKind::ReduceSum, {x}, {{"axes", std::vector<int64_t>{0}}});
  requireSound(graph);
  CHECK(graph.type(sum) == TensorType{DType::F32, {3}});
}

TEST_CASE("a composite shares its class with its decomposition", "[graph]") {
  TensorGraph graph;
  ClassId x = leaf(graph, "x", {2, 3});
  graph.setOrigin("node7");
  ClassId y = addOp(graph, OpKind::Softmax, {x}, {{"axes", std::vector<int64_t>{1}}});
  requireSound(graph);
  std::vector<NodeId> nodes = graph.nodes(y);
  REQUIRE(nodes.size() == 2);
  CHECK(graph.kind(nodes[0]) == OpKind::Softmax);
  CHECK(graph.kind(nodes[1]) == OpKind::Div);
  CHECK(graph.origin(nodes[1]) == "node7");
  uint32_t count = graph.engine().numNodes();
  CHECK(addOp(graph, OpKind::Softmax, {x}, {{"axes", std::vector<int64_t>{1}}}) == graph.find(y));
  CHECK(graph.engine().numNodes() == count);

  graph.outputs.push_back({"y", y});
  std::vector<ClassId> order = graph.reachableClasses();
  CHECK(order.front() == graph.find(x));
  CHECK(order.back() == graph.find(y));
}

TEST_CASE("a graph 100 000 ops deep", "[graph]") {
  TensorGraph graph;
  ClassId top = leaf(graph, "x", {});
  for (int i = 0; i < 100'000; ++i) {
    top = addOp(graph, i % 2 ? OpKind::Exp : OpKind::Tanh, {top});
  }
  graph.outputs.push_back({"y", top});
  requireSound(graph);
  CHECK(graph.reachableClasses().size() == 100'001);
  Choice choice = smallestChoice(graph);
  Expected<std::vector<ClassId>> order = chosenOrder(graph, choice);
  REQUIRE(order);
  CHECK((*order).size() == 100'001);
  CHECK(evaluate(graph, top, std::array{Tensor::scalar(DType::F32, 0.5)}).type() ==
        TensorType{DType::F32, {}});
}

TEST_CASE("the smallest choice stays free of cycles", "[graph]") {
  TensorGraph graph;
  ClassId x = leaf(graph, "x", {4});
  ClassId y = addOp(graph, OpKind::Abs, {x});
  // y = abs(y), stated: a class that stands below itself.
  graph.unite(y, addOp(graph, OpKind::Abs, {y}), egraph::Reason::client());
  graph.outputs.push_back({"y", y});
  requireSound(graph);
  Choice choice = smallestChoice(graph);
  REQUIRE(chosenOrder(graph, choice));
  CHECK((*chosenOrder(graph, choice)).size() == 2);
}

TEST_CASE("the DOT text names ops, attributes and types", "[graph]") {
  TensorGraph graph;
  ClassId x = leaf(graph, "x", {2, 3});
  addOp(graph, OpKind::ReduceSum, {x}, {{"axes", std::vector<int64_t>{1}}});
  requireSound(graph);
  std::string text = graph.toDot();
  CHECK_THAT(text, Catch::Contains("reduce_sum"));
  CHECK_THAT(text, Catch::Contains("axes = [1]"));
  CHECK_THAT(text, Catch::Contains("f32[2,3]"));
}

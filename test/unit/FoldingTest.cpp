// What the e-graph folds, and what it leaves alone.
#include "compiler/graph/TensorGraph.h"
#include <catch2/catch.hpp>

using namespace zyxc;
using namespace zyxc::graph;

static ClassId constant(TensorGraph &graph, Shape shape) {
  Tensor value = Tensor::allocate({DType::F32, std::move(shape)});
  for (int64_t i = 0; i < value.numElements(); ++i) {
    value.setDouble(i, static_cast<double>(i));
  }
  return graph.add(OpKind::Constant, {}, {{"value", value}});
}

TEST_CASE("a repeated constant stays a view of the short one", "[graph]") {
  TensorGraph graph;
  ClassId bias = constant(graph, {16});
  ClassId column =
      graph.add(OpKind::Reshape, std::array{bias}, {{"shape", std::vector<int64_t>{16, 1}}});
  ClassId image =
      graph.add(OpKind::Expand, std::array{column}, {{"shape", std::vector<int64_t>{16, 100}}});
  REQUIRE(graph.rebuild().isOk());
  REQUIRE(graph.constant(column) != nullptr);
  REQUIRE(graph.constant(image) == nullptr);
}

TEST_CASE("arithmetic on short constants is folded before it is repeated", "[graph]") {
  TensorGraph graph;
  ClassId a = constant(graph, {16});
  ClassId sum = graph.add(OpKind::Add, std::array{a, a});
  REQUIRE(graph.rebuild().isOk());
  REQUIRE(graph.constant(sum) != nullptr);
  REQUIRE(graph.constant(sum)->asDouble(15) == 30);
}

// What the oracle of random programs allows, and what it must not allow.
#include "test/fuzz/graphs/oracle/Oracle.h"
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

using namespace zyxc;
using fuzz::Expectation;

static constexpr int runs = 8;

static Tensor floats(Shape shape, const std::vector<double> &values) {
  Tensor result = Tensor::allocate({DType::F32, std::move(shape)});
  for (size_t i = 0; i < values.size(); ++i) {
    result.setDouble(static_cast<int64_t>(i), values[i]);
  }
  return result;
}

static std::vector<Expectation> expected(fuzz::Graph &graph,
                                         std::initializer_list<GraphValue> outputs) {
  for (GraphValue output : outputs) {
    graph.outputs.push_back(output.id);
  }
  auto list = fuzz::expectations(graph, runs);
  REQUIRE(list);
  return *list;
}

TEST_CASE("a sum may be rounded at each step but may lack no element", "[fuzz]") {
  auto count = GENERATE(4, 64, 2048);
  auto dtype = GENERATE(DType::F32, DType::BF16);
  float each = 0.1f;
  fuzz::Graph graph;
  fuzz::GraphWriter writer(graph);
  std::vector<double> values(static_cast<size_t>(count), each);
  GraphValue x = writer.cast(writer.leaf(floats({count}, values)), dtype);
  std::vector<Expectation> list =
      expected(graph, {writer.reduce(OpKind::ReduceSum, x, {0}, false)});
  auto element = static_cast<float>(Tensor::scalar(dtype, each).asDouble(0));
  float sum = 0;
  for (int i = 0; i < count; ++i) {
    sum += element;
  }
  CHECK(list[0].compare(Tensor::scalar(dtype, sum)).empty());
  if (dtype == DType::F32) { // bf16 cannot tell the larger sums apart
    CHECK(!list[0].compare(Tensor::scalar(dtype, sum - element)).empty());
    CHECK(!list[0].compare(Tensor::scalar(dtype, sum + element)).empty());
  }
}

TEST_CASE("a softmax of equal numbers may sum them one after the other", "[fuzz]") {
  constexpr int count = 600;
  fuzz::Graph graph;
  fuzz::GraphWriter writer(graph);
  GraphValue x = writer.leaf(floats({count}, std::vector<double>(count, 0)));
  GraphValue shifted = writer.leaf(floats({count}, std::vector<double>(count, -0.7)));
  GraphValue joined = writer.op(OpKind::Stack, {x, shifted}, {{"axis", 0}});
  GraphValue logarithms = writer.op(OpKind::LogSoftmax, {joined}, {{"axes", Shape{0, 1}}});
  std::vector<Expectation> list = expected(graph, {logarithms});
  float largest = 0, smaller = std::exp(-0.7f), sum = 0;
  for (int i = 0; i < count; ++i) {
    sum += std::exp(largest);
  }
  for (int i = 0; i < count; ++i) {
    sum += std::nextafter(smaller, 0.0f);
  }
  std::vector<double> actual(2 * count, -std::log(sum));
  std::fill(actual.begin() + count, actual.end(), -0.7f - std::log(sum));
  CHECK(list[0].compare(floats({2, count}, actual)).empty());
  actual[7] += 1.0 / count; // as if an element had been counted twice
  CHECK(!list[0].compare(floats({2, count}, actual)).empty());
}

TEST_CASE("what follows from an overflow that the order decides is not compared", "[fuzz]") {
  fuzz::Graph graph;
  fuzz::GraphWriter writer(graph);
  // In one order the first sum is infinite, in another it is 0; the second is -1.5 in each.
  GraphValue x = writer.leaf(floats({2, 4}, {3e38, 3e38, -3e38, -3e38, 1, -2.5, 3, -3}));
  GraphValue sum = writer.reduce(OpKind::ReduceSum, x, {1}, false);
  GraphValue zero = writer.splatLike(sum, 0);
  GraphValue bits = writer.op(OpKind::Bitcast, {sum}, {{"dtype", DType::U32}});
  std::vector<Expectation> list =
      expected(graph, {sum, writer.cast(sum, DType::U32), writer.cast(sum, DType::I8),
                       writer.op(OpKind::IsInf, {sum}), writer.op(OpKind::IsNan, {sum}),
                       writer.op(OpKind::Gt, {sum, zero}), writer.op(OpKind::Lt, {sum, zero}),
                       writer.op(OpKind::Shr, {bits, writer.splatLike(bits, 30)}),
                       writer.op(OpKind::Sign, {sum})});
  for (const Expectation &expectation : list) {
    CHECK(expectation.tolerance[0] == Expectation::notCompared);
    bool isRounded = &expectation == &list.front() || &expectation == &list.back();
    CHECK(std::fabs(expectation.tolerance[1]) <= (isRounded ? 1e-5 : 0));
  }
}

TEST_CASE("the last bits of what was rounded may be any, the others may not", "[fuzz]") {
  constexpr int count = 64;
  fuzz::Graph graph;
  fuzz::GraphWriter writer(graph);
  std::vector<double> values(count);
  std::iota(values.begin(), values.end(), 64.0); // quotients in [1.28, 2.54]: few exponents
  GraphValue x = writer.leaf(floats({count}, values));
  GraphValue y = writer.op(OpKind::Div, {x, writer.splatLike(x, 50)});
  GraphValue bits = writer.op(OpKind::Bitcast, {y}, {{"dtype", DType::U32}});
  GraphValue all = writer.op(OpKind::Shr, {bits, writer.splatLike(bits, 16)});
  std::vector<Expectation> list =
      expected(graph, {writer.reduce(OpKind::ReduceOr, bits, {0}, false),
                       writer.reduce(OpKind::ReduceAnd, bits, {0}, false),
                       writer.reduce(OpKind::ReduceOr, all, {0}, false)});
  CHECK(list[0].tolerance[0] == Expectation::notCompared);
  CHECK(list[1].tolerance[0] == Expectation::notCompared);
  CHECK(list[2].tolerance[0] == 0);
}

TEST_CASE("sums of small integers must be equal", "[fuzz]") {
  fuzz::Graph graph;
  fuzz::GraphWriter writer(graph);
  GraphValue x = writer.leaf(floats({3, 4}, {1, -2, 3, 4, 0, 0, 7, 1, 2, 2, 2, 2}));
  std::vector<Expectation> list =
      expected(graph, {writer.reduce(OpKind::ReduceSum, x, {1}, false),
                       writer.op(OpKind::Matmul, {x, writer.permute(x, {1, 0})})});
  for (const Expectation &expectation : list) {
    for (double tolerance : expectation.tolerance) {
      CHECK(tolerance == 0);
    }
  }
}

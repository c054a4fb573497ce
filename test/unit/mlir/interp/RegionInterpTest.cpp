// The interpreter on ops with regions.
#include "test/unit/mlir/interp/InterpretedModule.h"

using namespace zyxc;
using namespace zyxc::test;

using Elements = std::vector<double>;

TEST_CASE("an if runs the region that is taken only", "[module-interp]") {
  InterpretedModule program(R"(
func.func @main(%c: tensor<i1>, %x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %twice = zyx.add %x, %x : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  %r:2 = zyx.if %c : (tensor<i1>) -> (tensor<2xf32>, tensor<2xf32>) {
    %n = zyx.neg %twice : tensor<2xf32> -> tensor<2xf32>
    zyx.yield %n, %x : tensor<2xf32>, tensor<2xf32>
  } else {
    %s = zyx.mul %twice, %x : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
    zyx.yield %s, %twice : tensor<2xf32>, tensor<2xf32>
  }
  return %r#0, %r#1 : tensor<2xf32>, tensor<2xf32>
})");
  for (bool taken : {true, false}) {
    std::vector<std::string> seen;
    std::vector<Tensor> inputs{truth(taken), floats({3, 4})};
    auto results =
        interp::runModule(program.function(), inputs, [&](mlir::Operation *op, const Tensor &) {
          seen.push_back(op->getName().getStringRef().str());
        });
    REQUIRE(results);
    CHECK(elementsOf((*results)[0]) == (taken ? Elements{-6, -8} : Elements{18, 32}));
    CHECK(elementsOf((*results)[1]) == (taken ? Elements{3, 4} : Elements{6, 8}));
    // Both results of the if are seen, after the ops of its region.
    CHECK(seen ==
          std::vector<std::string>{"zyx.add", taken ? "zyx.neg" : "zyx.mul", "zyx.if", "zyx.if"});
  }
}

static constexpr const char *powers = R"(
func.func @main(%first: tensor<i1>, %x: tensor<f32>, %most: tensor<f32>)
    -> (tensor<f32>, tensor<4xf32>, tensor<4xi64>) {
  %r:3 = zyx.loop limit [4] while %first carry %x
      : (tensor<i1>, tensor<f32>) -> (tensor<f32>, tensor<4xf32>, tensor<4xi64>) {
  ^bb0(%i: tensor<i64>, %p: tensor<f32>):
    %q = zyx.mul %p, %x : tensor<f32>, tensor<f32> -> tensor<f32>
    %go = zyx.lt %q, %most : tensor<f32>, tensor<f32> -> tensor<i1>
    zyx.yield %go, %q, %p, %i : tensor<i1>, tensor<f32>, tensor<f32>, tensor<i64>
  }
  return %r#0, %r#1, %r#2 : tensor<f32>, tensor<4xf32>, tensor<4xi64>
})";

TEST_CASE("a loop runs up to its limit, or as its conditions say", "[module-interp]") {
  InterpretedModule program(powers);
  auto run = [&](bool first, double most) {
    std::vector<Tensor> inputs{truth(first), Tensor::scalar(DType::F32, 3),
                               Tensor::scalar(DType::F32, most)};
    std::vector<Tensor> results = program.run(inputs);
    std::vector<Elements> lists;
    for (const Tensor &result : results) {
      lists.push_back(elementsOf(result));
    }
    return lists;
  };
  CHECK(run(true, 1000) == std::vector<Elements>{{243}, {3, 9, 27, 81}, {0, 1, 2, 3}});
  // 27 is not below 20: the second iteration is the last one, the other rows are zero.
  CHECK(run(true, 20) == std::vector<Elements>{{27}, {3, 9, 0, 0}, {0, 1, 0, 0}});
  CHECK(run(false, 1000) == std::vector<Elements>{{3}, {0, 0, 0, 0}, {0, 0, 0, 0}});
}

TEST_CASE("regions nest, and see values from outside", "[module-interp]") {
  // Sums the odd numbers below n, times x.
  InterpretedModule program(R"(
func.func @main(%x: tensor<i64>, %n: tensor<i64>) -> tensor<i64> {
  %go = zyx.constant dense<true> : tensor<i1>
  %zero = zyx.constant dense<0> : tensor<i64>
  %one = zyx.constant dense<1> : tensor<i64>
  %two = zyx.constant dense<2> : tensor<i64>
  %r = zyx.loop limit [281474976710656] while %go carry %zero : (tensor<i1>, tensor<i64>) -> tensor<i64> {
  ^bb0(%i: tensor<i64>, %sum: tensor<i64>):
    %bit = zyx.rem %i, %two : tensor<i64>, tensor<i64> -> tensor<i64>
    %odd = zyx.eq %bit, %one : tensor<i64>, tensor<i64> -> tensor<i1>
    %next = zyx.if %odd : (tensor<i1>) -> tensor<i64> {
      %term = zyx.mul %i, %x : tensor<i64>, tensor<i64> -> tensor<i64>
      %s = zyx.add %sum, %term : tensor<i64>, tensor<i64> -> tensor<i64>
      zyx.yield %s : tensor<i64>
    } else {
      zyx.yield %sum : tensor<i64>
    }
    %j = zyx.add %i, %one : tensor<i64>, tensor<i64> -> tensor<i64>
    %more = zyx.lt %j, %n : tensor<i64>, tensor<i64> -> tensor<i1>
    zyx.yield %more, %next : tensor<i1>, tensor<i64>
  }
  return %r : tensor<i64>
})");
  std::vector<Tensor> inputs{Tensor::scalarInt(DType::I64, 10), Tensor::scalarInt(DType::I64, 9)};
  CHECK(program.run(inputs)[0].asInt(0) == 10 * (1 + 3 + 5 + 7));
}

TEST_CASE("the peak counts the larger region, rows and what is carried", "[module-interp]") {
  InterpretedModule branches(R"(
func.func @main(%c: tensor<i1>, %x: tensor<1x2xf32>) -> tensor<f32> {
  %r = zyx.if %c : (tensor<i1>) -> tensor<f32> {
    %n = zyx.neg %x : tensor<1x2xf32> -> tensor<1x2xf32>
    %e = zyx.expand %n [1000, 2] : tensor<1x2xf32> -> tensor<1000x2xf32>
    %s = zyx.reduce_sum %e over [0, 1] : tensor<1000x2xf32> -> tensor<f32>
    zyx.yield %s : tensor<f32>
  } else {
    %s = zyx.reduce_sum %x over [0, 1] : tensor<1x2xf32> -> tensor<f32>
    zyx.yield %s : tensor<f32>
  }
  return %r : tensor<f32>
})");
  CHECK(*interp::peakBytes(branches.function()) == 8 + 8000);
  // Rows of 4 f32 and 4 i64; an iteration holds i, p, q and the condition.
  InterpretedModule loop(powers);
  CHECK(*interp::peakBytes(loop.function()) == 16 + 32 + 8 + 4 + 4 + 1);
}

// The interpreter on functions of zyx ops.
#include "test/unit/mlir/interp/InterpretedModule.h"

using namespace zyxc;
using namespace zyxc::test;

static constexpr const char *chain = R"(
func.func @main(%x: tensor<3xf32>, %y: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %0 = zyx.add %x, %y : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32> loc("sum")
  %1 = zyx.mul %0, %0 : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32> loc("square")
  %2 = zyx.neg %1 : tensor<3xf32> -> tensor<3xf32> loc("dead")
  return %1, %x : tensor<3xf32>, tensor<3xf32>
})";

TEST_CASE("a function runs op by op, and the observer sees each value", "[module-interp]") {
  InterpretedModule program(chain);
  std::vector<Tensor> inputs = {floats({1, 2, 3}), floats({10, 20, 30})};
  std::vector<std::string> seen;
  Expected<std::vector<Tensor>> results =
      interp::runModule(program.function(), inputs, [&](mlir::Operation *op, const Tensor &value) {
        seen.push_back(op->getName().getStringRef().str() + " " + toString(value.type()));
      });
  REQUIRE(results);
  REQUIRE(results->size() == 2);
  REQUIRE((*results)[0].identical(floats({121, 484, 1089})));
  REQUIRE((*results)[1].identical(inputs[0]));
  REQUIRE(seen == std::vector<std::string>{"zyx.add f32[3]", "zyx.mul f32[3]", "zyx.neg f32[3]"});
}

TEST_CASE("inputs that do not fit are refused", "[module-interp]") {
  InterpretedModule program(chain);
  std::vector<Tensor> one = {floats({1, 2, 3})};
  std::vector<Tensor> wrong = {floats({1, 2, 3}), floats({1, 2})};
  REQUIRE(interp::runModule(program.function(), one).error().code() == ErrorCode::Usage);
  Status error = interp::runModule(program.function(), wrong).error();
  REQUIRE(error.message() == "input 1 is f32[2], the model needs f32[3]");
}

TEST_CASE("values are freed after their last use", "[module-interp]") {
  // At any time at most two of the chain's values live; x + y, then its square, then its negation.
  InterpretedModule program(chain);
  REQUIRE(*interp::peakBytes(program.function()) == 24);
  InterpretedModule large(R"(
func.func @main(%x: tensor<1xf32>) -> tensor<f32> {
  %0 = zyx.expand %x [1099511627776] : tensor<1xf32> -> tensor<1099511627776xf32>
  %1 = zyx.reduce_sum %0 over [0] : tensor<1099511627776xf32> -> tensor<f32>
  return %1 : tensor<f32>
})");
  REQUIRE(*interp::peakBytes(large.function()) == (int64_t(4) << 40) + 4);
}

TEST_CASE("an error names the node", "[module-interp]") {
  InterpretedModule program(R"(
func.func @main() -> tensor<100xf32> {
  %0 = zyx.constant dense_resource<missing> : tensor<100xf32> loc("weights")
  return %0 : tensor<100xf32>
})");
  Expected<std::vector<Tensor>> results = interp::runModule(program.function(), {});
  REQUIRE(!results);
  REQUIRE(results.error().message() ==
          "weights: constant: resource 'missing' has no data in this file");
}

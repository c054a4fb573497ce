// The interpreter on writes to inputs, kernels of the module and functions of libraries.
#include "test/unit/mlir/interp/InterpretedModule.h"

using namespace zyxc;
using namespace zyxc::test;

using Elements = std::vector<double>;

TEST_CASE("reads see the version that they name", "[module-interp]") {
  InterpretedModule program(R"(
func.func @main(%s: tensor<4xf32>, %x: tensor<2xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2xf32>, tensor<2xf32>) {
  %low = zyx.narrow %s starts [0] sizes [2] steps [1] : tensor<4xf32> -> tensor<2xf32>
  %odd = zyx.narrow %s starts [1] sizes [2] steps [2] : tensor<4xf32> -> tensor<2xf32>
  %w1 = zyx.assign %low, %x : tensor<2xf32>
  %twice = zyx.add %w1, %low : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  %w2 = zyx.assign %odd, %twice : tensor<2xf32>
  %a1 = zyx.after %s, %w1 : tensor<4xf32>, tensor<2xf32>
  %a2 = zyx.after %s, %w2 : tensor<4xf32>, tensor<2xf32>
  %o1 = zyx.after %odd, %w1 : tensor<2xf32>, tensor<2xf32>
  return %s, %a1, %a2, %w2, %o1
    : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2xf32>, tensor<2xf32>
})");
  std::vector<Tensor> inputs{floats({1, 2, 3, 4}), floats({10, 20})};
  std::vector<Tensor> results = program.run(inputs);
  CHECK(elementsOf(results[0]) == Elements{1, 2, 3, 4});
  CHECK(elementsOf(results[1]) == Elements{10, 20, 3, 4});
  CHECK(elementsOf(results[2]) == Elements{10, 11, 3, 22});
  CHECK(elementsOf(results[3]) == Elements{11, 22}); // the value, read from no version
  CHECK(elementsOf(results[4]) == Elements{20, 4});
  CHECK(elementsOf(program.contents[0]) == Elements{10, 11, 3, 22});
  CHECK(program.contents[1].identical(inputs[1]));
  CHECK(elementsOf(inputs[0]) == Elements{1, 2, 3, 4}); // the caller's tensor stays
}

TEST_CASE("a target is a chain of movements", "[module-interp]") {
  // Row 1 of the transposed, flipped state is column 0 of the state, read from below.
  InterpretedModule program(R"(
func.func @main(%s: tensor<6xf32>, %x: tensor<3xf32>) -> tensor<3xf32> {
  %rows = zyx.reshape %s [3, 2] : tensor<6xf32> -> tensor<3x2xf32>
  %turned = zyx.permute %rows [1, 0] : tensor<3x2xf32> -> tensor<2x3xf32>
  %flipped = zyx.flip %turned [0, 1] : tensor<2x3xf32> -> tensor<2x3xf32>
  %row = zyx.narrow %flipped starts [1, 0] sizes [1, 3] steps [1, 1] : tensor<2x3xf32> -> tensor<1x3xf32>
  %target = zyx.reshape %row [3] : tensor<1x3xf32> -> tensor<3xf32>
  %w = zyx.assign %target, %x : tensor<3xf32>
  %now = zyx.after %target, %w : tensor<3xf32>, tensor<3xf32>
  return %now : tensor<3xf32>
})");
  std::vector<Tensor> inputs{floats({0, 1, 2, 3, 4, 5}), floats({10, 20, 30})};
  CHECK(elementsOf(program.run(inputs)[0]) == Elements{10, 20, 30});
  CHECK(elementsOf(program.contents[0]) == Elements{30, 1, 20, 3, 10, 5});
  CHECK(*interp::peakBytes(program.function()) > 2 * 24);
}

TEST_CASE("writes in a loop happen in each iteration", "[module-interp]") {
  InterpretedModule program(R"(
func.func @main(%s: tensor<2xf32>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %go = zyx.constant dense<true> : tensor<i1>
  %r = zyx.loop limit [3] while %go carry %x : (tensor<i1>, tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<2xf32>):
    %w = zyx.assign %s, %v : tensor<2xf32>
    %now = zyx.after %s, %w : tensor<2xf32>, tensor<2xf32>
    %next = zyx.add %now, %x : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
    zyx.yield %go, %next : tensor<i1>, tensor<2xf32>
  }
  return %r : tensor<2xf32>
})");
  std::vector<Tensor> inputs{floats({0, 0}), floats({1, 2})};
  CHECK(elementsOf(program.run(inputs)[0]) == Elements{4, 8});
  CHECK(elementsOf(program.contents[0]) == Elements{3, 6});
}

TEST_CASE("kernels of the module run with the dims of their ports", "[module-interp]") {
  InterpretedModule program(R"(
func.func @main(%x: tensor<2x3xf32>, %b: tensor<3xui8>) -> (tensor<2xf32>, tensor<3xui8>) {
  %r:2 = zyx.kernel @sums(%x, %b) : (tensor<2x3xf32>, tensor<3xui8>) -> (tensor<2xf32>, tensor<3xui8>)
  return %r#0, %r#1 : tensor<2xf32>, tensor<3xui8>
}
zyxk.kernel @sums dims(M, N) ports(%x: in f32[M, N], %y: out f32[M], %b: in i8[N], %c: out i8[N])
    axes(i < M, j < N) {
  %a = load %x[i, j] : f32
  %s = reduce add %a over [j] : f32
  store %s, %y[i] : f32
  %v = load %b[j] : i8
  %t = arith.addi %v, %v : i8
  store %t, %c[j] : i8
})");
  Tensor x = floats({1, 2, 3, 4, 5, 6}).withShape({2, 3});
  Tensor b = Tensor::allocate({DType::U8, {3}});
  for (int64_t i = 0; i < 3; ++i) {
    b.setInt(i, 100 + i);
  }
  std::vector<Tensor> results = program.run(std::vector{x, b});
  CHECK(elementsOf(results[0]) == Elements{6, 15});
  CHECK(results[1].dtype() == DType::U8);
  CHECK(elementsOf(results[1]) == Elements{200, 202, 204});
}

TEST_CASE("kernels that do not fit are refused", "[module-interp]") {
  InterpretedModule wrongType(R"(
func.func @main(%x: tensor<3xf32>) -> tensor<3xf16> {
  %r = zyx.kernel @k(%x) : (tensor<3xf32>) -> tensor<3xf16> loc("node")
  return %r : tensor<3xf16>
}
zyxk.kernel @k dims(N) ports(%x: in f32[N], %y: out f32[N]) axes(i < N) {
  %a = load %x[i] : f32
  store %a, %y[i] : f32
})");
  CHECK(wrongType.fail(std::vector{floats({1, 2, 3})}) ==
        "node: @k: port 1 is f32[3], but is given f16[3]");
  InterpretedModule noDim(R"(
func.func @main(%x: tensor<3xf32>) -> tensor<6xf32> {
  %r = zyx.kernel @k(%x) : (tensor<3xf32>) -> tensor<6xf32> loc("node")
  return %r : tensor<6xf32>
}
zyxk.kernel @k dims(N, K) ports(%x: in f32[N], %y: out f32[N * 2]) axes(i < N, k < K) {
  %a = load %x[i] : f32
  store %a, %y[i + k] : f32
})");
  CHECK(noDim.fail(std::vector{floats({1, 2, 3})}) ==
        "node: @k: its dim K is the size of no axis of a port");
  InterpretedModule ports(R"(
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %r = zyx.kernel @k(%x) : (tensor<3xf32>) -> tensor<3xf32> loc("node")
  return %r : tensor<3xf32>
}
zyxk.kernel @k dims(N) ports(%x: inout f32[N]) axes(i < N) {
  %a = load %x[i] : f32
  store %a, %x[i] : f32
})");
  CHECK(ports.fail(std::vector{floats({1, 2, 3})}) ==
        "node: @k: it needs an 'in' port for each of 1 operands and an 'out' port for each of 1 "
        "results; port 0 is one more, or of another kind");
}

TEST_CASE("custom ops run by their decompositions", "[module-interp]") {
  InterpretedModule program(R"(
func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<f32>) {
  %r:2 = zyx.custom "lib_op"(%x) like @plain : (tensor<2xf32>) -> (tensor<2xf32>, tensor<f32>)
  return %r#0, %r#1 : tensor<2xf32>, tensor<f32>
}
func.func private @plain(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<f32>) {
  %n = zyx.neg %x : tensor<2xf32> -> tensor<2xf32>
  %s = zyx.reduce_sum %n over [0] : tensor<2xf32> -> tensor<f32>
  return %n, %s : tensor<2xf32>, tensor<f32>
})");
  std::vector<Tensor> results = program.run(std::vector{floats({1, 2})});
  CHECK(elementsOf(results[0]) == Elements{-1, -2});
  CHECK(elementsOf(results[1]) == Elements{-3});
  CHECK(*interp::peakBytes(program.function()) == 12);
}

TEST_CASE("custom ops without a usable decomposition are refused", "[module-interp]") {
  std::vector<Tensor> inputs{floats({1, 2})};
  InterpretedModule none(R"(
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %r = zyx.custom "lib_op"(%x) : (tensor<2xf32>) -> tensor<2xf32> loc("node")
  return %r : tensor<2xf32>
})");
  std::string text = "node: the interpreter calls no library, and 'lib_op' has no decomposition: "
                     "add one to the op (like @FUNCTION), or run the model compiled";
  CHECK(none.fail(inputs) == text);
  CHECK(interp::peakBytes(none.function()).error().message() == text);
  InterpretedModule itself(R"(
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %r = zyx.custom "lib_op"(%x) like @main : (tensor<2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
})");
  CHECK(itself.fail(inputs).ends_with("nest more than 32 deep: @main may not use itself"));
  CHECK_FALSE(static_cast<bool>(interp::peakBytes(itself.function())));
  InterpretedModule writes(R"(
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %r = zyx.custom "lib_op"(%x) like @write : (tensor<2xf32>) -> tensor<2xf32> loc("node")
  return %r : tensor<2xf32>
}
func.func private @write(%x: tensor<2xf32>) -> tensor<2xf32> {
  %w = zyx.assign %x, %x : tensor<2xf32>
  return %w : tensor<2xf32>
})");
  CHECK(writes.fail(inputs) ==
        "node: @write writes to its arguments: 'lib_op' must be a pure function of them");
}

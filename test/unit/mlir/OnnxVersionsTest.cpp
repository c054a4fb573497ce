// Operators in the form of older operator sets, which ONNX's own test data no longer holds.
#include "test/unit/mlir/OnnxBuilder.h"
#include <catch2/catch.hpp>

using namespace zyxc;

static const TensorType matrixType{DType::F32, {2, 3}};
static const Tensor matrix = floats({2, 3}, {0, 1, 2, 3, 4, 5});

/// A model whose last node makes y from x [2,3].
static OnnxBuilder onMatrix(int64_t opset) {
  OnnxBuilder builder(opset);
  builder.input("x", matrixType).output("y");
  return builder;
}

static void requireResult(const OnnxBuilder &builder, const Tensor &expected) {
  auto outputs = importAndRun(builder, {matrix});
  INFO(builder.model.graph().node(0).op_type());
  INFO((outputs ? "" : outputs.error().message()));
  REQUIRE(outputs);
  REQUIRE((*outputs)[0].type() == expected.type());
  for (int64_t i = 0; i < expected.numElements(); ++i) {
    REQUIRE((*outputs)[0].asDouble(i) == Approx(expected.asDouble(i)).margin(1e-6));
  }
}

TEST_CASE("operator set 6 broadcasts by attribute, aligned at an axis", "[onnx][versions]") {
  OnnxBuilder builder = onMatrix(6);
  builder.initializer("b", floats({2}, {10, 20})).node("Add", {"x", "b"}, {"y"});
  builder.attr("broadcast", int64_t(1)).attr("axis", int64_t(0));
  requireResult(builder, floats({2, 3}, {10, 11, 12, 23, 24, 25}));

  OnnxBuilder without = onMatrix(6);
  without.initializer("b", floats({3}, {1, 2, 3})).node("Add", {"x", "b"}, {"y"});
  auto outputs = importAndRun(without, {matrix});
  REQUIRE_FALSE(outputs);
  REQUIRE_THAT(outputs.error().message(), Catch::Contains("broadcast is not set"));
}

TEST_CASE("attributes that became inputs", "[onnx][versions]") {
  OnnxBuilder clip = onMatrix(6);
  clip.node("Clip", {"x"}, {"y"}).attr("min", 1.0f).attr("max", 3.0f);
  requireResult(clip, floats({2, 3}, {1, 1, 2, 3, 3, 3}));

  OnnxBuilder reshape = onMatrix(1);
  reshape.node("Reshape", {"x"}, {"y"}).attr("shape", std::vector<int64_t>{3, -1});
  requireResult(reshape, matrix.withShape({3, 2}));

  OnnxBuilder pad = onMatrix(2);
  pad.node("Pad", {"x"}, {"y"}).attr("pads", std::vector<int64_t>{0, 1, 0, 0}).attr("value", 7.0f);
  requireResult(pad, floats({2, 4}, {7, 0, 1, 2, 7, 3, 4, 5}));

  OnnxBuilder slice = onMatrix(1);
  slice.node("Slice", {"x"}, {"y"}).attr("starts", std::vector<int64_t>{1});
  slice.attr("ends", std::vector<int64_t>{INT64_MAX}).attr("axes", std::vector<int64_t>{1});
  requireResult(slice, floats({2, 2}, {1, 2, 4, 5}));

  OnnxBuilder sum = onMatrix(11);
  sum.node("ReduceSum", {"x"}, {"y"}).attr("axes", std::vector<int64_t>{-1});
  requireResult(sum, floats({2, 1}, {3, 12}));

  OnnxBuilder unsqueeze = onMatrix(11);
  unsqueeze.node("Unsqueeze", {"x"}, {"y"}).attr("axes", std::vector<int64_t>{0, 3});
  requireResult(unsqueeze, matrix.withShape({1, 2, 3, 1}));

  OnnxBuilder split(11);
  split.input("x", matrixType).output("b").node("Split", {"x"}, {"a", "b"});
  split.attr("axis", int64_t(1)).attr("split", std::vector<int64_t>{1, 2});
  requireResult(split, floats({2, 2}, {1, 2, 4, 5}));
}

TEST_CASE("a softmax before operator set 13 runs over all later axes", "[onnx][versions]") {
  OnnxBuilder softmax = onMatrix(9);
  softmax.node("Softmax", {"x"}, {"y"}).attr("axis", int64_t(0));
  double total = 0;
  for (int i = 0; i < 6; ++i) {
    total += std::exp(i);
  }
  Tensor expected = floats({2, 3}, {});
  for (int i = 0; i < 6; ++i) {
    expected.setDouble(i, std::exp(i) / total);
  }
  requireResult(softmax, expected);
  OnnxBuilder hardmax = onMatrix(9);
  hardmax.node("Hardmax", {"x"}, {"y"}).attr("axis", int64_t(0));
  requireResult(hardmax, floats({2, 3}, {0, 0, 0, 0, 0, 1}));
}

TEST_CASE("old inference forms of Dropout, BatchNormalization and PRelu", "[onnx][versions]") {
  OnnxBuilder dropout(7);
  dropout.input("x", matrixType).output("mask").node("Dropout", {"x"}, {"z", "mask"});
  requireResult(dropout, floats({2, 3}, {1, 1, 1, 1, 1, 1}));

  OnnxBuilder norm = onMatrix(6);
  norm.initializer("s", floats({3}, {1, 2, 1})).initializer("b", floats({3}, {0, 1, 0}));
  norm.initializer("m", floats({3}, {0, 1, 0})).initializer("v", floats({3}, {1, 4, 1}));
  norm.node("BatchNormalization", {"x", "s", "b", "m", "v"}, {"y"}).attr("epsilon", 0.0f);
  norm.attr("is_test", int64_t(1));
  requireResult(norm, floats({2, 3}, {0, 1, 2, 3, 4, 5}));

  OnnxBuilder prelu = onMatrix(6);
  prelu.initializer("slope", floats({3}, {1, 10, 100})).node("Neg", {"x"}, {"n"});
  prelu.node("PRelu", {"n", "slope"}, {"y"});
  requireResult(prelu, floats({2, 3}, {0, -10, -200, -3, -40, -500}));
}

// Models whose dims have no size: the types that import gives them, which dims become equal, and
// what is refused.
#include "dialects/zyx/IR/ZyxBridge.h"
#include "dialects/zyx/IR/ZyxDialect.h"
#include "test/unit/mlir/OnnxBuilder.h"
#include <catch2/catch.hpp>

using namespace zyxc;

/// "f32[N,4], i64[2] -> f32[N]", or the error.
static std::string signatureOf(const OnnxBuilder &builder, ImportOptions options = {}) {
  TemporaryFolder folder;
  options.openDims = true;
  Expected<ImportedModel> model = importFile(builder.save(folder), options);
  if (!model) {
    return model.error().message();
  }
  auto texts = [](mlir::TypeRange types) {
    std::string text;
    for (mlir::Type type : types) {
      Expected<TensorType> own = zyx::toTensorType(type);
      text += (text.empty() ? "" : ", ") + (own ? toString(*own) : "?");
    }
    return text;
  };
  mlir::FunctionType type = model->main().getFunctionType();
  return texts(type.getInputs()) + " -> " + texts(type.getResults());
}

/// A model of one node: its inputs x, y, .. have these dims; constants come after them.
static OnnxBuilder oneNode(const std::string &op, const std::vector<std::vector<std::string>> &dims,
                           const std::vector<Tensor> &constants = {}, int64_t opset = 18) {
  OnnxBuilder builder(opset);
  std::vector<std::string> operands;
  for (const std::vector<std::string> &entry : dims) {
    operands.push_back(std::string(1, static_cast<char>('x' + operands.size())));
    builder.openInput(operands.back(), DType::F32, entry);
  }
  for (const Tensor &constant : constants) {
    operands.push_back("c" + std::to_string(operands.size()));
    builder.initializer(operands.back(), constant);
  }
  builder.output("r").node(op, operands, {"r"}, "it");
  return builder;
}

TEST_CASE("open dims are variables by their names or places", "[onnx][dims]") {
  REQUIRE(signatureOf(oneNode("Relu", {{"N", "3"}})) == "f32[N,3] -> f32[N,3]");
  REQUIRE(signatureOf(oneNode("Relu", {{"", "3", ""}})) == "f32[x.0,3,x.2] -> f32[x.0,3,x.2]");
  REQUIRE(signatureOf(oneNode("Relu", {{"2*N + 1", "N"}})) ==
          "f32[2 * N + 1,N] -> f32[2 * N + 1,N]");
  REQUIRE(signatureOf(oneNode("Relu", {{"batch size", "batch_size", "[k]"}})) ==
          "f32[batch_size_2,batch_size,_k_] -> f32[batch_size_2,batch_size,_k_]");
}

TEST_CASE("names that would be sizes below zero are names", "[onnx][dims]") {
  REQUIRE(signatureOf(oneNode("Relu", {{"-N", "N"}})) == "f32[_N,N] -> f32[_N,N]");
  REQUIRE(signatureOf(oneNode("Relu", {{"-N - 1", "-N"}})) == "f32[_N___1,_N] -> f32[_N___1,_N]");
  REQUIRE(signatureOf(oneNode("Relu", {{"N - 1", "2"}})) == "f32[N - 1,2] -> f32[N - 1,2]");
}

TEST_CASE("sizes that a caller gives close dims", "[onnx][dims]") {
  OnnxBuilder builder = oneNode("Relu", {{"N", "M"}});
  ImportOptions options;
  options.dims["N"] = 5;
  REQUIRE(signatureOf(builder, options) == "f32[5,M] -> f32[5,M]");
  options.dims["K"] = 5;
  REQUIRE_THAT(signatureOf(builder, options),
               Catch::Contains("model.onnx: the model has no dim 'K', but M, N"));
  options.dims = {{"N", -1}};
  REQUIRE_THAT(signatureOf(builder, options),
               Catch::Contains("the dim 'N' cannot have the size -1"));
  options.dims.clear();
  options.inputShapes["x"] = {2, 3};
  REQUIRE(signatureOf(builder, options) == "f32[2,3] -> f32[2,3]");
  options.dims["M"] = 4;
  REQUIRE_THAT(signatureOf(builder, options),
               Catch::Contains("input 'x' has size 4 at axis 1, but the given value has shape"));
}

TEST_CASE("open dims are an error where they are not asked for", "[onnx][dims]") {
  TemporaryFolder folder;
  Expected<ImportedModel> model = importFile(oneNode("Relu", {{"N"}}).save(folder));
  REQUIRE_FALSE(model);
  REQUIRE(model.error().code() == ErrorCode::Usage);
  REQUIRE_THAT(model.error().message(), Catch::Contains("x=@FILE, or --dim N=SIZE"));
}

TEST_CASE("dims that an op needs equal become one", "[onnx][dims]") {
  REQUIRE(signatureOf(oneNode("Add", {{"N"}, {"M"}})) == "f32[M], f32[M] -> f32[M]");
  REQUIRE(signatureOf(oneNode("Add", {{"N", "3"}, {""}})) == "f32[N,3], f32[3] -> f32[N,3]");
  REQUIRE(signatureOf(oneNode("Add", {{"N"}, {"8"}})) == "f32[8], f32[8] -> f32[8]");
  REQUIRE(signatureOf(oneNode("Add", {{"N"}, {"1"}})) == "f32[N], f32[1] -> f32[N]");
  REQUIRE(signatureOf(oneNode("MatMul", {{"B", "4", "K"}, {"", ""}})) ==
          "f32[B,4,K], f32[K,y.1] -> f32[B,4,y.1]");
  REQUIRE(signatureOf(oneNode("Where", {{"N"}, {"M"}}, {floats({1}, {0})})).find("select") !=
          std::string::npos); // a condition that is no bool stays an error
  OnnxBuilder concat = oneNode("Concat", {{"N", "K"}, {"M", "L"}});
  REQUIRE(signatureOf(concat.attr("axis", int64_t(1))) == "f32[M,K], f32[M,L] -> f32[M,K + L]");
  OnnxBuilder chain(18);
  chain.openInput("a", DType::F32, {"A"}).openInput("b", DType::F32, {"B"});
  chain.openInput("c", DType::F32, {"C"}).output("r");
  chain.node("Add", {"a", "b"}, {"s"}).node("Add", {"s", "c"}, {"r"});
  REQUIRE(signatureOf(chain) == "f32[A], f32[A], f32[A] -> f32[A]");
}

TEST_CASE("dims that cannot be equal are an error with both and the remedy", "[onnx][dims]") {
  REQUIRE_THAT(signatureOf(oneNode("Add", {{"N + 8"}, {"5"}})),
               Catch::Contains("the sizes N + 8 and 5 must be equal: give --dim N=SIZE"));
  REQUIRE_THAT(signatureOf(oneNode("Add", {{"2*N"}, {"3*M"}})),
               Catch::Contains("the sizes 2 * N and 3 * M must be equal") &&
                   Catch::Contains("--dim M=SIZE --dim N=SIZE") && Catch::Contains("node 'it'"));
}

TEST_CASE("shape arithmetic of open dims decides shapes", "[onnx][dims]") {
  // As exported transformers split heads: [B,S,12] to [B,S,3,4], moved and merged again.
  OnnxBuilder builder(18);
  builder.openInput("x", DType::F32, {"B", "S", "12"}).output("r").output("count");
  builder.initializer("zero", ints({0})).initializer("one", ints({1}));
  builder.initializer("tail", ints({3, 4})).initializer("rest", ints({-1}));
  builder.node("Shape", {"x"}, {"shape"});
  builder.node("Gather", {"shape", "zero"}, {"b"}).node("Gather", {"shape", "one"}, {"s"});
  builder.node("Concat", {"b", "s", "tail"}, {"split"}).attr("axis", int64_t(0));
  builder.node("Reshape", {"x", "split"}, {"heads"});
  builder.node("Transpose", {"heads"}, {"moved"}).attr("perm", std::vector<int64_t>{0, 2, 1, 3});
  builder.node("Mul", {"b", "s"}, {"bs"});
  builder.node("Concat", {"bs", "rest"}, {"flat"}).attr("axis", int64_t(0));
  builder.node("Reshape", {"moved", "flat"}, {"r"});
  builder.node("Size", {"heads"}, {"count"});
  REQUIRE(signatureOf(builder) == "f32[B,S,12] -> f32[B * S,12], i64[]");
}

TEST_CASE("-1 in a new shape is the same for N = 0 and for an open N", "[onnx][dims]") {
  OnnxBuilder builder(18);
  builder.openInput("x", DType::F32, {"N", "C", "7"}).output("r");
  builder.initializer("zero", ints({0})).initializer("rest", ints({-1}));
  builder.node("Shape", {"x"}, {"shape"}).node("Gather", {"shape", "zero"}, {"n"});
  builder.node("Concat", {"n", "rest"}, {"flat"}).attr("axis", int64_t(0));
  builder.node("Reshape", {"x", "flat"}, {"r"}, "it");
  REQUIRE(signatureOf(builder) == "f32[N,C,7] -> f32[N,7 * C]");
  ImportOptions options;
  options.dims = {{"N", 0}, {"C", 3}};
  REQUIRE(signatureOf(builder, options) == "f32[0,3,7] -> f32[0,21]");
  // Beside an axis that stays empty it may be any number.
  options.dims = {{"N", 2}, {"C", 0}};
  REQUIRE(signatureOf(builder, options) == "f32[2,0,7] -> f32[2,0]");
  OnnxBuilder empty = oneNode("Reshape", {{"0", "3"}}, {ints({0, -1, 0})}, 13);
  REQUIRE_THAT(signatureOf(empty), Catch::Contains("copies one that"));
  OnnxBuilder beside = oneNode("Reshape", {{"3", "0"}}, {ints({-1, 0})}, 13);
  REQUIRE(signatureOf(beside) == "f32[3,0] -> f32[3,0]");
}

TEST_CASE("conditions on open dims that always hold are decided", "[onnx][dims]") {
  // torch.expand: sizes of -1 keep those of the operand.
  OnnxBuilder builder(18);
  builder.openInput("x", DType::F32, {"N", "1"}).output("r");
  builder.initializer("minus", ints({-1, -1})).initializer("ones", ints({1, 1}));
  builder.initializer("seven", ints({7})).initializer("first", ints({0}));
  builder.node("Shape", {"x"}, {"shape"}).node("Gather", {"shape", "first"}, {"n"});
  builder.node("Concat", {"n", "seven"}, {"wanted"}).attr("axis", int64_t(0));
  builder.node("Equal", {"wanted", "minus"}, {"keeps"});
  builder.node("Where", {"keeps", "ones", "wanted"}, {"sizes"});
  builder.node("Expand", {"x", "sizes"}, {"r"});
  REQUIRE(signatureOf(builder) == "f32[N,1] -> f32[N,7]");
}

TEST_CASE("a shape as data is made of variables", "[onnx][dims]") {
  TemporaryFolder folder;
  OnnxBuilder builder(18);
  builder.openInput("x", DType::F32, {"N", "3"}).output("r").node("Shape", {"x"}, {"r"});
  ImportOptions options;
  options.openDims = true;
  Expected<ImportedModel> model = importFile(builder.save(folder), options);
  REQUIRE(model);
  std::vector<std::string> names;
  for (mlir::Operation &op : model->main().front()) {
    names.push_back(op.getName().getStringRef().str());
  }
  REQUIRE(names == std::vector<std::string>{"zyx.variable", "zyx.reshape", "zyx.constant",
                                            "zyx.concat", "func.return"});
}

TEST_CASE("what does not take open dims says so with the remedy", "[onnx][dims]") {
  REQUIRE_THAT(signatureOf(oneNode("MeanVarianceNormalization", {{"N"}})),
               Catch::Contains("axis 2 is out of range"));
  REQUIRE_THAT(signatureOf(oneNode("NonMaxSuppression", {{"N"}})),
               Catch::Contains("not supported"));
  REQUIRE_THAT(signatureOf(oneNode("HannWindow", {})), !Catch::Contains("--dim"));
  REQUIRE_THAT(
      signatureOf(oneNode("AffineGrid", {{"N", "2", "3"}}, {ints({1, 1, 2, 2})}, 20)),
      Catch::Contains("its input 0 is f32[N,2,3], but this operator needs dims with sizes: "
                      "give --dim N=SIZE"));
  REQUIRE_THAT(signatureOf(oneNode("Squeeze", {{"N", "1"}})),
               Catch::Contains("axis 0 has the size N, which may be 1"));
  REQUIRE_THAT(signatureOf(oneNode("Reshape", {{"N", "3"}}, {ints({-1, 2})})),
               Catch::Contains("-1 in the new shape stands for 3 * N elements by 2"));
}

// Malformed models: each is one clear line, never a signal and never much memory.
#include "test/unit/mlir/OnnxBuilder.h"
#include <catch2/catch.hpp>
#include <cstdlib>
#include <functional>
#include <random>

using namespace zyxc;

static const TensorType vectorType{DType::F32, {4}};

/// x [4] -> y.
static OnnxBuilder onVector() {
  OnnxBuilder builder;
  builder.input("x", vectorType).output("y");
  return builder;
}

static Expected<ImportedModel> importBytes(std::string_view bytes) {
  TemporaryFolder folder;
  REQUIRE(writeFile(folder.file("model.onnx"), bytes).isOk());
  return importFile(folder.file("model.onnx"));
}

using Build = std::function<void(OnnxBuilder &)>;

/// Each model, built on a vector, is refused as malformed in one line that holds the text.
static void checkRefused(const std::vector<std::pair<const char *, Build>> &cases) {
  for (const auto &[message, build] : cases) {
    OnnxBuilder builder = onVector();
    build(builder);
    Expected<ImportedModel> model = importBytes(builder.bytes());
    INFO(message << "\n" << builder.model.graph().node(0).op_type());
    REQUIRE_FALSE(model);
    INFO(model.error().message());
    CHECK(model.error().code() == ErrorCode::Input);
    REQUIRE_THAT(model.error().message(), Catch::Contains(message));
    REQUIRE(model.error().message().find('\n') == std::string::npos);
  }
}

TEST_CASE("a malformed model is refused in one line", "[onnx][bad]") {
  const std::vector<std::pair<const char *, Build>> cases = {
      {"part of a cycle",
       [](auto &b) { b.node("Add", {"x", "z"}, {"y"}).node("Neg", {"y"}, {"z"}); }},
      {"part of a cycle", [](auto &b) { b.node("Add", {"x", "y"}, {"y"}); }},
      {"reads 'q', which nothing defines", [](auto &b) { b.node("Neg", {"q"}, {"y"}); }},
      {"output 'y' is not defined", [](auto &b) { b.node("Neg", {"x"}, {"z"}); }},
      {"is defined already",
       [](auto &b) { b.node("Neg", {"x"}, {"y"}).node("Abs", {"x"}, {"y"}); }},
      {"is defined already", [](auto &b) { b.node("Neg", {"x"}, {"x"}); }},
      {"declared twice", [](auto &b) { b.input("x", vectorType).node("Neg", {"x"}, {"y"}); }},
      {"declared twice", [](auto &b) { b.output("y").node("Neg", {"x"}, {"y"}); }},
      {"too few or too many", [](auto &b) { b.node("Add", {"x"}, {"y"}); }},
      {"too few or too many", [](auto &b) { b.node("Add", {"x", "x", "x"}, {"y"}); }},
      {"too few or too many", [](auto &b) { b.node("Add", {"", "x"}, {"y"}); }},
      {"too few or too many", [](auto &b) { b.node("Sum", {"x", ""}, {"y"}); }},
      {"negative dim", [](auto &b) { b.input("n", {DType::F32, {-2}}).node("Neg", {"n"}, {"y"}); }},
      {"too many elements",
       [](auto &b) {
         b.input("n", {DType::F32, {1ll << 40, 1ll << 40}}).node("Neg", {"n"}, {"y"});
       }},
      {"must be an integer", [](auto &b) { b.node("Flatten", {"x"}, {"y"}).attr("axis", 1.0f); }},
      {"out of range for rank 1",
       [](auto &b) { b.node("Softmax", {"x"}, {"y"}).attr("axis", int64_t(5)); }},
      {"at most 2^31", [](auto &b) { b.node("Softmax", {"x"}, {"y"}).attr("axis", INT64_MIN); }},
      {"does not list 1 axes",
       [](auto &b) { b.node("Transpose", {"x"}, {"y"}).attr("perm", std::vector<int64_t>{}); }},
      {"an axis occurs twice",
       [](auto &b) { b.node("Transpose", {"x"}, {"y"}).attr("perm", std::vector<int64_t>{0, 0}); }},
      {"do not fit into the new shape",
       [](auto &b) { b.initializer("s", ints({3})).node("Reshape", {"x", "s"}, {"y"}); }},
      {"is not valid",
       [](auto &b) { b.initializer("s", ints({-1, -1})).node("Reshape", {"x", "s"}, {"y"}); }},
      {"negative or too large",
       [](auto &b) { b.initializer("s", ints({-1})).node("ConstantOfShape", {"s"}, {"y"}); }},
      {"negative or too large",
       [](auto &b) {
         b.initializer("s", ints({1ll << 40, 1ll << 40})).node("ConstantOfShape", {"s"}, {"y"});
       }},
      {"has no length",
       [](auto &b) {
         b.initializer("a", floats({}, {0})).initializer("d", floats({}, {0}));
         b.node("Range", {"a", "a", "d"}, {"y"});
       }},
      {"4294967296 is out of range",
       [](auto &b) { b.initializer("r", ints({1ll << 32})).node("Tile", {"x", "r"}, {"y"}); }},
      {"[N,C,D1,..] is needed",
       [](auto &b) {
         b.node("MaxPool", {"x"}, {"y"}).attr("kernel_shape", std::vector<int64_t>{2});
       }},
      {"declared i64[4], but its value is f32[4]: correct the declared type",
       [](auto &b) {
         b.graph().clear_output();
         b.output("y", TensorType{DType::I64, {4}}).node("Neg", {"x"}, {"y"});
       }},
  };
  checkRefused(cases);
}

TEST_CASE("shapes that do not fit together are a malformed model", "[onnx][bad]") {
  checkRefused({
      {"inner dims 3 and 2 differ",
       [](auto &b) { b.input("m", {DType::F32, {2, 3}}).node("MatMul", {"m", "m"}, {"y"}); }},
      {"one label stands for axes of [2,3] elements",
       [](auto &b) {
         b.input("m", {DType::F32, {2, 3}}).node("Einsum", {"m"}, {"y"}).attr("equation", "ii->i");
       }},
      {"has extent 3 and 2",
       [](auto &b) {
         b.input("m", {DType::F32, {2, 3}})
             .node("Einsum", {"m", "m"}, {"y"})
             .attr("equation", "ij,jk->ik");
       }},
      {"do not broadcast",
       [](auto &b) { b.input("m", {DType::F32, {3}}).node("Add", {"x", "m"}, {"y"}); }},
      {"negative dim or too many elements",
       [](auto &b) { b.initializer("s", ints({-1, 4})).node("Expand", {"x", "s"}, {"y"}); }},
      {"exceeds the extent 2",
       [](auto &b) {
         b.input("i", {DType::F32, {1, 1, 2}}).input("w", {DType::F32, {1, 1, 3}});
         b.node("Conv", {"i", "w"}, {"y"});
       }},
  });
}

TEST_CASE("an unknown dtype and other types than tensors are named", "[onnx][bad]") {
  OnnxBuilder builder = onVector();
  builder.node("Identity", {"x"}, {"y"});
  auto *type = builder.graph().mutable_input(0)->mutable_type();
  type->mutable_tensor_type()->set_elem_type(99);
  auto model = importBytes(builder.bytes());
  REQUIRE_FALSE(model);
  REQUIRE_THAT(model.error().message(), Catch::Contains("input 'x' of type 99 is not supported"));
  type->mutable_sequence_type();
  model = importBytes(builder.bytes());
  REQUIRE_FALSE(model);
  REQUIRE_THAT(model.error().message(), Catch::Contains("input 'x' of sequence is not supported"));
}

TEST_CASE("stored sizes are checked before anything is allocated", "[onnx][bad]") {
  OnnxBuilder builder = onVector();
  builder.initializer("w", floats({1}, {1})).node("Add", {"x", "w"}, {"y"});
  onnx::TensorProto &weight = *builder.graph().mutable_initializer(0);
  weight.set_dims(0, int64_t(1) << 40);
  auto model = importBytes(builder.bytes());
  REQUIRE_FALSE(model);
  REQUIRE_THAT(model.error().message(), Catch::Contains("but 4 are stored"));
  weight.clear_raw_data();
  weight.add_float_data(1);
  model = importBytes(builder.bytes());
  REQUIRE_FALSE(model);
  REQUIRE_THAT(model.error().message(), Catch::Contains("but 1 are stored"));
}

TEST_CASE("files that are no models", "[onnx][bad]") {
  REQUIRE_FALSE(importBytes(""));
  REQUIRE_FALSE(importBytes("hello, this is no model"));
  REQUIRE_FALSE(importBytes(std::string(1000, '\0')));
  REQUIRE_FALSE(importFile("/"));
  REQUIRE_FALSE(importFile("/nonexistent/model.onnx"));
  std::mt19937_64 random(3);
  std::string noise(4096, '\0');
  for (char &byte : noise) {
    byte = static_cast<char>(random());
  }
  REQUIRE_FALSE(importBytes(noise));
}

TEST_CASE("a chain of 20000 nodes needs no deep stack", "[onnx][bad]") {
  OnnxBuilder builder = onVector();
  builder.initializer("v0", ints({1})).initializer("one", ints({1}));
  for (int i = 0; i < 20000; ++i) {
    builder.node("Mul", {fmt::format("v{}", i), "one"}, {fmt::format("v{}", i + 1)});
  }
  builder.node("Tile", {"x", "v20000"}, {"y"});
  REQUIRE(importBytes(builder.bytes()));
}

TEST_CASE("a large value that decides a shape is refused, not computed", "[onnx][bad]") {
  OnnxBuilder builder = onVector();
  builder.initializer("s", ints({1ll << 40})).node("ConstantOfShape", {"s"}, {"big"});
  builder.attr("value", ints({1})).node("ReduceSum", {"big"}, {"n"});
  builder.node("Tile", {"x", "n"}, {"y"});
  auto model = importBytes(builder.bytes());
  REQUIRE_FALSE(model);
  REQUIRE_THAT(model.error().message(), Catch::Contains("too many operations"));
}

TEST_CASE("a graph of millions of empty nodes is refused", "[onnx][bad]") {
  OnnxBuilder builder = onVector();
  for (int i = 0; i <= 1 << 20; ++i) {
    builder.graph().add_node();
  }
  auto model = importBytes(builder.bytes());
  REQUIRE_FALSE(model);
  REQUIRE_THAT(model.error().message(), Catch::Contains("at most 1048576 are supported"));
}

TEST_CASE("subgraphs nested 10000 deep are an error", "[onnx][bad]") {
  // Attributes that hold graphs, written as bytes: each level is node { attribute { g } }.
  auto field = [](int number, const std::string &content) {
    std::string size;
    size_t rest = content.size();
    for (; rest >= 128; rest >>= 7) {
      size += static_cast<char>(rest | 0x80);
    }
    size += static_cast<char>(rest);
    return static_cast<char>(number << 3 | 2) + size + content;
  };
  std::string graph;
  for (int depth = 0; depth < 10000; ++depth) {
    graph = field(1, field(5, field(6, graph)));
  }
  REQUIRE_FALSE(importBytes(field(7, graph)));
}

/// A small network and shape arithmetic: many handlers see the mutations.
static OnnxBuilder fuzzModel() {
  OnnxBuilder b;
  b.input("x", {DType::F32, {1, 2, 6, 6}}).output("y").output("z");
  b.initializer("w", floats({4, 2, 3, 3}, {1, 2, 3})).initializer("c", floats({4}, {1, 2, 3, 4}));
  b.initializer("pads", ints({0, 0, 1, -1, 0, 0, 1, 2})).initializer("one", ints({1}));
  b.initializer("minus", ints({-1})).initializer("g", floats({16, 3}, {1}));
  b.node("Conv", {"x", "w", "c"}, {"conv"}).attr("pads", std::vector<int64_t>{1, 1, 1, 1});
  b.attr("strides", std::vector<int64_t>{1, 2}).attr("group", int64_t(1));
  b.node("BatchNormalization", {"conv", "c", "c", "c", "c"}, {"bn"}).attr("epsilon", 0.1f);
  b.node("Pad", {"bn", "pads"}, {"padded"}).attr("mode", std::string("reflect"));
  b.node("MaxPool", {"padded"}, {"pool"}).attr("kernel_shape", std::vector<int64_t>{3, 2});
  b.attr("strides", std::vector<int64_t>{2, 2}).attr("ceil_mode", int64_t(1));
  b.node("Shape", {"pool"}, {"shape"}).node("Slice", {"shape", "one", "minus"}, {"part"});
  b.node("ReduceProd", {"part"}, {"count"}).attr("keepdims", int64_t(1));
  b.node("Concat", {"minus", "one", "count"}, {"target"}).attr("axis", int64_t(0));
  b.node("Reshape", {"pool", "target"}, {"z"}).node("Relu", {"z"}, {"act"});
  b.node("Einsum", {"x", "x"}, {"e"}).attr("equation", std::string("abcd,abce->de"));
  b.node("Softmax", {"e"}, {"s"}).attr("axis", int64_t(1)).node("Transpose", {"s"}, {"y"});
  b.attr("perm", std::vector<int64_t>{1, 0});
  return b;
}

TEST_CASE("mutated models are an error or a valid module", "[onnx][bad][fuzz]") {
  REQUIRE(importBytes(fuzzModel().bytes()));
  const std::string good = fuzzModel().bytes();
  std::mt19937_64 random(5);
  TemporaryFolder folder;
  for (int round = std::getenv("ZYXC_LONG_TESTS") ? 50000 : 3000; round-- > 0;) {
    std::string bad = round % 4 ? good : good.substr(0, random() % good.size());
    for (int flips = 1 + static_cast<int>(random() % 3); flips-- > 0 && !bad.empty();) {
      bad[random() % bad.size()] ^= static_cast<char>(1 << random() % 8);
    }
    REQUIRE(writeFile(folder.file("model.onnx"), bad).isOk());
    Expected<ImportedModel> model = importFile(folder.file("model.onnx"));
    if (!model) {
      REQUIRE(model.error().code() != ErrorCode::Internal);
      REQUIRE(model.error().message().find('\n') == std::string::npos);
    }
  }
}

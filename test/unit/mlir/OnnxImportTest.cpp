// What an imported model is: names, locations, constants, bound inputs, shapes.
#include "compiler/import/TensorProtoFile.h"
#include "dialects/zyx/IR/ZyxBridge.h"
#include "dialects/zyx/IR/ZyxDialect.h"
#include "test/unit/mlir/OnnxBuilder.h"
#include <catch2/catch.hpp>

using namespace zyxc;

static std::vector<std::string> opNames(mlir::func::FuncOp main) {
  std::vector<std::string> names;
  for (mlir::Operation &op : main.front()) {
    names.push_back(op.getName().getStringRef().str());
  }
  return names;
}

TEST_CASE("arguments, results and ops carry the model's names", "[onnx]") {
  TemporaryFolder folder;
  OnnxBuilder builder;
  builder.input("image", {DType::F32, {2, 3}})
      .output("scores")
      .node("Relu", {"image"}, {"r"}, "act");
  builder.node("Neg", {"r"}, {"scores"});
  Expected<ImportedModel> model = importFile(builder.save(folder));
  REQUIRE(model);
  mlir::func::FuncOp main = model->main();
  REQUIRE(main.getArgAttrOfType<mlir::StringAttr>(0, "zyx.name").getValue() == "image");
  REQUIRE(main.getResultAttrOfType<mlir::StringAttr>(0, "zyx.name").getValue() == "scores");
  std::vector<std::string> locations;
  for (mlir::Operation &op : main.front().without_terminator()) {
    locations.push_back(zyx::locationName(op.getLoc()));
  }
  REQUIRE(locations.front() == "act");
  REQUIRE(locations.back() == "Neg_1"); // a node without a name
}

TEST_CASE("an initializer that is also a graph input is a constant", "[onnx]") {
  OnnxBuilder builder;
  builder.input("x", {DType::F32, {2}}).input("w", {DType::F32, {2}}).output("y");
  builder.initializer("w", floats({2}, {10, 20})).node("Mul", {"x", "w"}, {"y"});
  auto outputs = importAndRun(builder, {floats({2}, {3, 4})});
  REQUIRE(outputs);
  REQUIRE((*outputs)[0].identical(floats({2}, {30, 80})));
}

TEST_CASE("a binding replaces an initializer, and is checked", "[onnx]") {
  OnnxBuilder builder;
  builder.input("x", {DType::F32, {2}}).input("w", {DType::F32, {2}}).output("y");
  builder.initializer("w", floats({2}, {10, 20})).node("Mul", {"x", "w"}, {"y"});
  ImportOptions options;
  options.bindings.emplace("w", floats({2}, {-1, 2}));
  auto outputs = importAndRun(builder, {floats({2}, {3, 4})}, options);
  REQUIRE(outputs);
  REQUIRE((*outputs)[0].identical(floats({2}, {-3, 8})));
  options.bindings["w"] = ints({1, 2});
  outputs = importAndRun(builder, {floats({2}, {3, 4})}, options);
  REQUIRE_FALSE(outputs);
  REQUIRE_THAT(outputs.error().message(), Catch::Contains("input 'w' is f32, but its bound value"));
}

TEST_CASE("nodes may stand in any order", "[onnx]") {
  OnnxBuilder builder;
  builder.input("x", {DType::F32, {1}}).output("z");
  builder.node("Neg", {"y"}, {"z"}).node("Abs", {"x"}, {"y"});
  auto outputs = importAndRun(builder, {floats({1}, {-3})});
  REQUIRE(outputs);
  REQUIRE((*outputs)[0].asDouble(0) == -3);
}

TEST_CASE("a large constant of one value stays an expanded scalar", "[onnx]") {
  TemporaryFolder folder;
  OnnxBuilder builder;
  int64_t side = int64_t(1) << 20;
  builder.output("y").initializer("s", ints({side, side})).node("ConstantOfShape", {"s"}, {"y"});
  builder.attr("value", floats({1}, {0.5}));
  Expected<ImportedModel> model = importFile(builder.save(folder));
  REQUIRE(model);
  REQUIRE(opNames(model->main()) ==
          std::vector<std::string>{"zyx.constant", "zyx.reshape", "zyx.expand", "func.return"});
}

TEST_CASE("an input that decides a shape is found, asked for and bound", "[onnx]") {
  TemporaryFolder folder;
  OnnxBuilder builder;
  builder.input("x", {DType::F32, {2, 3}})
      .input("k", {DType::I64, {}})
      .input("z", {DType::F32, {6}});
  builder.output("y").initializer("six", ints({6})).initializer("zero", ints({0}));
  // The new shape is [k, 6 / k]; z gives its shape only.
  builder.node("Unsqueeze", {"k", "zero"}, {"rows"}).node("Shape", {"z"}, {"zs"});
  builder.node("Div", {"zs", "rows"}, {"columns"}).node("Concat", {"rows", "columns"}, {"shape"});
  builder.attr("axis", int64_t(0)).node("Reshape", {"x", "shape"}, {"y"}, "fold");
  std::string path = builder.save(folder);

  auto deciding = shapeDecidingInputs(path);
  REQUIRE(deciding);
  REQUIRE(*deciding == std::vector<std::string>{"k"});

  Expected<ImportedModel> unbound = importFile(path);
  REQUIRE_FALSE(unbound);
  REQUIRE_THAT(unbound.error().message(),
               Catch::Contains("'fold' (Reshape)") && Catch::Contains("--bind k=@FILE"));

  ImportOptions options;
  options.bindings.emplace("k", Tensor::scalarInt(DType::I64, 3));
  auto outputs =
      importAndRun(builder, {floats({2, 3}, {0, 1, 2, 3, 4, 5}), floats({6}, {})}, options);
  REQUIRE(outputs);
  REQUIRE((*outputs)[0].identical(floats({3, 2}, {0, 1, 2, 3, 4, 5})));
}

TEST_CASE("symbolic dims take their sizes from given shapes", "[onnx]") {
  TemporaryFolder folder;
  OnnxBuilder builder;
  builder.input("a", {DType::F32, {1, 3}}).input("b", {DType::F32, {1}}).output("y");
  for (int i : {0, 1}) {
    auto *shape =
        builder.graph().mutable_input(i)->mutable_type()->mutable_tensor_type()->mutable_shape();
    shape->mutable_dim(0)->set_dim_param("N");
  }
  builder.node("ReduceSum", {"a"}, {"s"}).attr("keepdims", int64_t(0));
  builder.node("Add", {"s", "b"}, {"y"});
  std::string path = builder.save(folder);
  Expected<ImportedModel> model = importFile(path);
  REQUIRE_FALSE(model);
  REQUIRE(model.error().code() == ErrorCode::Usage);
  REQUIRE_THAT(model.error().message(), Catch::Contains("input 'a' has a dim 'N' without a size"));

  ImportOptions options;
  options.inputShapes["a"] = {4, 3};
  model = importFile(path, options);
  REQUIRE(model);
  REQUIRE(zyx::toTensorType(model->main().getArgument(1).getType())->shape == Shape{4});
  options.inputShapes["b"] = {5};
  model = importFile(path, options);
  REQUIRE_FALSE(model);
  REQUIRE_THAT(model.error().message(), Catch::Contains("input 'b' has size 4 at axis 0"));
}

TEST_CASE("dims of -1 and of the name ? are sizes that the given shape decides", "[onnx]") {
  TemporaryFolder folder;
  OnnxBuilder builder;
  builder.input("x", {DType::F32, {2, 3, 4}}).output("y");
  auto *shape = builder.graph().mutable_input(0)->mutable_type()->mutable_tensor_type();
  shape->mutable_shape()->mutable_dim(0)->set_dim_value(-1);
  shape->mutable_shape()->mutable_dim(1)->set_dim_param("?");
  shape->mutable_shape()->mutable_dim(2)->set_dim_param("?");
  builder.node("Neg", {"x"}, {"y"});
  std::string path = builder.save(folder);
  REQUIRE_FALSE(importFile(path));
  ImportOptions options;
  options.inputShapes["x"] = {5, 6, 7};
  Expected<ImportedModel> model = importFile(path, options);
  REQUIRE(model);
  REQUIRE(zyx::toTensorType(model->main().getArgument(0).getType())->shape == Shape{5, 6, 7});
}

TEST_CASE("every unsupported node is listed", "[onnx]") {
  TemporaryFolder folder;
  OnnxBuilder builder;
  builder.input("x", {DType::F32, {2, 3}}).output("y");
  builder.node("NonZero", {"x"}, {"a"}, "first").node("Relu", {"x"}, {"b"});
  builder.node("Warp", {"a", "b"}, {"y"}, "second");
  builder.graph().mutable_node(2)->set_domain("com.example");
  std::string path = builder.save(folder);
  auto info = inspectOnnx(path);
  REQUIRE(info);
  REQUIRE(info->unsupported.size() == 2);
  REQUIRE(info->unsupported[1].domain == "com.example");
  Expected<ImportedModel> model = importFile(path);
  REQUIRE_FALSE(model);
  REQUIRE(model.error().code() == ErrorCode::Unsupported);
  REQUIRE_THAT(model.error().message(), Catch::Contains("2 nodes are not supported: ") &&
                                            Catch::Contains("NonZero (no such operator") &&
                                            Catch::Contains(": 'first'; com.example.Warp (") &&
                                            Catch::Contains(": 'second'"));
}

TEST_CASE("inspecting gives the interface of a model", "[onnx]") {
  TemporaryFolder folder;
  OnnxBuilder builder(13);
  builder.input("x", {DType::BF16, {2, 3}}).input("w", {DType::F32, {1}}).output("y");
  builder.initializer("w", floats({1}, {1})).node("Identity", {"x"}, {"y"});
  auto *shape =
      builder.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
  shape->mutable_dim(1)->set_dim_param("width");
  auto info = inspectOnnx(builder.save(folder));
  REQUIRE(info);
  REQUIRE(info->opset == 13);
  REQUIRE(info->inputs.size() == 1);
  REQUIRE(info->inputs[0].typeName == "bf16");
  REQUIRE(info->inputs[0].dims[0].size == 2);
  REQUIRE(info->inputs[0].dims[1].symbol == "width");
  REQUIRE_FALSE(info->outputs[0].hasShape);
  REQUIRE(info->unsupported.empty());
}

TEST_CASE("a tensor survives a .pb file in each dtype", "[onnx]") {
  TemporaryFolder folder;
  for (const DTypeInfo &row : dtypeTable) {
    Tensor tensor = floats({2, 2}, {0, 1, 1, 0}, row.dtype);
    REQUIRE(writeTensorProto(folder.file("t.pb"), "t", tensor).isOk());
    Expected<Tensor> read = readTensorProto(folder.file("t.pb"));
    REQUIRE(read);
    REQUIRE(read->identical(tensor));
  }
}

TEST_CASE("typed fields of a TensorProto are read like raw data", "[onnx]") {
  importer::TensorReader reader(".", nullptr);
  onnx::TensorProto proto;
  proto.add_dims(2);
  proto.set_data_type(onnx::TensorProto::BFLOAT16);
  proto.add_int32_data(0x3f80);
  proto.add_int32_data(0x4000);
  Expected<Tensor> read = reader.read(proto);
  REQUIRE(read);
  REQUIRE(read->identical(floats({2}, {1, 2}, DType::BF16)));
  proto.set_data_type(onnx::TensorProto::DOUBLE);
  read = reader.read(proto);
  REQUIRE_FALSE(read);
  REQUIRE_THAT(read.error().message(), Catch::Contains("needs 2 elements, but 0 are stored"));
}

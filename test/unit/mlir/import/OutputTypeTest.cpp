// What a model declares of its outputs: by the rule of ONNX's checker.
#include "test/unit/mlir/OnnxBuilder.h"
#include <catch2/catch.hpp>

using namespace zyxc;

/// Imports y = -x, with these dims of x and y: numbers, names, or "". The error; "" if there is
/// none.
static std::string declaring(const std::vector<std::string> &x, const std::vector<std::string> &y,
                             const ImportOptions &options, DType dtype = DType::F32) {
  OnnxBuilder builder;
  builder.openInput("x", DType::F32, x).output("y", TensorType{dtype, {}});
  auto &shape = *builder.graph().mutable_output(0)->mutable_type()->mutable_tensor_type();
  shape.mutable_shape(); // of rank 0 so far
  for (const std::string &text : y) {
    auto &dim = *shape.mutable_shape()->add_dim();
    if (!text.empty() && text.find_first_not_of("-0123456789") == std::string::npos) {
      dim.set_dim_value(std::stoll(text));
    } else if (!text.empty()) {
      dim.set_dim_param(text);
    }
  }
  builder.node("Neg", {"x"}, {"y"});
  TemporaryFolder folder;
  Expected<ImportedModel> model = importFile(builder.save(folder), options);
  if (model) {
    return "";
  }
  CHECK(model.error().code() == ErrorCode::Input);
  std::string text = model.error().message();
  return text.substr(text.find("output"));
}

static std::string declaring(const std::vector<std::string> &x, const std::vector<std::string> &y) {
  ImportOptions options;
  options.openDims = true;
  return declaring(x, y, options);
}

TEST_CASE("declared sizes of outputs that are right, open or named", "[onnx][output]") {
  CHECK(declaring({"2", "3"}, {"2", "3"}) == "");
  CHECK(declaring({"2", "3"}, {"A", "A"}) == "");
  CHECK(declaring({"2", "3"}, {"", "3"}) == "");
  CHECK(declaring({"2", "3"}, {"-1", "?"}) == "");
  CHECK(declaring({"N", "3"}, {"1", "3"}) == "");
  CHECK(declaring({"N", "3"}, {"M", "3"}) == "");
  CHECK(declaring({}, {}) == "");
}

TEST_CASE("declared sizes of outputs that no value has", "[onnx][output]") {
  CHECK(declaring({"2", "3"}, {"2", "4"}) ==
        "output 'y' is declared f32[2,4], but its value is f32[2,3]: correct the declared type, or "
        "save the model without its shape");
  CHECK_THAT(declaring({"N", "3"}, {"M", "4"}),
             Catch::Contains("declared f32[M,4], but its value is f32[N,3]"));
  CHECK_THAT(declaring({"2", "3"}, {"", "3", "1"}),
             Catch::Contains("declared f32[?,3,1], but its value is f32[2,3]"));
  CHECK_THAT(declaring({"2", "3"}, {}), Catch::Contains("declared f32[], but its value"));
  CHECK_THAT(declaring({"0", "3"}, {"1", "3"}), Catch::Contains("declared f32[1,3]"));
  CHECK_THAT(declaring({"2"}, {"2"}, {}, DType::I32),
             Catch::Contains("declared i32[2], but its value is f32[2]"));
}

TEST_CASE("sizes that a caller gives may differ from those of declared outputs", "[onnx][output]") {
  ImportOptions options;
  options.dims["N"] = 5;
  CHECK(declaring({"N", "3"}, {"1", "3"}, options) == "");
  CHECK_THAT(declaring({"N", "3"}, {"1"}, options), Catch::Contains("declared f32[1], but"));
  options.dims.clear();
  options.inputShapes["x"] = {5, 3};
  CHECK(declaring({"N", "3"}, {"1", "3"}, options) == "");
  CHECK_THAT(declaring({"5", "3"}, {"1", "3"}, options), Catch::Contains("declared f32[1,3]"));
}

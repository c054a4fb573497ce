// Weights in files of their own: mapped where they are right, refused in one line where not.
#include "test/unit/mlir/OnnxBuilder.h"
#include <catch2/catch.hpp>
#include <cstring>

using namespace zyxc;

/// y = x + w with w [2] in an external file.
struct ExternalModel {
  TemporaryFolder folder;
  OnnxBuilder builder;

  explicit ExternalModel(const std::string &location, const std::string &offset = "",
                         const std::string &length = "") {
    builder.input("x", {DType::F32, {2}}).output("y").node("Add", {"x", "w"}, {"y"});
    onnx::TensorProto &weight = *builder.graph().add_initializer();
    weight.set_name("w");
    weight.set_data_type(onnx::TensorProto::FLOAT);
    weight.add_dims(2);
    weight.set_data_location(onnx::TensorProto::EXTERNAL);
    for (auto [key, value] :
         {std::pair("location", location), {"offset", offset}, {"length", length}}) {
      if (!value.empty()) {
        auto *entry = weight.add_external_data();
        entry->set_key(key);
        entry->set_value(value);
      }
    }
    std::filesystem::create_directories(folder.path / "model");
  }

  /// Writes the weights, after some bytes, to a file beside the model.
  void writeWeights(const std::string &name, size_t before) {
    std::string content(before + 8, '\0');
    float values[] = {10, 20};
    std::memcpy(content.data() + before, values, sizeof values);
    REQUIRE(writeFile((folder.path / "model" / name).string(), content).isOk());
  }
  Expected<ImportedModel> importModel() {
    return importFile(builder.save(folder, "model/model.onnx"));
  }
  Expected<std::vector<Tensor>> run() {
    ZYXC_ASSIGN(ImportedModel model, importModel());
    return interp::runModule(model.main(), std::vector{floats({2}, {1, 2})});
  }
};

TEST_CASE("external weights are read at their offset, aligned or not", "[onnx][external]") {
  for (size_t offset : {0, 64, 3}) {
    ExternalModel model("weights.bin", std::to_string(offset), "8");
    model.writeWeights("weights.bin", offset);
    auto outputs = model.run();
    REQUIRE(outputs);
    REQUIRE((*outputs)[0].identical(floats({2}, {11, 22})));
  }
}

TEST_CASE("external data that is not right is refused in one line", "[onnx][external]") {
  struct Bad {
    const char *location, *offset, *length, *message;
  };
  const Bad cases[] = {
      {"missing.bin", "", "", "cannot be opened"},
      {"../secret.bin", "", "", "leads outside"},
      {"sub/../../secret.bin", "", "", "leads outside"},
      {"/etc/passwd", "", "", "absolute path"},
      {"link.bin", "", "", "link that leads outside"},
      {"", "", "", "names no file"},
      {"weights.bin", "4", "8", "too few for 8 bytes at offset 4"},
      {"weights.bin", "18446744073709551615", "8", "too few"},
      {"weights.bin", "0", "12", "has length 12"},
      {"weights.bin", "x", "", "no byte count"},
      {"weights.bin", "-1", "", "no byte count"},
      {".", "", "", "not a regular file"},
  };
  for (const Bad &bad : cases) {
    INFO(bad.location << " " << bad.message);
    ExternalModel model(bad.location, bad.offset, bad.length);
    model.writeWeights("weights.bin", 0);
    REQUIRE(writeFile(model.folder.file("secret.bin"), "12345678").isOk());
    std::filesystem::create_symlink(model.folder.file("secret.bin"),
                                    model.folder.path / "model" / "link.bin");
    Expected<ImportedModel> result = model.importModel();
    REQUIRE_FALSE(result);
    REQUIRE(result.error().code() == ErrorCode::Input);
    REQUIRE_THAT(result.error().message(),
                 Catch::Contains(bad.message) && Catch::Contains("tensor 'w'"));
    REQUIRE(result.error().message().find('\n') == std::string::npos);
  }
}

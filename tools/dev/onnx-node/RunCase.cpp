#include "tools/dev/onnx-node/RunCase.h"
#include "compiler/driver/LoadCompiled.h"
#include "compiler/import/TensorProtoFile.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "passes/graph/BindSizes.h"
#include "runtime/support/File.h"
#include <algorithm>
#include <fmt/core.h>
#include <onnx/onnx.pb.h>
#include <unistd.h>

namespace zyxc::onnxnode {

namespace fs = std::filesystem;

/// Values of the model's outputs on the target.
static Expected<std::vector<Tensor>> runModel(const Model &model, std::span<const Tensor> arguments,
                                              const Mode &mode) {
  if (mode.target == "interp") {
    return model.interpret(arguments, 0);
  }
  CompileOptions options;
  options.target = mode.target;
  if (mode.device) {
    options.device = mode.device->info();
  }
  ZYXC_ASSIGN(Compiled compiled, compile(model, options));
  ZYXC_ASSIGN(auto runner, loadCompiled(compiled, {}, mode.device));
  return runner->run(arguments);
}

/// Writes the model with no sizes for its inputs, or for the first dim of each, but those that are
/// bound.
static Status writeOpenModel(const std::string &path, const std::string &to,
                             const ModelOptions &options, bool firstOnly) {
  ZYXC_ASSIGN(InputFile file, InputFile::open(path));
  ZYXC_ASSIGN(std::string content, file.readAll());
  onnx::ModelProto model;
  if (!model.ParseFromString(content)) {
    return makeError(ErrorCode::Input, "{} is no model", path);
  }
  for (onnx::ValueInfoProto &input : *model.mutable_graph()->mutable_input()) {
    onnx::TypeProto &type = *input.mutable_type();
    if (options.bindings.contains(input.name()) || !type.has_tensor_type()) {
      continue;
    }
    onnx::TensorShapeProto &shape = *type.mutable_tensor_type()->mutable_shape();
    for (int i = 0; i < (firstOnly ? std::min(1, shape.dim_size()) : shape.dim_size()); ++i) {
      shape.mutable_dim(i)->Clear();
    }
  }
  return writeFile(to, model.SerializeAsString());
}

/// Gives the variables of the model's inputs the sizes that the arguments have. An error where the
/// model was made for others: a size of 1 where it does not broadcast, a slice beyond its axis.
static Status bindToArguments(const Model &model, std::span<const Tensor> arguments) {
  dim::Bindings sizes;
  std::vector<rt::NamedType> inputs = model.inputs();
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Shape &shape = inputs[i].type.shape;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      if (std::string name = dim::toString(shape[axis]); dim::isVariableName(name)) {
        sizes.emplace(std::move(name), arguments[i].shape()[axis]);
      }
    }
  }
  ZYXC_RETURN_IF_ERROR(bindSizes(model.function(), sizes));
  inputs = model.inputs();
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].type != arguments[i].type()) {
      return makeError(ErrorCode::Unsupported, "input '{}' is {}, but must be {}", inputs[i].name,
                       toString(arguments[i].type()), toString(inputs[i].type));
    }
  }
  return Status::ok();
}

static Expected<Model> loadModel(const Case &test, const ModelOptions &options,
                                 std::span<const Tensor> arguments, const std::string &openDims) {
  if (openDims.empty()) {
    return Model::load(test.model, options);
  }
  std::string path = fs::temp_directory_path() / fmt::format("zyxc-onnx-node-{}.onnx", getpid());
  ZYXC_RETURN_IF_ERROR(writeOpenModel(test.model, path, options, openDims == "first"));
  ModelOptions open{options.bindings, {}, {}, true};
  Expected<Model> model = Model::load(path, open);
  std::error_code ignored;
  fs::remove(path, ignored);
  if (!model) { // whatever the reason: with sizes it is another case
    return makeError(ErrorCode::Unsupported, "{}", model.error().message());
  }
  ZYXC_RETURN_IF_ERROR(bindToArguments(*model, arguments));
  return model;
}

Verdict verdictOf(const Status &error) {
  bool unsupported = error.code() == ErrorCode::Unsupported;
  return {unsupported ? Outcome::Unsupported : Outcome::Fail, error.message()};
}

/// Runs the imported model and compares its outputs with those of the case.
static Verdict compareOutputs(const Case &test, const ModelOptions &options,
                              std::span<const Tensor> arguments, const Mode &mode) {
  Expected<Model> model = loadModel(test, options, arguments, mode.openDims);
  if (!model) {
    return verdictOf(model.error());
  }
  if (mlir::failed(mlir::verify(model->module()))) {
    return {Outcome::Fail, "the imported module does not verify"};
  }
  Expected<std::vector<Tensor>> outputs = runModel(*model, arguments, mode);
  if (!outputs) {
    bool refusable = rt::isGpuTarget(mode.target); // what the importer takes, a host must run
    return refusable ? verdictOf(outputs.error())
                     : Verdict{Outcome::Fail, outputs.error().message()};
  }
  fs::path beyond = test.data / fmt::format("output_{}.pb", outputs->size());
  if (outputs->empty() || (!test.data.empty() && fs::exists(beyond))) {
    return {Outcome::Fail, fmt::format("{} outputs, expected more", outputs->size())};
  }
  for (size_t i = 0; i < outputs->size(); ++i) {
    fs::path file = test.data.empty() ? test.expected : test.data / fmt::format("output_{}.pb", i);
    Expected<Tensor> expected = readTensorProto(file);
    if (!expected) {
      return verdictOf(expected.error());
    }
    std::string text = difference((*outputs)[i], *expected);
    if (!text.empty()) {
      return {Outcome::Fail, fmt::format("output {}: {}", model->outputs()[i].name, text)};
    }
  }
  return {Outcome::Pass, ""};
}

static Verdict runInspected(const Case &test, const ModelInfo &info, const Mode &mode) {
  for (const OnnxValue &input : info.inputs) {
    if (!input.dtype) {
      return {Outcome::Unsupported, "input of " + input.typeName};
    }
  }
  if (!info.unsupported.empty()) {
    return {Outcome::Unsupported, info.unsupported[0].op + ": " + info.unsupported[0].reason};
  }
  Expected<std::vector<Tensor>> inputs = readInputs(test, info);
  if (!inputs) {
    return verdictOf(inputs.error());
  }
  Expected<std::vector<std::string>> deciding = shapeDecidingInputs(test.model);
  ModelOptions options;
  std::vector<Tensor> arguments;
  for (size_t i = 0; i < inputs->size(); ++i) {
    const std::string &name = info.inputs[i].name;
    if (deciding && std::find(deciding->begin(), deciding->end(), name) != deciding->end()) {
      options.bindings.emplace(name, (*inputs)[i]);
    } else {
      options.inputShapes.emplace(name, (*inputs)[i].shape());
      arguments.push_back((*inputs)[i]);
    }
  }
  return compareOutputs(test, options, arguments, mode);
}

Verdict runCase(const Case &test, const Mode &mode) {
  Expected<ModelInfo> info = inspectOnnx(test.model);
  if (!info) {
    return verdictOf(info.error());
  }
  Verdict verdict = runInspected(test, *info, mode);
  const std::set<std::string> &ops = info->operators;
  verdict.op = ops.size() == 1 ? *ops.begin() : ops.empty() ? "none" : "several";
  return verdict;
}

} // namespace zyxc::onnxnode

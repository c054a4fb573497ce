#include "compiler/import/Onnx.h"
#include "runtime/exec/Executor.h"
#include "tools/zyxc/Commands.h"
#include "tools/zyxc/Inputs.h"
#include "tools/zyxc/Progress.h"
#include <algorithm>

namespace zyxc::tool {

static bool isFile(const std::string &spec) {
  return spec.starts_with("@");
}

Status namingModel(Status status, const CommandLine &line) {
  bool named = status.message().starts_with(line.model);
  bool ofCommandLine = status.isOk() || status.code() == ErrorCode::Usage;
  return named || ofCommandLine ? status : std::move(status).withContext(line.model);
}

/// The value of an input that must be known before the model is read.
static Expected<Tensor> earlyValue(const std::string &name, const std::string &spec) {
  auto tensor = readTensorFile(spec);
  if (!tensor) {
    return std::move(tensor).error().withContext("input " + name);
  }
  return tensor;
}

/// What the command line fixes before an ONNX model is read: bound inputs and sizes of symbolic
/// dims. `inputs` becomes the values of the inputs that are left, by name.
static Expected<ModelOptions> modelOptions(const CommandLine &line,
                                           std::map<std::string, std::string> &inputs) {
  ModelOptions options;
  ZYXC_ASSIGN(ModelInfo info, inspectOnnx(line.model));
  std::vector<std::string> names;
  names.reserve(info.inputs.size());
  for (const auto &input : info.inputs) {
    names.push_back(input.name);
  }
  ZYXC_ASSIGN(inputs, resolveNames(line.inputs, names, "input"));
  ZYXC_ASSIGN(auto bindings, resolveNames(line.bindings, names, "input"));
  for (const auto &[name, spec] : bindings) {
    if (inputs.contains(name)) {
      return makeError(ErrorCode::Usage, "input '{}' is given with both --input and --bind", name);
    }
  }
  ZYXC_ASSIGN(std::vector<std::string> deciding, shapeDecidingInputs(line.model));
  for (const std::string &name : deciding) {
    if (auto given = inputs.find(name); given != inputs.end() && isFile(given->second)) {
      bindings.insert(inputs.extract(given));
    }
  }
  for (const auto &[name, spec] : bindings) {
    ZYXC_ASSIGN(options.bindings[name], earlyValue(name, spec));
  }
  for (const auto &[name, spec] : inputs) {
    if (isFile(spec)) {
      ZYXC_ASSIGN(Tensor value, earlyValue(name, spec));
      options.inputShapes[name] = value.shape();
    }
  }
  return options;
}

Expected<Job> prepareJob(const CommandLine &line) {
  Progress progress("reading " + line.model);
  std::map<std::string, std::string> specs;
  ModelOptions options;
  bool isOnnx = isOnnxPath(line.model);
  if (isOnnx) {
    ZYXC_ASSIGN(options, modelOptions(line, specs));
  } else if (!line.bindings.empty()) {
    return makeError(ErrorCode::Usage, "--bind: only inputs of ONNX models can be bound");
  }
  ZYXC_ASSIGN(Model model, Model::load(line.model, options));
  std::vector<std::string> names;
  uint64_t bytes = 0;
  for (const rt::NamedType &input : model.inputs()) {
    names.push_back(input.name);
    bytes += std::min<uint64_t>(input.type.byteSize(), UINT64_MAX - bytes);
  }
  ZYXC_RETURN_IF_ERROR(
      namingModel(rt::checkMemory(bytes, line.compile.memoryLimit, "holding the inputs"), line));
  if (!isOnnx) {
    ZYXC_ASSIGN(specs, resolveNames(line.inputs, names, "input"));
  }
  std::vector<Tensor> values;
  for (const rt::NamedType &input : model.inputs()) {
    auto given = specs.find(input.name);
    ZYXC_ASSIGN(Tensor value,
                makeInput(input, given == specs.end() ? "random" : given->second, line.seed));
    values.push_back(std::move(value));
  }
  return Job{std::move(model), std::move(values)};
}

} // namespace zyxc::tool

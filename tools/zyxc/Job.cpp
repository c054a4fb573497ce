#include "compiler/import/Onnx.h"
#include "tools/zyxc/Commands.h"
#include "tools/zyxc/Inputs.h"
#include "tools/zyxc/Progress.h"
#include <set>

namespace zyxc::tool {

static bool isFile(const std::string &spec) {
  return spec.starts_with("@");
}

/// The value of an input that must be known before the model is read.
static Expected<Tensor> earlyValue(const std::string &name, const std::string &spec) {
  auto tensor = readTensorFile(spec);
  if (!tensor) {
    return std::move(tensor).error().withContext("input " + name);
  }
  return tensor;
}

/// What the command line fixes before the model is read: bound inputs and sizes of symbolic dims.
static Expected<ModelOptions> modelOptions(const CommandLine &line,
                                           std::map<std::string, std::string> &inputs) {
  ModelOptions options;
  if (!line.model.ends_with(".onnx")) {
    if (!line.bindings.empty()) {
      return makeError(ErrorCode::Usage, "--bind: only inputs of ONNX models can be bound");
    }
    return options;
  }
  ZYXC_ASSIGN(ModelInfo info, inspectOnnx(line.model));
  std::vector<std::string> names;
  for (const auto &input : info.inputs) {
    names.push_back(input.name);
  }
  ZYXC_ASSIGN(inputs, resolveNames(line.inputs, names, "input"));
  ZYXC_ASSIGN(auto bindings, resolveNames(line.bindings, names, "input"));
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
  ZYXC_ASSIGN(ModelOptions options, modelOptions(line, specs));
  ZYXC_ASSIGN(Model model, Model::load(line.model, options));
  std::vector<std::string> names;
  for (const rt::NamedType &input : model.inputs()) {
    names.push_back(input.name);
  }
  if (specs.empty()) {
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

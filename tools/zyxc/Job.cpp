#include "compiler/import/Onnx.h"
#include "runtime/devices/open/OpenGpu.h"
#include "runtime/exec/Executor.h"
#include "runtime/support/CpuFeatures.h"
#include "tools/zyxc/Commands.h"
#include "tools/zyxc/run/Inputs.h"
#include "tools/zyxc/run/Progress.h"
#include <algorithm>
#include <fmt/format.h>

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
static Expected<Tensor> earlyValue(const CommandLine &line, const std::string &name,
                                   const std::string &spec) {
  auto tensor = line.files.read(spec);
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
    ZYXC_ASSIGN(options.bindings[name], earlyValue(line, name, spec));
  }
  for (const auto &[name, spec] : inputs) {
    if (isFile(spec)) {
      ZYXC_ASSIGN(Tensor value, earlyValue(line, name, spec));
      options.inputShapes[name] = value.shape();
    }
  }
  return options;
}

Expected<LoadedModel> loadModel(const CommandLine &line) {
  Progress progress("reading " + line.model);
  std::map<std::string, std::string> specs;
  ModelOptions options;
  bool isOnnx = isOnnxPath(line.model);
  if (isOnnx) {
    ZYXC_ASSIGN(options, modelOptions(line, specs));
  } else if (!line.bindings.empty()) {
    return makeError(ErrorCode::Usage, "--bind: only inputs of ONNX models can be bound");
  }
  options.dims = line.dims;
  options.openDims = true; // dims that an op needs equal to one with a size get theirs
  ZYXC_ASSIGN(Model model, Model::load(line.model, options));
  if (!isOnnx) {
    ZYXC_ASSIGN(specs, resolveNames(line.inputs, namesOf(model.inputs()), "input"));
  }
  return LoadedModel{std::move(model), std::move(specs)};
}

/// A run needs numbers: the error names an input and the dims that have none.
static Status checkSizes(std::span<const rt::NamedType> inputs) {
  for (const rt::NamedType &input : inputs) {
    std::set<std::string> open;
    for (int64_t size : input.type.shape) {
      open.merge(dim::variables(size));
    }
    if (!open.empty()) {
      return makeError(ErrorCode::Usage,
                       "input '{}' is {}: give it a value of a file, {}=@FILE, or sizes, --dim "
                       "{}=SIZE",
                       input.name, toString(input.type), input.name, fmt::join(open, "=SIZE,"));
    }
  }
  return Status::ok();
}

Expected<Job> prepareJob(const CommandLine &line) {
  ZYXC_ASSIGN(LoadedModel loaded, loadModel(line));
  std::vector<rt::NamedType> inputs = loaded.model.inputs();
  ZYXC_RETURN_IF_ERROR(checkSizes(inputs));
  ZYXC_RETURN_IF_ERROR(
      namingModel(rt::checkMemory(bytesOf(inputs), line.memoryLimit, "holding the inputs"), line));
  ZYXC_ASSIGN(auto given, readInputs(inputs, loaded.inputs, line.files));
  ZYXC_ASSIGN(std::vector<Tensor> values, makeInputs(inputs, given, loaded.inputs, line.seed));
  return Job{std::move(loaded.model), std::move(values)};
}

/// Device, if this processor lacks what code for --target needs.
static Status checkProcessor(const CommandLine &line) {
  auto target = HostTarget::ofModel(line.target);
  if (!target) {
    return std::move(target).error().withContext("--target=" + line.target);
  }
  std::vector<std::string> missing = CpuFeatures::detect().missing(target->neededFeatures());
  // What this zyxc does not know of, LLVM found on this machine.
  std::erase_if(missing, [](const std::string &name) { return !CpuFeatures::isKnown(name); });
  return missing.empty() ? Status::ok()
                         : makeError(ErrorCode::Device,
                                     "--target={}: this processor lacks {}: use --target=cpu",
                                     line.target, fmt::join(missing, ", "));
}

Expected<std::shared_ptr<rt::GpuDevice>> openTarget(CommandLine &line) {
  if (!rt::isGpuTarget(line.target)) {
    ZYXC_RETURN_IF_ERROR(checkGpuOptions(line));
    ZYXC_RETURN_IF_ERROR(checkProcessor(line));
    return std::shared_ptr<rt::GpuDevice>();
  }
  ZYXC_ASSIGN(auto device, rt::openGpu(line.target, {line.validate, line.simulate}));
  line.compile.device = device->info();
  return device;
}

} // namespace zyxc::tool

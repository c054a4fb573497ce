// zyxc-onnx-node: imports the models of ONNX's own backend test data, runs each through the
// reference interpreter or the whole compiler and compares the outputs with the recorded ones.
//
// usage: zyxc-onnx-node FOLDER [FILTER] [--target=interp|cpu|vulkan|..] [--shard=I/N] [--verbose]
//                       [--open-dims=all|first] [--validate] [--simulate]
//        zyxc-onnx-node --operators
// FOLDER holds one folder per case (model.onnx, test_data_set_N/{input,output}_N.pb), or networks
// X.onnx with X_output_0.pb, whose input is arange(n) / n. FILTER: part of the names to run.
// --shard: only every N-th case, from the I-th on. --verbose: a line for each case, with its
// operator. tools/dev/onnx-node-tests runs shards at once and knows which cases are expected to
// pass. Exit status: 0 if no case failed; cases with operators that zyxc does not have are skipped.
// A target of a GPU may refuse a model: it is skipped then. --validate and --simulate are those of
// `zyxc verify`.
// --open-dims: the model is imported as if its inputs (all dims, or the first of each) had no
// sizes, then bound to those of the case; what does not take open dims is skipped.
// --operators prints the operator table of the importer in the form of docs/operators.md.
#include "compiler/driver/LoadCompiled.h"
#include "compiler/import/Onnx.h"
#include "compiler/import/TensorProtoFile.h"
#include "compiler/import/ops/OnnxOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "passes/graph/BindSizes.h"
#include "runtime/devices/open/OpenGpu.h"
#include "tools/dev/isolate/Isolated.h"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fmt/core.h>
#include <map>
#include <onnx/onnx.pb.h>
#include <unistd.h>

using namespace zyxc;
namespace fs = std::filesystem;

/// One model with inputs and expected outputs.
struct Case {
  std::string name;
  fs::path model;
  fs::path data;     ///< folder of the .pb files; empty for a network
  fs::path expected; ///< of a network
};

/// How cases are run.
struct Mode {
  std::string target = "interp";
  rt::OpenGpuOptions gpu;
  std::string openDims; ///< "", all, first
};

enum class Outcome { Pass, Fail, Unsupported };

struct Verdict {
  Outcome outcome;
  std::string text;
  std::string op = "unknown"; ///< the model's operator; "several" where its nodes differ
};

/// Name, and the set of data after the first.
static std::string caseName(const fs::path &folder, int set) {
  std::string name = folder.filename();
  return set == 0 ? name : fmt::format("{}#{}", name, set);
}

static std::vector<Case> findCases(const fs::path &folder, const std::string &filter) {
  std::vector<Case> cases;
  for (const fs::directory_entry &entry : fs::directory_iterator(folder)) {
    std::string name = entry.path().stem().string();
    if (name.find(filter) == std::string::npos) {
      continue;
    }
    if (entry.path().extension() == ".onnx") {
      cases.push_back({name, entry.path(), {}, folder / (name + "_output_0.pb")});
      continue;
    }
    for (int set = 0; fs::exists(entry.path() / fmt::format("test_data_set_{}", set)); ++set) {
      fs::path data = entry.path() / fmt::format("test_data_set_{}", set);
      cases.push_back({caseName(entry.path(), set), entry.path() / "model.onnx", data, {}});
    }
  }
  std::sort(cases.begin(), cases.end(),
            [](const Case &a, const Case &b) { return a.name < b.name; });
  return cases;
}

/// Relative tolerance of a dtype; integers are exact.
static double tolerance(DType dtype) {
  switch (dtype) {
  case DType::F16: return 5e-3;
  case DType::BF16: return 2e-2;
  case DType::F8E4M3FN: return 0.13;
  case DType::F8E5M2: return 0.26;
  default: return isFloat(dtype) ? 1e-3 : 0;
  }
}

/// What differs, or "".
static std::string difference(const Tensor &actual, const Tensor &expected) {
  if (actual.type() != expected.type()) {
    return fmt::format("type {}, expected {}", toString(actual.type()), toString(expected.type()));
  }
  double relative = isSubByte(actual.dtype()) ? 0 : tolerance(actual.dtype());
  // Sums that cancel keep an error of the size of their terms, in the recorded values too.
  double largest = 1;
  for (int64_t i = 0; i < expected.numElements(); ++i) {
    double e = std::abs(expected.asDouble(i));
    largest = std::isfinite(e) ? std::max(largest, e) : largest;
  }
  double absolute = relative > 0 ? 1e-7 * largest : 0;
  for (int64_t i = 0; i < actual.numElements(); ++i) {
    double a = actual.asDouble(i);
    double e = expected.asDouble(i);
    bool close = std::isfinite(e) && std::abs(a - e) <= absolute + relative * std::abs(e);
    bool equal = a == e || (std::isnan(a) && std::isnan(e)) || close;
    if (!equal) {
      return fmt::format("element {}: {}, expected {}", i, a, e);
    }
  }
  return "";
}

/// Values of the model's inputs, in its order.
static Expected<std::vector<Tensor>> readInputs(const Case &test, const ModelInfo &info) {
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < info.inputs.size(); ++i) {
    if (!test.data.empty()) {
      ZYXC_ASSIGN(Tensor value, readTensorProto(test.data / fmt::format("input_{}.pb", i)));
      inputs.push_back(std::move(value));
      continue;
    }
    Shape shape;
    for (const OnnxDim &dim : info.inputs[i].dims) {
      shape.push_back(dim.size.value_or(1));
    }
    Tensor value = Tensor::allocate({info.inputs[i].dtype.value_or(DType::F32), shape});
    for (int64_t k = 0, count = value.numElements(); k < count; ++k) {
      value.setDouble(k, static_cast<double>(k) / static_cast<double>(count));
    }
    inputs.push_back(std::move(value));
  }
  return inputs;
}

/// Values of the model's outputs on the target.
static Expected<std::vector<Tensor>> runModel(const Model &model, std::span<const Tensor> arguments,
                                              const Mode &mode) {
  if (mode.target == "interp") {
    return model.interpret(arguments, 0);
  }
  CompileOptions options;
  options.target = mode.target;
  std::shared_ptr<rt::GpuDevice> device;
  if (rt::isGpuTarget(mode.target)) {
    ZYXC_ASSIGN(device, rt::openGpu(mode.target, mode.gpu));
    options.device = device->info();
  }
  ZYXC_ASSIGN(Compiled compiled, compile(model, options));
  ZYXC_ASSIGN(auto runner, loadCompiled(compiled, {}, device));
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

static Verdict verdictOf(const Status &error) {
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

static Verdict runCase(const Case &test, const Mode &mode) {
  Expected<ModelInfo> info = inspectOnnx(test.model);
  if (!info) {
    return verdictOf(info.error());
  }
  Verdict verdict = runInspected(test, *info, mode);
  const std::set<std::string> &ops = info->operators;
  verdict.op = ops.size() == 1 ? *ops.begin() : ops.empty() ? "none" : "several";
  return verdict;
}

/// Runs a case in a process of its own: a crash fails this case alone.
static Verdict runGuarded(const Case &test, const Mode &mode) {
  constexpr int caseSeconds = 60;
  Isolated child = runIsolated(
      [&] {
        Verdict verdict = runCase(test, mode);
        return fmt::format("{}{}\t{}", static_cast<int>(verdict.outcome), verdict.op, verdict.text);
      },
      caseSeconds);
  size_t tab = child.text.find('\t');
  if (child.end != Isolated::End::Returned || tab == std::string::npos) {
    return {Outcome::Fail, child.text};
  }
  return {static_cast<Outcome>(child.text[0] - '0'), child.text.substr(tab + 1),
          child.text.substr(1, tab - 1)};
}

/// "| Add | 1 | yes |" or "| Clip | 1 to 10, 11 |  |", sorted by name; yes: it takes open dims.
static void printOperators() {
  std::map<std::string, std::string> versions;
  std::set<std::string> takeOpenDims;
  importer::forEachOnnxOp([&](const importer::OnnxOp &row) {
    std::string &text = versions[row.name];
    bool open = row.until == importer::newest;
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", row.since,
                        open ? "" : fmt::format(" to {}", row.until));
    if (row.dims == importer::Dims::Open) {
      takeOpenDims.insert(row.name);
    }
  });
  for (const auto &[name, text] : versions) {
    fmt::print("| {} | {} | {} |\n", name, text, takeOpenDims.contains(name) ? "yes" : "");
  }
}

namespace {
struct Arguments {
  std::string folder, filter;
  Mode mode;
  size_t shard = 0, numShards = 1;
  bool verbose = false;
  bool operators = false;
};
} // namespace

/// "I/N"; no shards at all where the text is not that.
static void parseShard(const std::string &text, Arguments &result) {
  char *end = nullptr;
  result.shard = std::strtoul(text.c_str(), &end, 10);
  bool divided = end != text.c_str() && *end == '/';
  result.numShards = divided ? std::strtoul(end + 1, &end, 10) : 0;
  result.numShards = *end == '\0' ? result.numShards : 0;
}

static Arguments parseArguments(std::span<char *const> list) {
  constexpr std::string_view openFlag = "--open-dims=";
  constexpr std::string_view targetFlag = "--target=";
  constexpr std::string_view shardFlag = "--shard=";
  Arguments result;
  for (std::string_view argument : list) {
    if (argument == "--operators") {
      result.operators = true;
    } else if (argument.starts_with(openFlag)) {
      result.mode.openDims = argument.substr(openFlag.size());
    } else if (argument == "--validate") {
      result.mode.gpu.validate = true;
    } else if (argument == "--simulate") {
      result.mode.gpu.simulate = true;
    } else if (argument == "--verbose") {
      result.verbose = true;
    } else if (argument.starts_with(targetFlag)) {
      result.mode.target = argument.substr(targetFlag.size());
    } else if (argument.starts_with(shardFlag)) {
      parseShard(std::string(argument.substr(shardFlag.size())), result);
    } else {
      (result.folder.empty() ? result.folder : result.filter) = argument;
    }
  }
  return result;
}

int main(int argc, char **argv) {
  Arguments arguments = parseArguments({argv + 1, argv + argc});
  if (arguments.operators) {
    printOperators();
    return 0;
  }
  std::error_code error;
  const std::string &target = arguments.mode.target;
  bool knownTarget = target == "interp" || target == "cpu" || rt::isGpuTarget(target);
  if (arguments.folder.empty() || !fs::is_directory(arguments.folder, error) || !knownTarget ||
      arguments.shard >= arguments.numShards) {
    fmt::print(stderr, "usage: zyxc-onnx-node FOLDER [FILTER] [--target=interp|cpu|vulkan|..] "
                       "[--shard=I/N] [--verbose] [--open-dims=all|first] [--validate] "
                       "[--simulate]\n");
    return static_cast<int>(ErrorCode::Usage);
  }
  int counts[3] = {0, 0, 0};
  std::vector<Case> cases = findCases(arguments.folder, arguments.filter);
  for (size_t i = arguments.shard; i < cases.size(); i += arguments.numShards) {
    const Case &test = cases[i];
    Verdict verdict = runGuarded(test, arguments.mode);
    ++counts[static_cast<int>(verdict.outcome)];
    const char *labels[] = {"pass", "FAIL", "unsupported"};
    if (arguments.verbose || verdict.outcome == Outcome::Fail) {
      fmt::print("{}: {} ({}){}{}\n", labels[static_cast<int>(verdict.outcome)], test.name,
                 verdict.op, verdict.text.empty() ? "" : ": ", verdict.text);
    }
  }
  fmt::print("{} passed, {} failed, {} skipped\n", counts[0], counts[1], counts[2]);
  return counts[1] == 0 ? 0 : 1;
}

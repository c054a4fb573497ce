// zyxc-onnx-node: imports the models of ONNX's own backend test data, runs each through the
// reference interpreter and compares the outputs with the recorded ones.
//
// usage: zyxc-onnx-node FOLDER [FILTER] [--verbose]
//        zyxc-onnx-node --operators
// FOLDER holds one folder per case (model.onnx, test_data_set_N/{input,output}_N.pb), or networks
// X.onnx with X_output_0.pb, whose input is arange(n) / n. FILTER: part of the names to run.
// Exit status: 0 if no case failed; cases with operators that zyxc does not have do not fail.
// --operators prints the operator table of the importer in the form of docs/operators.md.
#include "compiler/import/Onnx.h"
#include "compiler/import/TensorProtoFile.h"
#include "compiler/import/ops/OnnxOps.h"
#include "compiler/interp/module/ModuleInterp.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/core.h>
#include <map>

using namespace zyxc;
namespace fs = std::filesystem;

/// One model with inputs and expected outputs.
struct Case {
  std::string name;
  fs::path model;
  fs::path data;     ///< folder of the .pb files; empty for a network
  fs::path expected; ///< of a network
};

enum class Outcome { Pass, Fail, Unsupported };

struct Verdict {
  Outcome outcome;
  std::string text;
};

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
      cases.push_back({entry.path().filename(), entry.path() / "model.onnx", data, {}});
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
  double relative = tolerance(actual.dtype());
  for (int64_t i = 0; i < actual.numElements(); ++i) {
    double a = actual.asDouble(i);
    double e = expected.asDouble(i);
    bool equal = a == e || (std::isnan(a) && std::isnan(e)) ||
                 std::abs(a - e) <= 1e-7 * (relative > 0) + relative * std::abs(e);
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

static Verdict runCase(const Case &test) {
  auto verdictOf = [](const Status &error) {
    bool unsupported = error.code() == ErrorCode::Unsupported;
    return Verdict{unsupported ? Outcome::Unsupported : Outcome::Fail, error.message()};
  };
  Expected<ModelInfo> info = inspectOnnx(test.model);
  if (!info) {
    return verdictOf(info.error());
  }
  for (const OnnxValue &input : info->inputs) {
    if (!input.dtype) {
      return {Outcome::Unsupported, "input of " + input.typeName};
    }
  }
  if (!info->unsupported.empty()) {
    return {Outcome::Unsupported, info->unsupported[0].op + ": " + info->unsupported[0].reason};
  }
  Expected<std::vector<Tensor>> inputs = readInputs(test, *info);
  if (!inputs) {
    return verdictOf(inputs.error());
  }
  Expected<std::vector<std::string>> deciding = shapeDecidingInputs(test.model);
  ImportOptions options;
  std::vector<Tensor> arguments;
  for (size_t i = 0; i < inputs->size(); ++i) {
    const std::string &name = info->inputs[i].name;
    if (deciding && std::find(deciding->begin(), deciding->end(), name) != deciding->end()) {
      options.bindings.emplace(name, (*inputs)[i]);
    } else {
      options.inputShapes.emplace(name, (*inputs)[i].shape());
      arguments.push_back((*inputs)[i]);
    }
  }
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto module = importOnnx(context, test.model, options);
  if (!module) {
    return verdictOf(module.error());
  }
  if (mlir::failed(mlir::verify(**module))) {
    return {Outcome::Fail, "the imported module does not verify"};
  }
  auto main = (**module).lookupSymbol<mlir::func::FuncOp>("main");
  Expected<std::vector<Tensor>> outputs = interp::runModule(main, arguments);
  if (!outputs) {
    return {Outcome::Fail, outputs.error().message()};
  }
  for (size_t i = 0; i < outputs->size(); ++i) {
    fs::path file = test.data.empty() ? test.expected : test.data / fmt::format("output_{}.pb", i);
    Expected<Tensor> expected = readTensorProto(file);
    if (!expected) {
      return verdictOf(expected.error());
    }
    std::string text = difference((*outputs)[i], *expected);
    if (!text.empty()) {
      return {Outcome::Fail, fmt::format("output {}: {}", info->outputs[i].name, text)};
    }
  }
  return {Outcome::Pass, ""};
}

/// "| Add | 1 |" or "| Clip | 1 to 10, 11 |", sorted by name.
static void printOperators() {
  std::map<std::string, std::string> versions;
  importer::forEachOnnxOp([&](const importer::OnnxOp &row) {
    std::string &text = versions[row.name];
    bool open = row.until == importer::newest;
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", row.since,
                        open ? "" : fmt::format(" to {}", row.until));
  });
  for (const auto &[name, text] : versions) {
    fmt::print("| {} | {} |\n", name, text);
  }
}

int main(int argc, char **argv) {
  std::string folder, filter;
  bool verbose = false;
  for (int i = 1; i < argc; ++i) {
    std::string_view argument = argv[i];
    if (argument == "--operators") {
      printOperators();
      return 0;
    }
    if (argument == "--verbose") {
      verbose = true;
    } else {
      (folder.empty() ? folder : filter) = argument;
    }
  }
  std::error_code error;
  if (folder.empty() || !fs::is_directory(folder, error)) {
    fmt::print(stderr, "usage: zyxc-onnx-node FOLDER [FILTER] [--verbose]\n");
    return static_cast<int>(ErrorCode::Usage);
  }
  int counts[3] = {0, 0, 0};
  for (const Case &test : findCases(folder, filter)) {
    Verdict verdict = runCase(test);
    ++counts[static_cast<int>(verdict.outcome)];
    const char *labels[] = {"pass", "FAIL", "unsupported"};
    if (verbose || verdict.outcome == Outcome::Fail) {
      fmt::print("{}: {}{}{}\n", labels[static_cast<int>(verdict.outcome)], test.name,
                 verdict.text.empty() ? "" : ": ", verdict.text);
    }
  }
  fmt::print("{} passed, {} failed, {} unsupported\n", counts[0], counts[1], counts[2]);
  return counts[1] == 0 ? 0 : 1;
}

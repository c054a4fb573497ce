#include "compiler/import/Onnx.h"
#include "runtime/library/Blas.h"
#include "runtime/plan/PlanFile.h"
#include "tools/zyxc/Commands.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <fmt/format.h>
#include <set>

namespace zyxc::tool {

namespace json = llvm::json;

static std::vector<OnnxValue> describe(const std::vector<rt::NamedType> &list) {
  std::vector<OnnxValue> values;
  for (const rt::NamedType &item : list) {
    OnnxValue value{item.name, std::string(name(item.type.dtype)), item.type.dtype, true, {}};
    for (int64_t size : item.type.shape) {
      bool isOpen = dim::isSymbolic(size);
      value.dims.push_back(isOpen ? OnnxDim{std::nullopt, dim::toString(size)} : OnnxDim{size, ""});
    }
    values.push_back(std::move(value));
  }
  return values;
}

/// The file's own description: an ONNX file's, or the types of a module's function.
static Expected<ModelInfo> readInfo(const std::string &path) {
  if (isOnnxPath(path)) {
    return inspectOnnx(path);
  }
  ZYXC_ASSIGN(Model model, Model::load(path, {}));
  ModelInfo info;
  info.inputs = describe(model.inputs());
  info.outputs = describe(model.outputs());
  return info;
}

/// Text as JSON: bytes that are not UTF-8 become replacement characters.
static json::Value textJson(const std::string &text) {
  return json::isUTF8(text) ? json::Value(text) : json::Value(json::fixUTF8(text));
}

static json::Array valuesJson(const std::vector<OnnxValue> &values) {
  json::Array array;
  for (const OnnxValue &value : values) {
    json::Array shape;
    for (const OnnxDim &dim : value.dims) {
      shape.push_back(dim.size ? json::Value(*dim.size) : textJson(dim.symbol));
    }
    json::Object object{{"name", textJson(value.name)}, {"dtype", value.typeName}};
    object["shape"] = value.hasShape ? json::Value(std::move(shape)) : json::Value(nullptr);
    array.push_back(std::move(object));
  }
  return array;
}

static std::string shapeText(const OnnxValue &value) {
  std::string text;
  for (const OnnxDim &dim : value.dims) {
    std::string symbol = dim.symbol.empty() ? "?" : dim.symbol;
    text += (text.empty() ? "" : ",") + (dim.size ? std::to_string(*dim.size) : symbol);
  }
  return value.hasShape ? "[" + text + "]" : "[of unknown rank]";
}

static json::Object infoJson(const ModelInfo &info) {
  json::Array unsupported;
  for (const auto &op : info.unsupported) {
    unsupported.push_back(json::Object{{"node", textJson(op.node)},
                                       {"op", textJson(op.op)},
                                       {"domain", textJson(op.domain)},
                                       {"reason", textJson(op.reason)}});
  }
  return json::Object{{"inputs", valuesJson(info.inputs)},
                      {"outputs", valuesJson(info.outputs)},
                      {"unsupported", std::move(unsupported)}};
}

static void printJson(json::Object object) {
  fmt::print("{}\n", llvm::formatv("{0:2}", json::Value(std::move(object))).str());
}

static void printText(const ModelInfo &info) {
  auto print = [](std::string_view what, const std::vector<OnnxValue> &values) {
    for (const OnnxValue &value : values) {
      fmt::print("{} {}: {}{}\n", what, value.name, value.typeName, shapeText(value));
    }
  };
  print("input", info.inputs);
  print("output", info.outputs);
  for (const auto &op : info.unsupported) {
    fmt::print("unsupported {}: {}{}{}: {}\n", op.node, op.domain, op.domain.empty() ? "" : ".",
               op.op, op.reason);
  }
}

static json::Array namesJson(const std::vector<std::string> &names) {
  json::Array array;
  for (const std::string &name : names) {
    array.push_back(textJson(name));
  }
  return array;
}

/// Names of the inputs that a plan writes.
static std::vector<std::string> writtenInputs(const rt::PlanFile &file) {
  std::vector<std::string> names;
  for (const rt::NamedType &input : file.inputs()) {
    if (input.written) {
      names.push_back(input.name);
    }
  }
  return names;
}

/// Functions that some target of a plan calls of a library ("cblas"; "": of those that the user
/// names), each once, in order.
static std::vector<std::string> functionsOf(const rt::PlanFile &file, std::string_view library) {
  std::set<std::string> names;
  for (size_t i = 0; i < file.numTargets(); ++i) {
    for (const rt::Plan *part : rt::wholePlan(file.plan(i))) {
      for (const rt::Kernel &kernel : part->kernels) {
        if (kernel.library == library) {
          names.insert(kernel.symbol);
        }
      }
    }
  }
  names.erase("");
  return {names.begin(), names.end()};
}

/// A saved plan: its inputs and outputs, and for each target what it needs and this machine lacks.
static Status inspectPlan(const CommandLine &line) {
  ZYXC_ASSIGN(rt::PlanFile file, rt::PlanFile::open(line.model));
  CpuFeatures machine = CpuFeatures::detect();
  ModelInfo info;
  info.inputs = describe(file.inputs());
  info.outputs = describe(file.outputs());
  json::Array targets;
  std::string text;
  for (size_t i = 0; i < file.numTargets(); ++i) {
    const rt::PlanTarget &target = file.target(i);
    if (target.kind != rt::PlanKind::X86) {
      text +=
          fmt::format("target {}: a GPU with {}\n", target.name, fmt::join(target.features, ", "));
      targets.push_back(
          json::Object{{"name", textJson(target.name)}, {"needs", namesJson(target.features)}});
      continue;
    }
    std::vector<std::string> missing = machine.missing(target.features);
    text += fmt::format("target {}: vectors of {} bits, {}{}\n", target.name, target.vectorBits,
                        missing.empty() ? "runs here" : "this processor lacks ",
                        fmt::join(missing, ", "));
    targets.push_back(json::Object{{"name", textJson(target.name)},
                                   {"vectorBits", target.vectorBits},
                                   {"needs", namesJson(target.features)},
                                   {"missing", namesJson(missing)}});
  }
  if (line.json) {
    json::Object object = infoJson(info);
    object["targets"] = std::move(targets);
    object["written"] = namesJson(writtenInputs(file));
    object["functions"] = namesJson(functionsOf(file, ""));
    object["libraries"] =
        json::Object{{rt::blasLibrary.data(), namesJson(functionsOf(file, rt::blasLibrary))}};
    printJson(std::move(object));
  } else {
    printText(info);
    for (const std::string &input : writtenInputs(file)) {
      fmt::print("writes input {}\n", input);
    }
    for (const std::string &function : functionsOf(file, "")) {
      fmt::print("needs {} of a library: --library PATH\n", function);
    }
    for (const std::string &function : functionsOf(file, rt::blasLibrary)) {
      fmt::print("needs {} of a BLAS library: --blas auto, or its PATH\n", function);
    }
    fmt::print("{}", text);
  }
  return Status::ok();
}

Status inspectCommand(const CommandLine &line) {
  if (isPlanFile(line.model)) {
    return inspectPlan(line);
  }
  ZYXC_ASSIGN(ModelInfo info, readInfo(line.model));
  line.json ? printJson(infoJson(info)) : printText(info);
  return Status::ok();
}

} // namespace zyxc::tool

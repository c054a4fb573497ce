#include "compiler/import/Onnx.h"
#include "compiler/import/OnnxGraphImporter.h"
#include "dialects/zyx/IR/MlirGraphBuilder.h"
#include "dialects/zyx/IR/ZyxBridge.h"
#include "dialects/zyx/IR/ZyxDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include <algorithm>

namespace zyxc {

using importer::OnnxModel;

Expected<ModelInfo> inspectOnnx(const std::string &path) {
  ZYXC_ASSIGN(OnnxModel model, importer::loadOnnxModel(path));
  ModelInfo result;
  result.producer = model.proto->producer_name();
  result.irVersion = model.proto->ir_version();
  result.opset = model.opsets.contains("") ? model.opsets.at("") : 0;
  result.numNodes = model.graph().node_size();
  for (const onnx::NodeProto &node : model.graph().node()) {
    std::string domain = importer::domainOf(node);
    result.operators.insert(domain.empty() ? node.op_type() : domain + "." + node.op_type());
  }
  result.inputs = importer::callerInputs(model);
  for (const onnx::ValueInfoProto &output : model.graph().output()) {
    result.outputs.push_back(importer::describe(output));
  }
  result.unsupported = importer::unsupportedNodes(model);
  return result;
}

/// Names that a node's value inputs read.
static std::vector<std::string> valueInputs(const OnnxModel &model, const onnx::NodeProto &node) {
  std::string domain = importer::domainOf(node);
  auto opset = model.opsets.find(domain);
  importer::OnnxOpMatch match =
      importer::findOnnxOp(node, domain, opset == model.opsets.end() ? 0 : opset->second);
  std::vector<std::string> names;
  for (int i = 0; match.row && i < node.input_size() && i < 32; ++i) {
    if (match.row->valueInputs >> i & 1) {
      names.push_back(node.input(i));
    }
  }
  return names;
}

Expected<std::vector<std::string>> shapeDecidingInputs(const std::string &path) {
  ZYXC_ASSIGN(OnnxModel model, importer::loadOnnxModel(path));
  // Against the order of the nodes: what decides a shape, and what that is computed from. The
  // values of Shape and Size follow from shapes alone.
  std::unordered_set<std::string> deciding;
  for (size_t i = model.order.size(); i-- > 0;) {
    const onnx::NodeProto &node = model.graph().node(model.order[i]);
    for (std::string &name : valueInputs(model, node)) {
      deciding.insert(std::move(name));
    }
    bool needed = std::any_of(node.output().begin(), node.output().end(),
                              [&](const std::string &name) { return deciding.contains(name); });
    if (needed && node.op_type() != "Shape" && node.op_type() != "Size") {
      deciding.insert(node.input().begin(), node.input().end());
    }
  }
  std::vector<std::string> names;
  for (const OnnxValue &input : importer::callerInputs(model)) {
    if (deciding.contains(input.name)) {
      names.push_back(input.name);
    }
  }
  return names;
}

/// One error for all nodes that are not supported, those of one operator and reason together.
static Status unsupportedError(const std::vector<UnsupportedNode> &nodes) {
  constexpr size_t mostNames = 1000; // zyxc inspect lists all
  std::map<std::string, std::string> groups;
  for (size_t i = 0; i < nodes.size() && i < mostNames; ++i) {
    const UnsupportedNode &node = nodes[i];
    std::string op = node.domain.empty() ? node.op : node.domain + "." + node.op;
    std::string &names = groups[fmt::format("{} ({}):", op, node.reason)];
    names += fmt::format("{} '{}'", names.empty() ? "" : ",", node.node);
  }
  std::string list;
  for (const auto &[group, names] : groups) {
    list += (list.empty() ? "" : "; ") + group + names;
  }
  if (nodes.size() > mostNames) {
    list += fmt::format("; and {} more", nodes.size() - mostNames);
  }
  return makeError(ErrorCode::Unsupported, "{} node{} not supported: {}", nodes.size(),
                   nodes.size() == 1 ? " is" : "s are", list);
}

/// Creates func.func @main without its body's ops; names are attributes of arguments.
static mlir::func::FuncOp
createMain(mlir::OpBuilder &builder, mlir::Location location,
           const std::vector<importer::OnnxGraphImporter::Input> &inputs) {
  std::vector<mlir::Type> types;
  for (const auto &input : inputs) {
    types.push_back(zyx::toMlirType(builder.getContext(), input.type));
  }
  auto main =
      mlir::func::FuncOp::create(builder, location, "main", builder.getFunctionType(types, {}));
  mlir::Block *body = main.addEntryBlock();
  for (size_t i = 0; i < inputs.size(); ++i) {
    main.setArgAttr(static_cast<unsigned>(i), "zyx.name", builder.getStringAttr(inputs[i].name));
  }
  builder.setInsertionPointToStart(body);
  return main;
}

/// Returns the outputs and completes the function's type.
static void finishMain(mlir::OpBuilder &builder, mlir::func::FuncOp main,
                       const zyx::MlirGraphBuilder &graph,
                       const std::vector<importer::OnnxGraphImporter::Output> &outputs) {
  std::vector<mlir::Value> results;
  std::vector<mlir::Type> types;
  for (const auto &output : outputs) {
    results.push_back(graph.valueOf(output.value));
    types.push_back(results.back().getType());
  }
  mlir::func::ReturnOp::create(builder, main.getLoc(), results);
  main.setFunctionType(builder.getFunctionType(main.getFunctionType().getInputs(), types));
  for (size_t i = 0; i < outputs.size(); ++i) {
    main.setResultAttr(static_cast<unsigned>(i), "zyx.name",
                       builder.getStringAttr(outputs[i].name));
  }
}

/// Erases ops whose results nothing uses: shape arithmetic that the import has computed.
static void eraseUnusedOps(mlir::Block &block) {
  for (mlir::Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    if (mlir::isOpTriviallyDead(&op)) {
      op.erase();
    }
  }
}

static Expected<mlir::OwningOpRef<mlir::ModuleOp>>
importModel(mlir::MLIRContext &context, const OnnxModel &model, const ImportOptions &options) {
  std::vector<UnsupportedNode> unsupported = importer::unsupportedNodes(model);
  if (!unsupported.empty()) {
    return unsupportedError(unsupported);
  }
  importer::OnnxGraphImporter graphImporter(model, options);
  ZYXC_ASSIGN(auto inputs, graphImporter.resolveInputs());

  context.loadDialect<mlir::func::FuncDialect, zyx::ZyxDialect>();
  mlir::Location location = mlir::NameLoc::get(mlir::StringAttr::get(&context, model.path));
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(location);
  mlir::OpBuilder builder(&context);
  builder.setInsertionPointToStart(module->getBody());
  mlir::func::FuncOp main = createMain(builder, location, inputs);

  zyx::MlirGraphBuilder graph(builder, location);
  std::vector<GraphValue> arguments;
  for (mlir::Value argument : main.getArguments()) {
    arguments.push_back(graph.wrap(argument));
  }
  auto onNode = [&](const std::string &name) {
    graph.setLocation(mlir::NameLoc::get(mlir::StringAttr::get(&context, name)));
  };
  ZYXC_ASSIGN(auto outputs, graphImporter.run(graph, arguments, onNode));
  finishMain(builder, main, graph, outputs);
  eraseUnusedOps(main.front());
  return module;
}

Expected<mlir::OwningOpRef<mlir::ModuleOp>>
importOnnx(mlir::MLIRContext &context, const std::string &path, const ImportOptions &options) {
  ZYXC_ASSIGN(OnnxModel model, importer::loadOnnxModel(path));
  auto module = importModel(context, model, options);
  if (!module) {
    return importer::oneLine(module.error()).withContext(path);
  }
  return module;
}

} // namespace zyxc

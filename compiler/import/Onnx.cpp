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
  result.unsupported = importer::unsupportedNodes(model, model.main);
  return result;
}

Expected<std::set<std::string>> openDimNames(const std::string &path) {
  ZYXC_ASSIGN(OnnxModel model, importer::loadOnnxModel(path));
  return importer::OpenDims(importer::declaredInputs(model), {}, {}).names();
}

/// Creates func.func @main without its body's ops; names are attributes of arguments.
static mlir::func::FuncOp
createMain(mlir::OpBuilder &builder, mlir::Location location,
           const std::vector<importer::OnnxGraphImporter::Input> &inputs) {
  std::vector<mlir::Type> types;
  types.reserve(inputs.size());
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
      continue;
    }
    for (mlir::Region &region : op.getRegions()) {
      eraseUnusedOps(region.front());
    }
  }
}

/// One attempt, with the open dims that `importer` has.
static Expected<mlir::OwningOpRef<mlir::ModuleOp>>
importModule(mlir::MLIRContext &context, const OnnxModel &model,
             importer::OnnxGraphImporter &graphImporter) {
  ZYXC_ASSIGN(auto inputs, graphImporter.resolveInputs());
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

/// Imports again as long as an op needs open dims to be equal that were not. Where the sizes of
/// clamped slices are not known to be what an op needs, slices are assumed to lie within their
/// axes: a table of 512 rows, cut to N of them and added to N others, needs N to be at most 512.
static Expected<mlir::OwningOpRef<mlir::ModuleOp>>
importModel(mlir::MLIRContext &context, const OnnxModel &model, const ImportOptions &options) {
  ZYXC_RETURN_IF_ERROR(importer::unsupportedError(importer::unsupportedNodes(model, model.main)));
  context.loadDialect<mlir::func::FuncDialect, zyx::ZyxDialect>();
  dim::Bindings equalities;
  auto slices = importer::OpenSlices::Clamped;
  for (;;) { // each attempt but the last one removes a variable, or assumes slices
    importer::OnnxGraphImporter graphImporter(model, options, equalities, slices);
    auto module = importModule(context, model, graphImporter);
    if (!module && !graphImporter.equality() && graphImporter.hasClampedSlices() &&
        slices == importer::OpenSlices::Clamped) {
      slices = importer::OpenSlices::Assumed;
      equalities.clear(); // sizes in them may be clamped
      continue;
    }
    if (module || !graphImporter.equality()) {
      return module;
    }
    const auto &[name, size] = *graphImporter.equality();
    if (equalities.contains(name)) {
      return makeError(ErrorCode::Internal, "the dim '{}' is solved for twice", name);
    }
    for (auto &[other, value] : equalities) {
      value = dim::substitute(value, {{name, size}});
    }
    equalities.emplace(name, size);
  }
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

#include "compiler/graph/module/ToModule.h"
#include "compiler/graph/module/Exporter.h"
#include "dialects/zyx/IR/ZyxBridge.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace zyxc::graph {

namespace {

mlir::func::FuncOp makeFunction(mlir::OpBuilder &builder, const TensorGraph &graph,
                                llvm::StringRef name) {
  mlir::MLIRContext *context = builder.getContext();
  auto typesOf = [&](const std::vector<Endpoint> &endpoints) {
    llvm::SmallVector<mlir::Type> types;
    for (const Endpoint &endpoint : endpoints) {
      types.push_back(zyx::toMlirType(context, graph.type(endpoint.cls)));
    }
    return types;
  };
  auto function = mlir::func::FuncOp::create(
      builder, builder.getUnknownLoc(), name,
      builder.getFunctionType(typesOf(graph.inputs), typesOf(graph.outputs)));
  for (auto [number, input] : llvm::enumerate(graph.inputs)) {
    function.setArgAttr(static_cast<unsigned>(number), "zyx.name",
                        builder.getStringAttr(input.name));
  }
  for (auto [number, output] : llvm::enumerate(graph.outputs)) {
    function.setResultAttr(static_cast<unsigned>(number), "zyx.name",
                           builder.getStringAttr(output.name));
  }
  return function;
}

mlir::Location locationOf(mlir::MLIRContext *context, const std::string &origin) {
  if (origin.empty()) {
    return mlir::UnknownLoc::get(context);
  }
  return mlir::NameLoc::get(mlir::StringAttr::get(context, origin));
}

/// Views whose map holds symbolic sizes have no text form.
Status checkHasText(const TensorGraph &graph, NodeId node) {
  if (graph.kind(node) == OpKind::View && graph.attrs(node).getMap("map").hasSymbolicSizes()) {
    return makeError(ErrorCode::Unsupported,
                     "the graph has no text while its sizes are open (view {}): give them, --dim "
                     "NAME=SIZE",
                     graph.attrs(node).toString());
  }
  return Status::ok();
}

} // namespace

Expected<llvm::SmallVector<mlir::Value>> Exporter::run(mlir::ValueRange inputs) {
  ZYXC_ASSIGN(std::vector<ClassId> order, chosenOrder(graph, choice));
  values.assign(graph.engine().numNodes(), GraphValue());
  for (auto [input, value] : llvm::zip_equal(graph.inputs, inputs)) {
    values[graph.find(input.cls)] = ops.wrap(value);
  }
  for (ClassId cls : order) {
    if (!isMade(cls)) {
      ZYXC_RETURN_IF_ERROR(addNode(cls, choice[cls]));
    }
  }
  for (const Write &write : graph.writes) {
    GraphValue target = ops.wrap(inputs[write.input]);
    for (const ViewStep &step : write.chain) {
      target = ops.op(step.kind, {target}, step.attrs);
    }
    zyx::AssignOp::create(builder, locationOf(builder.getContext(), write.origin),
                          ops.valueOf(target), ops.valueOf(values[graph.find(write.value)]));
  }
  llvm::SmallVector<mlir::Value> results;
  for (const Endpoint &output : graph.outputs) {
    results.push_back(ops.valueOf(values[graph.find(output.cls)]));
  }
  return results;
}

Status Exporter::addNode(ClassId cls, NodeId node) {
  ZYXC_RETURN_IF_ERROR(checkHasText(graph, node));
  if (graph.kind(node) == OpKind::Leaf) { // inputs are made: a parameter of a layer
    ops.setLocation(locationOf(builder.getContext(), graph.origin(node)));
    values[cls] = ops.op(OpKind::Constant, {},
                         {{"value", parameterValue(graph.layers, graph.attrs(node).getInt("id"))}});
    return Status::ok();
  }
  std::vector<GraphValue> operands;
  for (ClassId operand : graph.operands(node)) {
    operands.push_back(values[operand]);
  }
  mlir::Location location = locationOf(builder.getContext(), graph.origin(node));
  if (graph.kind(node) != OpKind::Call) {
    ops.setLocation(location);
    values[cls] = ops.op(graph.kind(node), operands, graph.attrs(node));
    return Status::ok();
  }
  const Callee &callee = graph.callees[static_cast<size_t>(graph.attrs(node).getInt("callee"))];
  llvm::SmallVector<mlir::Value> arguments;
  for (GraphValue operand : operands) {
    arguments.push_back(ops.valueOf(operand));
  }
  ZYXC_ASSIGN(mlir::Operation * call, makeCall(callee, arguments, location));
  for (auto [result, value] : llvm::zip_equal(callee.results, call->getResults())) {
    if (!isMade(graph.find(result))) {
      values[graph.find(result)] = ops.wrap(value);
    }
  }
  return Status::ok();
}

Expected<mlir::OwningOpRef<mlir::ModuleOp>> exportModule(mlir::MLIRContext *context,
                                                         const TensorGraph &graph,
                                                         const Choice &choice,
                                                         llvm::StringRef functionName) {
  mlir::OpBuilder builder(context);
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(builder.getUnknownLoc());
  builder.setInsertionPointToEnd(module->getBody());
  mlir::func::FuncOp function = makeFunction(builder, graph, functionName);
  builder.setInsertionPointToStart(function.addEntryBlock());
  ZYXC_ASSIGN(llvm::SmallVector<mlir::Value> results,
              Exporter(builder, graph, choice).run(function.getArguments()));
  mlir::func::ReturnOp::create(builder, builder.getUnknownLoc(), results);
  return module;
}

} // namespace zyxc::graph

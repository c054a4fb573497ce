#include "compiler/graph/module/Importer.h"
#include "dialects/zyx/IR/ZyxBridge.h"
#include "llvm/ADT/TypeSwitch.h"
#include <algorithm>

namespace zyxc::graph {

static std::string nameOr(mlir::Attribute attribute, std::string_view prefix, unsigned number) {
  auto text = llvm::dyn_cast_or_null<mlir::StringAttr>(attribute);
  return text ? text.str() : fmt::format("{}{}", prefix, number);
}

Expected<TensorGraph> Importer::run(mlir::func::FuncOp function) {
  if (!function.getBody().hasOneBlock()) {
    return makeError(ErrorCode::Unsupported, "function '{}' must have one block",
                     function.getName().str());
  }
  for (mlir::BlockArgument argument : function.getArguments()) {
    unsigned number = argument.getArgNumber();
    std::string name = nameOr(function.getArgAttr(number, "zyx.name"), "arg", number);
    ZYXC_RETURN_IF_ERROR(addLeaf(argument, name).withContext(name));
  }
  layers = options.layers;
  ZYXC_RETURN_IF_ERROR(addLayers());
  mlir::Block &block = function.getBody().front();
  ZYXC_RETURN_IF_ERROR(addOps(block));
  ZYXC_RETURN_IF_ERROR(addOutputs(function, block.getTerminator()));
  graph.setOrigin("");
  ZYXC_RETURN_IF_ERROR(graph.rebuild());
  return std::move(graph);
}

Status Importer::addLeaf(mlir::Value value, std::string name) {
  ZYXC_ASSIGN(TensorType type, zyx::toTensorType(value.getType()));
  graph.setOrigin(name);
  ClassId leaf = graph.add(OpKind::Leaf, {},
                           {{"name", name},
                            {"dtype", type.dtype},
                            {"shape", type.shape},
                            {"id", static_cast<int64_t>(graph.inputs.size())}});
  sourceOf[value] = ~static_cast<int32_t>(graph.inputs.size());
  graph.inputs.push_back({std::move(name), leaf});
  classes[value] = leaf;
  return Status::ok();
}

Status Importer::addOps(mlir::Block &block) {
  for (mlir::Operation &op : block.without_terminator()) {
    std::optional<FunctionLayers::Place> place = layers ? layers->placeOf(&op) : std::nullopt;
    bool isLeftOut = place && !layers->isKept(place->layer);
    if (isLeftOut || (layers && llvm::isa<zyx::ConstantOp>(op) && layers->isOnlyParameter(&op))) {
      continue;
    }
    ZYXC_RETURN_IF_ERROR(addOp(&op));
    if (place) {
      graph.layers.results[layers->keptNumber(place->layer)][place->op] =
          classes.at(op.getResult(0));
    }
  }
  return Status::ok();
}

Status Importer::addLayers() {
  if (!layers) {
    return Status::ok();
  }
  Layers &noted = graph.layers;
  noted.count = layers->count;
  noted.kept = layers->kept;
  noted.live = layers->live();
  noted.results.assign(noted.kept, std::vector<ClassId>(layers->period));
  for (size_t layer = 0; layer < noted.count; ++layer) {
    std::vector<std::string> &names = noted.origins.emplace_back();
    for (size_t i = 0; i < layers->period; ++i) {
      mlir::Operation *op = layers->ops[layers->first + layer * layers->period + i];
      names.push_back(zyx::locationName(op->getLoc()));
    }
  }
  for (size_t parameter = 0; parameter < layers->parameters.size(); ++parameter) {
    LayerParameter &values = noted.parameters.emplace_back();
    for (mlir::Value value : layers->parameters[parameter]) {
      auto constant = value.getDefiningOp<zyx::ConstantOp>();
      ZYXC_ASSIGN(Tensor tensor, zyx::toTensor(constant.getValue()));
      values.values.push_back(std::move(tensor));
    }
    const TensorType type = values.values[0].type();
    for (size_t layer = 0; layer < noted.kept; ++layer) {
      graph.setOrigin("");
      values.leaves.push_back(graph.add(OpKind::Leaf, {},
                                        {{"name", fmt::format("parameter{}", parameter)},
                                         {"dtype", type.dtype},
                                         {"shape", type.shape},
                                         {"id", leafId(noted, parameter, layer)}}));
    }
  }
  return Status::ok();
}

Expected<std::vector<ClassId>> Importer::operandsOf(mlir::Operation *op) {
  if (!layers) {
    return classesOf(op->getOperands());
  }
  std::vector<ClassId> operands;
  std::optional<FunctionLayers::Place> place = layers->placeOf(op);
  for (mlir::OpOperand &operand : op->getOpOperands()) {
    auto parameter = place ? layers->parameterAt.find({place->op, operand.getOperandNumber()})
                           : layers->parameterAt.end();
    if (parameter != layers->parameterAt.end()) {
      const LayerParameter &leaves = graph.layers.parameters[parameter->second];
      operands.push_back(leaves.leaves[layers->keptNumber(place->layer)]);
      continue;
    }
    ZYXC_ASSIGN(ClassId cls, classOf(layers->standIn(operand.get())));
    operands.push_back(cls);
  }
  return operands;
}

Status Importer::addOp(mlir::Operation *op) {
  alsoRead.clear();
  Status status = llvm::TypeSwitch<mlir::Operation *, Status>(op)
                      .Case([&](zyx::IfOp branch) { return addIf(branch); })
                      .Case([&](zyx::LoopOp loop) { return addLoop(loop); })
                      .Case([&](zyx::KernelOp kernel) { return addKernel(kernel); })
                      .Case([&](zyx::CustomOp custom) { return addCustom(custom); })
                      .Case([&](zyx::AssignOp assign) { return addAssign(assign); })
                      .Case([&](zyx::AfterOp after) { return addAfter(after); })
                      .Default([&](mlir::Operation *other) { return addNode(other); });
  if (status.isOk()) {
    noteSource(op);
  }
  // What stands in a region has been named already, by its way through all regions around it.
  std::string name = zyx::locationName(op->getLoc());
  bool isNamed = status.isOk() || status.message().starts_with(name + "/");
  return isNamed ? status : std::move(status).withContext(name);
}

void Importer::noteSource(mlir::Operation *op) {
  SourceOp source{zyx::locationName(op->getLoc()), op->getName().stripDialect().str()};
  auto addOperands = [&](mlir::ValueRange values) {
    for (mlir::Value value : values) {
      if (auto known = sourceOf.find(value); known != sourceOf.end()) {
        source.operands.push_back(known->second);
      }
    }
  };
  addOperands(op->getOperands());
  addOperands(alsoRead);
  for (mlir::Value result : op->getResults()) {
    sourceOf[result] = static_cast<int32_t>(graph.sources.size());
    source.results.push_back(classes.at(result));
  }
  graph.sources.push_back(std::move(source));
}

Status Importer::addNode(mlir::Operation *op) {
  std::optional<OpKind> kind = zyx::kindOf(op);
  if (!kind || op->getNumRegions() != 0 || op->getNumResults() != 1) {
    return makeError(ErrorCode::Unsupported, "the e-graph cannot hold '{}'",
                     op->getName().getStringRef().str());
  }
  ZYXC_ASSIGN(Attrs attrs, zyx::attrsOf(op));
  ZYXC_ASSIGN(TensorType type, zyx::toTensorType(op->getResult(0).getType()));
  ZYXC_ASSIGN(std::vector<ClassId> operands, operandsOf(op));
  std::vector<TensorType> types;
  types.reserve(operands.size());
  for (ClassId operand : operands) {
    types.push_back(graph.type(operand));
  }
  std::vector<int64_t> needed;
  ZYXC_ASSIGN(TensorType inferred, inferType(*kind, attrs, types, &needed));
  if (inferred != type) {
    return makeError(ErrorCode::Unsupported, "{}: result type is {}, not {}", name(*kind),
                     toString(inferred), toString(type));
  }
  std::string origin = zyx::locationName(op->getLoc());
  for (int64_t size : needed) {
    addGuard({size, origin, std::string(name(*kind))});
  }
  graph.setOrigin(std::move(origin));
  classes[op->getResult(0)] = graph.addWithDecomposition(*kind, operands, attrs);
  return Status::ok();
}

void Importer::addGuard(SizeGuard guard) {
  auto isSame = [&](const SizeGuard &other) {
    return other.size == guard.size;
  };
  if (std::none_of(graph.guards.begin(), graph.guards.end(), isSame)) {
    graph.guards.push_back(std::move(guard));
  }
}

Status Importer::addOutputs(mlir::func::FuncOp function, mlir::Operation *terminator) {
  if (!llvm::isa<mlir::func::ReturnOp>(terminator)) {
    return makeError(ErrorCode::Unsupported, "function '{}' must end with func.return",
                     function.getName().str());
  }
  for (auto [number, value] : llvm::enumerate(terminator->getOperands())) {
    unsigned index = static_cast<unsigned>(number);
    ZYXC_ASSIGN(ClassId cls, classOf(layers ? layers->standIn(value) : value));
    graph.outputs.push_back({nameOr(function.getResultAttr(index, "zyx.name"), "out", index), cls});
  }
  return Status::ok();
}

Expected<TensorGraph> importFunction(mlir::func::FuncOp function,
                                     const FromModuleOptions &options) {
  return Importer(options).run(function);
}

} // namespace zyxc::graph

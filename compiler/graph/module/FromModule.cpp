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
    ZYXC_RETURN_IF_ERROR(addOp(&op));
  }
  return Status::ok();
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
  ZYXC_ASSIGN(std::vector<ClassId> operands, classesOf(op->getOperands()));
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
    ZYXC_ASSIGN(ClassId cls, classOf(value));
    graph.outputs.push_back({nameOr(function.getResultAttr(index, "zyx.name"), "out", index), cls});
  }
  return Status::ok();
}

Expected<TensorGraph> importFunction(mlir::func::FuncOp function,
                                     const FromModuleOptions &options) {
  return Importer(options).run(function);
}

} // namespace zyxc::graph

#include "compiler/graph/module/FromModule.h"
#include "dialects/zyx/IR/ZyxBridge.h"
#include "llvm/ADT/DenseMap.h"
#include <algorithm>

namespace zyxc::graph {

namespace {

std::string nameOr(mlir::Attribute attribute, std::string_view prefix, unsigned number) {
  auto text = llvm::dyn_cast_or_null<mlir::StringAttr>(attribute);
  return text ? text.str() : fmt::format("{}{}", prefix, number);
}

class Importer {
public:
  Expected<TensorGraph> run(mlir::func::FuncOp function);

private:
  Status addArguments(mlir::func::FuncOp function);
  Status addOp(mlir::Operation *op);
  void addGuard(SizeGuard guard);
  Status addOutputs(mlir::func::FuncOp function, mlir::Operation *terminator);

  TensorGraph graph;
  llvm::DenseMap<mlir::Value, ClassId> classes;
};

Expected<TensorGraph> Importer::run(mlir::func::FuncOp function) {
  if (!function.getBody().hasOneBlock()) {
    return makeError(ErrorCode::Unsupported, "function '{}' must have one block",
                     function.getName().str());
  }
  ZYXC_RETURN_IF_ERROR(addArguments(function));
  mlir::Block &block = function.getBody().front();
  for (mlir::Operation &op : block.without_terminator()) {
    Status status = addOp(&op);
    if (!status.isOk()) {
      return std::move(status).withContext(zyx::locationName(op.getLoc()));
    }
  }
  ZYXC_RETURN_IF_ERROR(addOutputs(function, block.getTerminator()));
  graph.setOrigin("");
  ZYXC_RETURN_IF_ERROR(graph.rebuild());
  return std::move(graph);
}

Status Importer::addArguments(mlir::func::FuncOp function) {
  for (mlir::BlockArgument argument : function.getArguments()) {
    unsigned number = argument.getArgNumber();
    std::string name = nameOr(function.getArgAttr(number, "zyx.name"), "arg", number);
    Expected<TensorType> type = zyx::toTensorType(argument.getType());
    if (!type) {
      return std::move(type).error().withContext(name);
    }
    graph.setOrigin(name);
    ClassId leaf = graph.add(OpKind::Leaf, {},
                             {{"name", name},
                              {"dtype", type->dtype},
                              {"shape", type->shape},
                              {"id", static_cast<int64_t>(number)}});
    graph.inputs.push_back({std::move(name), leaf});
    classes[argument] = leaf;
  }
  return Status::ok();
}

Status Importer::addOp(mlir::Operation *op) {
  std::optional<OpKind> kind = zyx::kindOf(op);
  if (!kind || op->getNumRegions() != 0 || op->getNumResults() != 1) {
    return makeError(ErrorCode::Unsupported, "the e-graph cannot hold '{}'",
                     op->getName().getStringRef().str());
  }
  ZYXC_ASSIGN(Attrs attrs, zyx::attrsOf(op));
  ZYXC_ASSIGN(TensorType type, zyx::toTensorType(op->getResult(0).getType()));
  std::vector<ClassId> operands;
  std::vector<TensorType> types;
  for (mlir::Value operand : op->getOperands()) {
    operands.push_back(classes.lookup(operand));
    types.push_back(graph.type(operands.back()));
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
    graph.outputs.push_back(
        {nameOr(function.getResultAttr(index, "zyx.name"), "out", index), classes.lookup(value)});
  }
  return Status::ok();
}

} // namespace

Expected<TensorGraph> importFunction(mlir::func::FuncOp function) {
  return Importer().run(function);
}

} // namespace zyxc::graph

#include "dialects/zyx/IR/MlirGraphBuilder.h"
#include "dialects/zyx/IR/ZyxBridge.h"
#include "dialects/zyx/IR/ZyxDialect.h"

namespace zyxc::zyx {

GraphValue MlirGraphBuilder::append(mlir::Value value, TensorType type) {
  auto id = static_cast<uint32_t>(values.size());
  values.push_back(value);
  types.push_back(std::move(type));
  ids[value] = id;
  return {id};
}

Expected<GraphValue> MlirGraphBuilder::tryWrap(mlir::Value value) {
  if (auto known = ids.find(value); known != ids.end()) {
    return GraphValue{known->second};
  }
  ZYXC_ASSIGN(TensorType type, toTensorType(value.getType()));
  return append(value, std::move(type));
}

GraphValue MlirGraphBuilder::wrap(mlir::Value value) {
  Expected<GraphValue> wrapped = tryWrap(value);
  assert(wrapped && "the value must have a TensorType");
  return *wrapped;
}

GraphValue MlirGraphBuilder::addOp(OpKind kind, std::span<const GraphValue> operands, Attrs attrs,
                                   TensorType type) {
  mlir::MLIRContext *context = builder.getContext();
  mlir::OperationState state(location, opName(kind));
  for (GraphValue operand : operands) {
    state.operands.push_back(values[operand.id]);
  }
  state.attributes = toMlirAttrs(context, kind, attrs);
  state.types.push_back(toMlirType(context, type));
  mlir::OpBuilder::InsertionGuard guard(builder);
  if (kind == OpKind::Constant && !outside.empty()) {
    builder.restoreInsertionPoint(outside.front());
  }
  return append(builder.create(state)->getResult(0), std::move(type));
}

// Regions.

std::vector<GraphValue> MlirGraphBuilder::beginRegion(std::span<const TensorType> arguments) {
  open.push_back(static_cast<uint32_t>(regions.size()));
  outside.push_back(builder.saveInsertionPoint());
  mlir::Block &block = regions.emplace_back(std::make_unique<mlir::Region>())->emplaceBlock();
  std::vector<GraphValue> values;
  for (const TensorType &type : arguments) {
    mlir::Type mlirType = toMlirType(builder.getContext(), type);
    values.push_back(append(block.addArgument(mlirType, location), type));
  }
  builder.setInsertionPointToEnd(&block);
  return values;
}

RegionBuilder::Region MlirGraphBuilder::endRegion(std::span<const GraphValue> yielded) {
  llvm::SmallVector<mlir::Value> operands;
  for (GraphValue value : yielded) {
    operands.push_back(valueOf(value));
  }
  YieldOp::create(builder, location, operands);
  builder.restoreInsertionPoint(outside.back());
  outside.pop_back();
  Region ended{open.back()};
  open.pop_back();
  return ended;
}

std::unique_ptr<mlir::Region> MlirGraphBuilder::take(Region region) {
  return std::move(regions[region.id]);
}

void MlirGraphBuilder::drop(Region region) {
  regions[region.id].reset();
}

void MlirGraphBuilder::splice(Region region) {
  std::unique_ptr<mlir::Region> taken = take(region);
  mlir::Block &from = taken->front();
  from.getTerminator()->erase();
  mlir::Block *to = builder.getInsertionBlock();
  to->getOperations().splice(builder.getInsertionPoint(), from.getOperations());
}

std::vector<GraphValue> MlirGraphBuilder::appendResults(mlir::Operation *op) {
  std::vector<GraphValue> results;
  for (mlir::Value result : op->getResults()) {
    results.push_back(append(result, *toTensorType(result.getType())));
  }
  return results;
}

std::vector<GraphValue> MlirGraphBuilder::branch(GraphValue condition, Region taken, Region other) {
  mlir::OperationState state(location, IfOp::getOperationName());
  state.addOperands(valueOf(condition));
  std::unique_ptr<mlir::Region> thenRegion = take(taken);
  state.addTypes(thenRegion->front().getTerminator()->getOperandTypes());
  state.addRegion(std::move(thenRegion));
  state.addRegion(take(other));
  return appendResults(builder.create(state));
}

std::vector<GraphValue> MlirGraphBuilder::loop(int64_t limit, GraphValue first,
                                               std::span<const GraphValue> inits, Region body) {
  mlir::OperationState state(location, LoopOp::getOperationName());
  state.addOperands(valueOf(first));
  for (GraphValue init : inits) {
    state.addOperands(valueOf(init));
  }
  state.addAttribute("limit", builder.getI64IntegerAttr(limit));
  std::unique_ptr<mlir::Region> region = take(body);
  mlir::TypeRange yielded(region->front().getTerminator()->getOperandTypes());
  for (auto [i, type] : llvm::enumerate(yielded.drop_front())) {
    TensorType result = *toTensorType(type);
    if (i >= inits.size()) {
      result.shape.insert(result.shape.begin(), limit);
    }
    state.addTypes(toMlirType(builder.getContext(), result));
  }
  state.addRegion(std::move(region));
  return appendResults(builder.create(state));
}

} // namespace zyxc::zyx

#include "dialects/zyx/IR/MlirGraphBuilder.h"
#include "dialects/zyx/IR/ZyxBridge.h"

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
  return append(builder.create(state)->getResult(0), std::move(type));
}

} // namespace zyxc::zyx

#include "passes/lower/emit/FoldCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

Value splatTo(OpBuilder &builder, Value value, int64_t lanes) {
  if (lanes == 0 || isa<VectorType>(value.getType())) {
    return value;
  }
  auto type = VectorType::get({lanes}, value.getType());
  return vector::BroadcastOp::create(builder, value.getLoc(), type, value);
}

/// Lanes of the values: 0 if all are scalars.
static int64_t lanesOf(ValueRange values) {
  for (Value value : values) {
    if (auto vector = dyn_cast<VectorType>(value.getType())) {
      return vector.getDimSize(0);
    }
  }
  return 0;
}

/// A copy of an op of a region; a vector op if an operand is a vector.
static Value copyOp(OpBuilder &builder, Operation &op, const IRMapping &mapping) {
  SmallVector<Value> operands;
  for (Value operand : op.getOperands()) {
    operands.push_back(mapping.lookup(operand));
  }
  int64_t lanes = lanesOf(operands);
  OperationState state(op.getLoc(), op.getName());
  for (Value operand : operands) {
    state.addOperands(splatTo(builder, operand, lanes));
  }
  Type type = op.getResult(0).getType();
  state.addTypes(lanes ? VectorType::get({lanes}, type) : type);
  state.addAttributes(op.getAttrDictionary().getValue());
  return builder.create(state)->getResult(0);
}

static FoldCode::Values copyRegion(OpBuilder &builder, Region &region, ValueRange arguments) {
  IRMapping mapping;
  mapping.map(region.getArguments(), arguments);
  for (Operation &op : region.front().without_terminator()) {
    mapping.map(op.getResult(0), copyOp(builder, op, mapping));
  }
  int64_t lanes = lanesOf(arguments);
  FoldCode::Values states;
  for (Value state : region.front().getTerminator()->getOperands()) {
    states.push_back(splatTo(builder, mapping.lookup(state), lanes));
  }
  return states;
}

FoldCode::Values FoldCode::step(OpBuilder &builder, ValueRange states, ValueRange values) const {
  Values arguments(states);
  llvm::append_range(arguments, values);
  return copyRegion(builder, FoldOp(fold).getStep(), arguments);
}

FoldCode::Values FoldCode::merge(OpBuilder &builder, ValueRange a, ValueRange b) const {
  Values arguments(a);
  llvm::append_range(arguments, b);
  return copyRegion(builder, FoldOp(fold).getMerge(), arguments);
}

FoldCode::Values FoldCode::acrossLanes(OpBuilder &builder, Values states) const {
  Location loc = FoldOp(fold).getLoc();
  auto everySecond = [&](Value vector, int64_t first, int64_t count) -> Value {
    SmallVector<int64_t> pick;
    for (int64_t i = 0; i < count; ++i) {
      pick.push_back(2 * i + first);
    }
    return vector::ShuffleOp::create(builder, loc, vector, vector, pick);
  };
  for (int64_t lanes = lanesOf(states); lanes > 1; lanes /= 2) {
    Values even;
    Values odd;
    for (Value state : states) {
      even.push_back(everySecond(state, 0, lanes / 2));
      odd.push_back(everySecond(state, 1, lanes / 2));
    }
    states = merge(builder, even, odd);
  }
  for (Value &state : states) {
    state = isa<VectorType>(state.getType())
                ? vector::ExtractOp::create(builder, loc, state, 0).getResult()
                : state;
  }
  return states;
}

SmallVector<Value> selectStates(OpBuilder &builder, Value condition, ValueRange a, ValueRange b) {
  SmallVector<Value> states;
  for (auto [left, right] : llvm::zip(a, b)) {
    auto vector = dyn_cast<VectorType>(left.getType());
    Value chosen = splatTo(builder, condition, vector ? vector.getDimSize(0) : 0);
    states.push_back(arith::SelectOp::create(builder, condition.getLoc(), chosen, left, right));
  }
  return states;
}

} // namespace zyxc
